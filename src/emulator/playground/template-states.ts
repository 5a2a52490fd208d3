import { basename } from "node:path";
import { describeThrown } from "../../errors/foreign-values.ts";
import { examineTemplate } from "../examine-template.ts";
import { formatFault } from "../renderer/template-fault.ts";
import type { Renderers } from "../renderers.ts";
import { readTemplateFolder, type TemplateFile } from "../template-folder.ts";

/** What is known about a template, whether or not its sample has been rendered. */
interface TemplateFacts {
  readonly uid: string;
  /** The file name. */
  readonly file: string;
  /** Sample values; for a broken template, the last known ones. `undefined` until the template was loaded. */
  readonly sample?: Record<string, unknown> | undefined;
  /** The JSON Schema for the template's values, if the template has one. */
  readonly schema?: object | undefined;
  /** The page count of the sample when it was last rendered; `undefined` if the template refuses it. */
  readonly pages?: number | undefined;
}

/** The current state of a template. */
export type TemplateState = TemplateFacts &
  (
    | { readonly kind: "waiting" | "rendering" | "ready" }
    /** `fault` is the error in the template, with file, line and column. */
    | { readonly kind: "broken"; readonly fault: string }
  );

/** How long the first attempt to render a sample may take. Slower samples are rendered again, after all others. */
const quickLimitMs = 2_000;

/** How long a sample may take. Waiting for a thread does not count. */
const sampleLimitMs = 20_000;

/** A template that has to be loaded and rendered. */
interface Check {
  readonly template: TemplateFile;
  readonly limitMs: number;
  /** Aborted when the template has changed or is gone. */
  readonly obsolete: AbortController;
}

/** Names of files that editors write while they save another one. */
const temporary = /^\.|~$|^\d+$/;

/** The current templates in a folder, which are checked again when a file is saved. */
export class TemplateStates {
  readonly #folder: string;
  readonly #renderers: Renderers;
  readonly #onChange: (uid: string) => void;
  #states = new Map<string, TemplateState>();
  /** The unfinished checks, by uid. */
  readonly #checks = new Map<string, Check>();
  /** The checks that have not begun. */
  #queue: Check[] = [];
  #running = 0;
  /** The template that the page shows. */
  #selected: string | undefined;
  #folderFault: string | undefined;

  /** @param onChange - called after a template has changed its state or is gone */
  constructor(folder: string, renderers: Renderers, onChange: (uid: string) => void = () => {}) {
    this.#folder = folder;
    this.#renderers = renderers;
    this.#onChange = onChange;
  }

  get all(): readonly TemplateState[] {
    return [...this.#states.values()];
  }

  /** The reason why the folder cannot be read. */
  get folderFault(): string | undefined {
    return this.#folderFault;
  }

  get(uid: string): TemplateState | undefined {
    return this.#states.get(uid);
  }

  /**
   * Reads the folder, and checks the templates that a change may affect.
   *
   * @param changed - paths relative to the folder; `undefined` if any file may have changed
   */
  async refresh(changed: ReadonlySet<string> | undefined): Promise<void> {
    let folderFault: string | undefined;
    const files = await readTemplateFolder(this.#folder).catch((error: unknown) => {
      folderFault = describeThrown(error);
      return new Map<string, TemplateFile>();
    });
    this.#folderFault = folderFault;
    const last = this.#states;
    this.#states = new Map();
    for (const [uid, { file }] of files) {
      const known = last.get(uid);
      this.#states.set(uid, known?.file === file ? known : { ...known, uid, file, kind: "waiting" });
    }
    for (const uid of last.keys()) if (!files.has(uid)) this.#forget(uid);
    const names = [...last.values(), ...this.#states.values()].map(({ file }) => file);
    const isAffected = affectedBy(changed, new Set(names));
    for (const [uid, template] of files) {
      const isNew = last.get(uid)?.file !== template.file;
      if (isNew || isAffected(template.file)) this.#enqueue(template, quickLimitMs);
    }
    // A changed file is checked before the modules that may import it.
    const isFirst = ({ template: { file } }: Check) => Number(changed?.has(file) ?? false);
    this.#queue.sort((one, other) => isFirst(other) - isFirst(one));
    if (this.#selected !== undefined) this.#runNow(this.#selected);
    this.#run();
  }

  /** Checks a template before all others, now and after changes, because the page shows it. */
  select(uid: string): void {
    this.#selected = uid;
    this.#runNow(uid);
  }

  /** Returns the TypeScript types of a template's values; `undefined` if the template is broken or missing. */
  async typesOf(uid: string): Promise<string | undefined> {
    const template = (await readTemplateFolder(this.#folder)).get(uid);
    const outcome = template && (await this.#renderers.perform({ template, wantsTypes: true }));
    return outcome?.kind === "types" ? outcome.text : undefined;
  }

  #forget(uid: string): void {
    this.#checks.get(uid)?.obsolete.abort();
    this.#checks.delete(uid);
    this.#queue = this.#queue.filter(({ template }) => template.uid !== uid);
    this.#onChange(uid);
  }

  #enqueue(template: TemplateFile, limitMs: number): void {
    this.#forget(template.uid);
    const check = { template, limitMs, obsolete: new AbortController() };
    this.#checks.set(template.uid, check);
    this.#queue.push(check);
    this.#change(check, { kind: "waiting" });
  }

  #runNow(uid: string): void {
    const check = this.#checks.get(uid);
    const place = check === undefined ? -1 : this.#queue.indexOf(check);
    if (place >= 0) for (const next of this.#queue.splice(place, 1)) void this.#perform(next);
  }

  /** Begins checks. If there are several threads, one is left to calls. */
  #run(): void {
    while (this.#running < Math.max(1, this.#renderers.maxThreads - 1)) {
      const check = this.#queue.shift();
      if (check === undefined) return;
      this.#running += 1;
      void this.#perform(check).finally(() => {
        this.#running -= 1;
        this.#run();
      });
    }
  }

  async #perform(check: Check): Promise<void> {
    const { template, limitMs } = check;
    const terms = {
      limitMs,
      signal: check.obsolete.signal,
      onBegin: () => this.#change(check, { kind: "rendering" }),
    };
    try {
      const examined = await examineTemplate(template, this.#renderers, terms, {
        onInspected: (inspected) => this.#change(check, { kind: "rendering", ...inspected }),
      });
      const { faults, isTimeout, pages } = examined;
      if (isTimeout) return this.#repeat(check);
      if (faults.length > 0) return this.#finish(check, broken(faults.map(formatFault).join("\n")));
      // Rejected values are not an error in the template: without a sample, users fill them in.
      this.#finish(check, { kind: "ready", pages });
    } catch (error) {
      this.#finish(check, broken(describeThrown(error)));
    }
  }

  /** Checks a slow template once more, after all others. */
  #repeat(check: Check): void {
    if (check.limitMs === sampleLimitMs) return this.#finish(check, broken(tooSlow));
    if (this.#isCurrent(check)) this.#enqueue(check.template, sampleLimitMs);
    this.#run();
  }

  #finish(check: Check, progress: Progress): void {
    if (!this.#isCurrent(check)) return;
    this.#checks.delete(check.template.uid);
    this.#change(check, progress);
  }

  #change(check: Check, progress: Progress): void {
    const { uid, file } = check.template;
    const { sample, schema, pages } = this.#states.get(uid) ?? {};
    const isObsolete = check.obsolete.signal.aborted;
    if (isObsolete) return;
    this.#states.set(uid, { uid, file, sample, schema, pages, ...progress });
    this.#onChange(uid);
  }

  #isCurrent(check: Check): boolean {
    return this.#checks.get(check.template.uid) === check;
  }
}

type Progress = Partial<TemplateFacts> &
  (
    | { readonly kind: "waiting" | "rendering" | "ready" }
    | { readonly kind: "broken"; readonly fault: string }
  );

const tooSlow = `Its sample takes longer than ${sampleLimitMs / 1_000} seconds to render.`;

function broken(fault: string): Progress {
  return { kind: "broken", fault };
}

/**
 * Decides which templates a change may affect. Modules can import any file. JSON templates use only their own file, and images
 * and fonts, which are not templates.
 */
function affectedBy(
  changed: ReadonlySet<string> | undefined,
  templates: ReadonlySet<string>,
): (file: string) => boolean {
  if (changed === undefined) return () => true;
  const files = [...changed].filter((path) => !temporary.test(basename(path)));
  const isShared = files.some((file) => !templates.has(file));
  return (file) => files.length > 0 && (isShared || changed.has(file) || !file.endsWith(".json"));
}
