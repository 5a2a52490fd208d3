import type { TemplatesEvent } from "../playground.ts";
import { type LoggedCall, latestOf } from "../request-log.ts";
import type { TemplateState } from "../template-states.ts";
import { DocumentQueue } from "./document-queue.ts";
import {
  type DocumentFacts,
  type DocumentState,
  documentStateOf,
  type Input,
  type Pending,
} from "./document-state.ts";
import {
  changed,
  type Draft,
  followed,
  isChanged,
  objectionTo,
  openDraft,
  replaced,
  textIn,
} from "./draft.ts";
import { generate, listen, type Misbehaviour, readState, type ServerState, select } from "./server.ts";
import { Store } from "./store.ts";
import { StoredValues } from "./stored-values.ts";

/** The connection to the emulator. */
type Connection = "connecting" | "connected" | "lost";

/** Everything that the page shows, except the log of requests. What can be derived from it is not part of it. */
export interface PageState {
  readonly connection: Connection;
  /** `undefined` until the emulator has responded. */
  readonly server: Omit<ServerState, "templates" | "requests"> | undefined;
  readonly templates: readonly TemplateState[];
  /** The uid that the user has selected. The template may not exist. */
  readonly uid: string;
  /** The values of each template that was shown, by uid. */
  readonly drafts: ReadonlyMap<string, Draft>;
  /** The documents of each template that was shown, by uid. */
  readonly documents: ReadonlyMap<string, DocumentFacts>;
  /** Counts what may change documents, except values: saved files and restarts of the emulator. */
  readonly revision: number;
}

/** The maximum number of templates whose documents are kept. */
const maxDocuments = 20;

export function templateOf({ templates, uid }: PageState): TemplateState | undefined {
  return templates.find((each) => each.uid === uid) ?? templates[0];
}

/** Returns what to render, or the reason why there is nothing to render. */
function inputOf(state: PageState): Input | Pending {
  const { drafts, revision, connection } = state;
  const template = templateOf(state);
  if (connection !== "connected") return { why: "offline", detail: "The emulator has stopped." };
  const draft = template && drafts.get(template.uid);
  if (template === undefined || draft === undefined) return { why: "template" };
  const objection = objectionTo(draft);
  if (objection !== undefined) return { why: "invalid", detail: objection };
  return { uid: template.uid, key: `${revision} ${draft.json}`, json: draft.json };
}

export function documentState(state: PageState): DocumentState {
  const facts = state.documents.get(templateOf(state)?.uid ?? "") ?? {};
  return documentStateOf(facts, inputOf(state));
}

/** The state of the page, and all that changes it. */
export class Workbench {
  readonly state: Store<PageState>;
  /** Sorted with the latest first. Separate, so that thousands of requests do not affect the rest of the page. */
  readonly calls = new Store<readonly LoggedCall[]>([]);
  readonly #queue: DocumentQueue;
  #stored = new StoredValues("");

  constructor(uid: string) {
    const nothing = { server: undefined, templates: [], drafts: new Map(), documents: new Map() };
    this.state = new Store<PageState>({ ...nothing, connection: "connecting", uid, revision: 0 });
    this.#queue = new DocumentQueue(
      ({ uid, json }, id, signal) => generate(this.state.value.server?.apiKey ?? "", uid, json, id, signal),
      (uid, facts) => this.#set({ documents: withFacts(this.state.value.documents, uid, facts) }),
    );
  }

  /** Follows the emulator. @returns a function to stop */
  connect(): () => void {
    return listen({
      requests: (calls) => this.#onRequests(calls),
      templates: (event) => this.#onTemplates(event),
      rendering: ({ id }) => this.#onRendering(id),
      misbehaviour: (misbehaviour) => this.#onMisbehaviour(misbehaviour),
      saved: () => this.#set({ revision: this.state.value.revision + 1 }),
      connected: () => this.#load(),
      lost: () => this.#set({ connection: "lost" }),
    });
  }

  select(uid: string): void {
    const last = templateOf(this.state.value);
    this.#set({ uid });
    const template = templateOf(this.state.value);
    if (template === undefined || template === last) return;
    history.replaceState(undefined, "", `#${encodeURIComponent(template.uid)}`);
    void select(template.uid).catch(() => {});
  }

  /** Changes the values of a template. */
  edit(uid: string, change: (draft: Draft) => Draft): void {
    const { drafts } = this.state.value;
    const draft = drafts.get(uid);
    if (draft === undefined) return;
    const next = change(draft);
    if (next === draft) return;
    this.#set({ drafts: new Map(drafts).set(uid, next) }, true);
    if (next.editor.doc !== draft.editor.doc)
      this.#stored.write(uid, isChanged(next) ? textIn(next) : undefined);
  }

  /** Applies changes that the editor has made to the values of a template. */
  editText(uid: string, changes: readonly NonNullable<Draft["change"]>[]): void {
    this.edit(uid, (draft) => changes.reduce(changed, draft));
  }

  /** Shows a template with other values. The last ones can be restored. */
  use(uid: string, text: string): void {
    this.select(uid);
    this.edit(uid, (draft) => replaced(draft, text));
  }

  async #load(): Promise<void> {
    const { templates, requests, ...server } = await readState();
    this.#stored = new StoredValues(server.folder);
    this.calls.set(requests);
    const { revision } = this.state.value;
    this.#set({ connection: "connected", server, templates, revision: revision + 1 });
    const { uid } = templateOf(this.state.value) ?? {};
    if (uid !== undefined) await select(uid);
  }

  #onRequests(calls: readonly LoggedCall[]): void {
    const known = this.calls.value;
    // The state that the page has loaded may contain some of them already.
    const others = calls.filter(({ id }) => id > (known[0]?.id ?? 0));
    this.calls.set(latestOf([...others, ...known]));
  }

  #onTemplates({ uids, changed, folderFault }: TemplatesEvent): void {
    const { templates, server } = this.state.value;
    const known = new Map([...templates, ...changed].map((template) => [template.uid, template]));
    const listed = uids.flatMap((uid) => known.get(uid) ?? []);
    this.#set({ templates: listed, server: server && { ...server, folderFault } });
  }

  #onRendering(id: number): void {
    const { documents } = this.state.value;
    for (const [uid, { request }] of documents) {
      if (request?.id !== id) continue;
      this.#set({ documents: withFacts(documents, uid, { request: { ...request, hasBegun: true } }) });
    }
  }

  #onMisbehaviour(misbehaviour: Misbehaviour): void {
    const { server } = this.state.value;
    this.#set({ server: server && { ...server, misbehaviour } });
  }

  #set(part: Partial<PageState>, isTyped = false): void {
    const state = { ...this.state.value, ...part };
    const drafts = withSample(state, (uid) => this.#stored.read(uid));
    this.state.set(drafts === state.drafts ? state : { ...state, drafts });
    const input = inputOf(this.state.value);
    this.#queue.want("key" in input ? input : undefined, isTyped);
  }
}

/** Opens the values of the template that is shown, once its sample is known, and follows the samples of files. */
function withSample(state: PageState, stored: (uid: string) => string | undefined): PageState["drafts"] {
  const { uid, sample } = templateOf(state) ?? {};
  if (uid === undefined || sample === undefined) return state.drafts;
  const draft = state.drafts.get(uid);
  const next = draft ? followed(draft, sample) : openDraft(sample, stored(uid));
  return next === draft ? state.drafts : new Map(state.drafts).set(uid, next);
}

function withFacts(
  documents: PageState["documents"],
  uid: string,
  facts: DocumentFacts,
): PageState["documents"] {
  const next = new Map(documents);
  next.delete(uid);
  next.set(uid, { ...documents.get(uid), ...facts });
  const [oldest = uid] = next.keys();
  if (next.size > maxDocuments) next.delete(oldest);
  return next;
}
