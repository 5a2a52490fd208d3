import type { Outcome } from "../renderer/protocol.ts";
import type { Renderers } from "../renderers.ts";
import { readTemplateFolder, type TemplateFile } from "../template-folder.ts";
import { countPages } from "./count-pages.ts";

/** The current state of a template. */
export interface TemplateState {
  readonly uid: string;
  /** The file name. */
  readonly file: string;
  /** Sample values; for a broken template, the last known ones. */
  readonly sample: Record<string, unknown>;
  /** The JSON Schema for the template's values, if the template has one. */
  readonly schema?: object | undefined;
  /** The page count of the rendered sample. */
  readonly pages?: number | undefined;
  /** The error in the template, with file, line and column. */
  readonly fault?: string | undefined;
}

/** The timeout for rendering a sample, because calls also need the threads. */
const sampleLimitMs = 5_000;

/** The current templates in a folder, which are inspected again when a file is saved. */
export class TemplateStates {
  readonly #folder: string;
  readonly #renderers: Renderers;
  #states = new Map<string, TemplateState>();
  /** The latest inspection. Results of earlier inspections that finish later are discarded. */
  #inspections = 0;

  constructor(folder: string, renderers: Renderers) {
    this.#folder = folder;
    this.#renderers = renderers;
  }

  get all(): readonly TemplateState[] {
    return [...this.#states.values()];
  }

  /** Inspects every template and renders its sample. @returns `false` if a later inspection has started in the meantime */
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
    const limit = AbortSignal.timeout(sampleLimitMs);
    try {
      const found = await this.#renderers.perform({ template }, limit);
      if (found.kind !== "inspected") return { ...last, fault: faultOf(found) };
      const state = { uid, file, sample: found.sample, schema: found.schema };
      const made = await this.#renderers.perform({ template, values: found.sample }, limit);
      if (made.kind === "document")
        return { ...state, pages: countPages(Buffer.from(made.bytes).toString("latin1")) };
      // Rejected values are not an error in the template: without a sample, users fill them in.
      return made.kind === "refused" ? state : { ...state, fault: faultOf(made) };
    } catch {
      return { ...last, fault: tooSlow };
    }
  }

  /** Returns the TypeScript types of a template's values; `undefined` if the template is broken or missing. */
  async typesOf(uid: string): Promise<string | undefined> {
    const template = (await readTemplateFolder(this.#folder)).get(uid);
    const outcome = template && (await this.#renderers.perform({ template, wantsTypes: true }));
    return outcome?.kind === "types" ? outcome.text : undefined;
  }
}

const tooSlow = "Its sample takes too long to render.";

function faultOf(outcome: Outcome): string {
  return outcome.kind === "broken" ? outcome.message : tooSlow;
}
