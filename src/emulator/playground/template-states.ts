import { type FSWatcher, watch } from "node:fs";
import type { Renderers } from "../renderers.ts";
import { readTemplateFolder, type TemplateFile } from "../template-folder.ts";

/** How a template is now. */
export interface TemplateState {
  readonly uid: string;
  /** The name of its file. */
  readonly file: string;
  /** Values to try it with; of a broken template those that it had last. */
  readonly sample: Record<string, unknown>;
  /** The JSON Schema of its values, if it has one. */
  readonly schema?: object | undefined;
  /** How many pages its sample makes. */
  readonly pages?: number | undefined;
  /** What is wrong with it, with its file, line and column. */
  readonly fault?: string | undefined;
}

/** An editor writes a file in several steps, each of which is noticed. */
const settlingMs = 50;

/** The templates of a folder as they are, which are inspected again when a file is saved. */
export class TemplateStates {
  readonly #folder: string;
  readonly #renderers: Renderers;
  #states = new Map<string, TemplateState>();
  #watcher: FSWatcher | undefined;
  #settling: NodeJS.Timeout | undefined;
  /** The latest inspection: an earlier one that ends later must not win. */
  #inspections = 0;

  constructor(folder: string, renderers: Renderers) {
    this.#folder = folder;
    this.#renderers = renderers;
  }

  get all(): readonly TemplateState[] {
    return [...this.#states.values()];
  }

  /** Inspects every template, and renders its sample. @returns whether no later call has begun meanwhile */
  async inspect(): Promise<boolean> {
    this.#inspections += 1;
    const inspection = this.#inspections;
    const states = new Map<string, TemplateState>();
    const files = await readTemplateFolder(this.#folder).catch(() => new Map<string, TemplateFile>());
    for (const template of files.values()) states.set(template.uid, await this.#stateOf(template));
    if (inspection !== this.#inspections) return false;
    this.#states = states;
    return true;
  }

  async #stateOf(template: TemplateFile): Promise<TemplateState> {
    const { uid, file, duplicate } = template;
    const { sample, schema } = this.#states.get(uid) ?? { sample: {} };
    const last = { uid, file, sample, schema };
    if (duplicate !== undefined) return { ...last, fault: duplicate };
    const found = await this.#renderers.perform({ template });
    if (found.kind !== "inspected")
      return { ...last, fault: "message" in found ? found.message : found.kind };
    const state = { uid, file, sample: found.sample, schema: found.schema };
    const made = await this.#renderers.perform({ template, values: found.sample });
    if (made.kind === "document") return { ...state, pages: pagesOf(made.bytes) };
    if (made.kind === "broken") return { ...state, fault: made.message };
    // Whoever sees a template without a sample fills in the values.
    return state;
  }

  /** Writes the TypeScript types of a template's values; `undefined` if it is broken or not there. */
  async typesOf(uid: string): Promise<string | undefined> {
    const template = (await readTemplateFolder(this.#folder)).get(uid);
    const outcome = template && (await this.#renderers.perform({ template, wantsTypes: true }));
    return outcome?.kind === "types" ? outcome.text : undefined;
  }

  /** @param onSaved - called after a file of the folder, or below it, was changed */
  watch(onSaved: () => void): void {
    if (this.#watcher) return;
    try {
      this.#watcher = watch(this.#folder, { recursive: true }, () => {
        clearTimeout(this.#settling);
        this.#settling = setTimeout(onSaved, settlingMs);
      });
      // A folder that is removed; its templates are gone with the next inspection.
      this.#watcher.on("error", () => this.close());
    } catch {
      // A system without enough watches: the page has a button that inspects.
    }
  }

  close(): void {
    clearTimeout(this.#settling);
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}

/** How many pages a document has: pdfmake writes its page objects as plain text. */
function pagesOf(bytes: Uint8Array): number {
  return (
    Buffer.from(bytes)
      .toString("latin1")
      .match(/\/Type \/Page\b(?!s)/g)?.length ?? 0
  );
}
