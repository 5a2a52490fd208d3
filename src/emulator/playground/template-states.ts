import { type FSWatcher, watch } from "node:fs";
import type { Outcome } from "../renderer/protocol.ts";
import type { Renderers } from "../renderers.ts";
import { readTemplateFolder, type TemplateFile } from "../template-folder.ts";
import { countPages } from "./count-pages.ts";

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

/** How long the sample of a template may take: the threads are there for calls, too. */
const defaultSampleLimitMs = 5_000;

/** An editor writes a file in several steps, each of which is noticed. */
const settlingMs = 50;

/** The templates of a folder as they are, which are inspected again when a file is saved. */
export class TemplateStates {
  readonly #folder: string;
  readonly #renderers: Renderers;
  readonly #sampleLimitMs: number;
  #states = new Map<string, TemplateState>();
  #watcher: FSWatcher | undefined;
  #settling: NodeJS.Timeout | undefined;
  /** The latest inspection: an earlier one that ends later must not win. */
  #inspections = 0;

  constructor(folder: string, renderers: Renderers, sampleLimitMs = defaultSampleLimitMs) {
    this.#folder = folder;
    this.#renderers = renderers;
    this.#sampleLimitMs = sampleLimitMs;
  }

  get all(): readonly TemplateState[] {
    return [...this.#states.values()];
  }

  /** Inspects every template, and renders its sample. @returns whether no later inspection has begun meanwhile */
  async inspect(): Promise<boolean> {
    this.#inspections += 1;
    const inspection = this.#inspections;
    const files = await readTemplateFolder(this.#folder).catch(() => new Map<string, TemplateFile>());
    const known = [...files.values()].map(
      ({ uid, file }) => [uid, { sample: {}, ...this.#states.get(uid), uid, file }] as const,
    );
    this.#states = new Map(known);
    await Promise.all(
      [...files.values()].map(async (template) => {
        const state = await this.#stateOf(template);
        if (inspection === this.#inspections) this.#states.set(template.uid, state);
      }),
    );
    return inspection === this.#inspections;
  }

  async #stateOf(template: TemplateFile): Promise<TemplateState> {
    const { uid, file, duplicate } = template;
    const { sample = {}, schema } = this.#states.get(uid) ?? {};
    const last = { uid, file, sample, schema };
    if (duplicate !== undefined) return { ...last, fault: duplicate };
    const limit = AbortSignal.timeout(this.#sampleLimitMs);
    try {
      const found = await this.#renderers.perform({ template }, limit);
      if (found.kind !== "inspected") return { ...last, fault: faultOf(found) };
      const state = { uid, file, sample: found.sample, schema: found.schema };
      const made = await this.#renderers.perform({ template, values: found.sample }, limit);
      if (made.kind === "document")
        return { ...state, pages: countPages(Buffer.from(made.bytes).toString("latin1")) };
      // Rejected values are not an error of the template: without a sample, users fill them in.
      return made.kind === "refused" ? state : { ...state, fault: faultOf(made) };
    } catch {
      return { ...last, fault: tooSlow };
    }
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

const tooSlow = "Its sample takes too long.";

function faultOf(outcome: Outcome): string {
  return outcome.kind === "broken" ? outcome.message : tooSlow;
}
