import { examineTemplate } from "../examine-template.ts";
import { formatFault } from "../renderer/template-fault.ts";
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
    const { uid, file } = template;
    const { sample: last = {}, schema: lastSchema } = this.#states.get(uid) ?? {};
    try {
      const examined = await examineTemplate(template, this.#renderers, AbortSignal.timeout(sampleLimitMs));
      const { faults, sample = last, schema, bytes } = examined;
      const state = { uid, file, sample, schema: examined.sample ? schema : lastSchema };
      if (bytes) return { ...state, pages: countPages(Buffer.from(bytes).toString("latin1")) };
      // Rejected values are not an error in the template: without a sample, users fill them in.
      return faults.length === 0 ? state : { ...state, fault: faults.map(formatFault).join("\n") };
    } catch {
      return { uid, file, sample: last, schema: lastSchema, fault: tooSlow };
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
