import { createRequire } from "node:module";
import { dirname } from "node:path";
import { describeThrown, isInstance } from "../../errors/foreign-values.ts";
import { ownOptions } from "../../runtime/own-options.ts";
import type { Order } from "../../service/endpoint.ts";
import { checkJsonType, readJsonObject } from "../../service/json-body.ts";
import { Problem } from "../../service/problem.ts";
import { targetOf } from "../../service/request-target.ts";
import { toResponse } from "../../service/to-response.ts";
import { createFirstTemplate } from "../first-template.ts";
import type { Misbehaviour, MisbehaviourSettings } from "../misbehaviour.ts";
import type { Renderers } from "../renderers.ts";
import { renderOrder, warningOf } from "../templates.ts";
import { EventStream } from "./event-stream.ts";
import { PageFiles } from "./page-files.ts";
import { type LoggedCall, latestOf, RequestLog } from "./request-log.ts";
import { type TemplateState, TemplateStates } from "./template-states.ts";
import { TemplateWatcher } from "./template-watcher.ts";

/** What the playground shows and changes. */
interface PlaygroundParts {
  readonly folder: string;
  readonly renderers: Renderers;
  readonly misbehaviour: Misbehaviour;
  readonly apiKey: string;
}

/** The templates that have changed, and the uids of all in order. */
export interface TemplatesEvent {
  readonly uids: readonly string[];
  readonly changed: readonly TemplateState[];
  /** The reason why the folder cannot be read. */
  readonly folderFault: string | undefined;
}

const prefix = "/_playground/";

/** The token that the page sends with each request that reads or changes data. */
const tokenHeader = "x-playground-token";

/** The number of a document that the page requests, by which it knows that the document is no longer waiting. */
const previewHeader = "x-playground-preview";

/** A warning about the document, percent-encoded. */
const warningHeader = "x-playground-warning";

/** How long events of the same kind are collected before they are sent together. */
const collectingMs = 200;

/** The maximum body size of a change to the faults, in bytes. */
const maxBodyBytes = 16_384;

/** The page at `/` of an emulator, and its requests under `/_playground/`. */
export class Playground {
  readonly log = new RequestLog((call) => {
    if (this.#events.isOpen) this.#calls.push(call);
    this.#sendSoon();
  });
  readonly #parts: PlaygroundParts;
  readonly #templates: TemplateStates;
  readonly #events: EventStream;
  readonly #files: PageFiles;
  readonly #token = crypto.randomUUID();
  /** The calls and the templates that the next events report. */
  #calls: LoggedCall[] = [];
  #changed = new Set<string>();
  #sending: NodeJS.Timeout | undefined;

  constructor(parts: PlaygroundParts) {
    this.#parts = parts;
    this.#files = new PageFiles(dirname(createRequire(import.meta.url).resolve("#playground")), parts.folder);
    this.#templates = new TemplateStates(parts.folder, parts.renderers, (uid) => {
      this.#changed.add(uid);
      this.#sendSoon();
    });
    const watcher = new TemplateWatcher(parts.folder);
    this.#events = new EventStream(
      () => {
        watcher.start((changed) => void this.#onSaved(changed));
        // Files may have changed while no page was open.
        void this.#templates.refresh(undefined);
      },
      () => watcher.close(),
    );
  }

  /** Whether a request is for the playground rather than the service. */
  isFor(request: Request): boolean {
    const pathname = targetOf(request)?.pathname ?? "";
    if (pathname.startsWith(prefix)) return true;
    const isHtmlWanted = request.headers.get("accept")?.includes("text/html") ?? false;
    return pathname === "/" && isHtmlWanted && /^(?:GET|HEAD)$/.test(request.method);
  }

  /** Whether a call of the service was made by the page. The rules for faults do not apply to such calls, and do not count them. */
  isPreview({ headers }: Request): boolean {
    return headers.get(tokenHeader) === this.#token;
  }

  /** Generates a document for the page. Its user writes the templates, so a refusal contains the reason. */
  async preview(order: Order): Promise<Response> {
    const { folder, renderers } = this.#parts;
    const id = Number(order.request.headers.get(previewHeader));
    try {
      const onBegin = () => this.#events.send("rendering", { id });
      const product = await renderOrder(order, { folder, renderers, strict: false, onBegin });
      const response = toResponse(product, order.uid);
      const warning = warningOf(order.request);
      if (warning !== undefined) response.headers.set(warningHeader, encodeURIComponent(warning));
      return response;
    } catch (error) {
      if (!isInstance(error, Problem) || error.cause === undefined) throw error;
      throw new Problem(error.status, describeThrown(error.cause), {
        kind: "template-broken",
        cause: error.cause,
      });
    }
  }

  /** Handles a request from the page. */
  async answer(request: Request): Promise<Response> {
    try {
      return await this.#answer(request);
    } catch (error) {
      const problem = isInstance(error, Problem) ? error : new Problem(500, describeThrown(error));
      return problem.toResponse(crypto.randomUUID());
    }
  }

  close(): void {
    clearTimeout(this.#sending);
    this.#events.close();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/") {
      const page = await this.#files.readPage(this.#token);
      // A response to HEAD has no body (RFC 9110, 9.3.2).
      return request.method === "HEAD" ? new Response(null, page) : page;
    }
    const [what = "", ...rest] = pathname.slice(prefix.length).split("/");
    const name = decoded(rest.join("/"));
    const route = `${request.method} ${what}`;
    if (route === "GET assets") return this.#files.read(`_playground/assets/${name}`);
    if (route === "GET pdfjs") return this.#files.readPdfJs(name);
    this.#requireOwnPage(request);
    if (route === "GET events") return this.#events.open();
    if (route === "GET state") return this.#state(request);
    if (route === "GET types") return this.#types(name);
    if (route === "GET requests") return this.#request(Number(name));
    if (route === "PUT misbehaviour") return this.#changeMisbehaviour(request);
    if (route === "POST first-template") return this.#createFirstTemplate();
    if (route === "PUT selected") return this.#select(name);
    throw new Problem(404, "The playground does not have this path.");
  }

  /**
   * Refuses other origins and requests without the page's token, because responses contain the API key and the values of
   * requests.
   */
  #requireOwnPage({ headers, url }: Request): void {
    const { origin } = new URL(url);
    const isSameSite = (headers.get("sec-fetch-site") ?? "same-origin") === "same-origin";
    const isSameOrigin = (headers.get("origin") ?? origin) === origin;
    if (isSameSite && isSameOrigin && headers.get(tokenHeader) === this.#token) return;
    throw new Problem(
      403,
      "Only the playground's own page may call this. Open it at the emulator's base URL.",
    );
  }

  async #state(request: Request): Promise<Response> {
    const { misbehaviour, apiKey, folder } = this.#parts;
    // Reads the names of the files. Templates are loaded and rendered later, and follow as events.
    await this.#templates.refresh(new Set());
    return json({
      baseUrl: new URL(request.url).origin,
      apiKey,
      folder,
      folderFault: this.#templates.folderFault,
      templates: this.#templates.all,
      requests: this.log.calls,
      misbehaviour: misbehaviour.settings,
      hasPdfJs: this.#files.findPdfJs() !== undefined,
    });
  }

  async #onSaved(changed: ReadonlySet<string> | undefined): Promise<void> {
    // The page renders its values at the same time as the samples.
    this.#events.send("saved", {});
    await this.#templates.refresh(changed);
    this.#events.send("templates", this.#templatesEvent());
  }

  /** Collects events, because a page that shows each of thousands of calls would not respond to its user. */
  #sendSoon(): void {
    if (!this.#events.isOpen) return;
    this.#sending ??= setTimeout(() => {
      this.#sending = undefined;
      if (this.#changed.size > 0) this.#events.send("templates", this.#templatesEvent());
      if (this.#calls.length > 0) this.#events.send("requests", latestOf(this.#calls.reverse()));
      this.#calls = [];
    }, collectingMs);
  }

  #templatesEvent(): TemplatesEvent {
    const { all, folderFault } = this.#templates;
    const changed = all.filter(({ uid }) => this.#changed.has(uid));
    this.#changed = new Set();
    return { uids: all.map(({ uid }) => uid), changed, folderFault };
  }

  #select(uid: string): Response {
    this.#templates.select(uid);
    return json({});
  }

  async #types(uid: string): Promise<Response> {
    const types = await this.#templates.typesOf(uid);
    if (types === undefined) {
      throw new Problem(404, `The template ${JSON.stringify(uid)} does not exist or cannot be read.`);
    }
    return new Response(types, { headers: { "content-type": "text/plain; charset=utf-8" } });
  }

  #request(id: number): Response {
    const found = this.log.find(id);
    if (!found)
      throw new Problem(404, "This request is no longer available: the playground keeps only the last 100.");
    return json(found);
  }

  /** The only file that the page creates. It never changes one. */
  async #createFirstTemplate(): Promise<Response> {
    const { path, existing } = await createFirstTemplate(this.#parts.folder);
    if (existing !== undefined) {
      throw new Problem(409, `The folder already contains ${existing}. Nothing was changed.`);
    }
    await this.#onSaved(undefined);
    return json({ path });
  }

  async #changeMisbehaviour(request: Request): Promise<Response> {
    checkJsonType(request.headers);
    const { misbehaviour } = this.#parts;
    const settings = (await readJsonObject(request, maxBodyBytes)) as MisbehaviourSettings;
    const { faults, latency } = ownOptions(settings, ["faults", "latency"]);
    try {
      misbehaviour.change({ faults, latency });
    } catch (error) {
      throw new Problem(400, describeThrown(error));
    }
    this.#events.send("misbehaviour", misbehaviour.settings);
    return json(misbehaviour.settings);
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new Problem(400, "This path is not valid percent-encoding.");
  }
}

function json(value: unknown): Response {
  return Response.json(value, { headers: { "cache-control": "no-store" } });
}
