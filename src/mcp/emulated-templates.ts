import { extname } from "node:path";
import { isWithin, realPathOf } from "../bulk/folder/document-paths.ts";
import type { Emulator } from "../emulator/index.ts";
import type { EmulatorOptions } from "../emulator/options.ts";
import { type TemplateState, TemplateStates } from "../emulator/playground/template-states.ts";
import { TemplateWatcher } from "../emulator/playground/template-watcher.ts";
import { openEmulator } from "../emulator/start.ts";
import { readTemplateFolder } from "../emulator/template-folder.ts";
import { describeThrown } from "../errors/foreign-values.ts";
import { readSmallFile } from "../files/read-file.ts";
import { SharedTurns } from "../runtime/shared-turns.ts";
import { schemaOfShape } from "../template-types/json-schema/schema-of-shape.ts";
import { Samples } from "../template-types/samples.ts";
import { type KnownTemplate, knownTemplate, type TemplateSource } from "./tools.ts";

/** The maximum size of a template that the server shows, in bytes. */
const maxSourceBytes = 1024 * 1024;

const mimeTypes: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".ts": "text/x-typescript",
};

/** A template of the emulator, and what is wrong with it. */
export type CheckedTemplate = ReturnType<typeof checkedTemplate>;

/** An emulator in this process, and its templates. They may be broken or missing, because they are being written. */
export class EmulatedTemplates implements TemplateSource {
  readonly listeners = new Set<() => void>();
  /** The templates that were read at least once. */
  templates: readonly KnownTemplate[];
  readonly folder: string;
  readonly emulator: Emulator;
  readonly #states: TemplateStates;
  /** What the emulator reported about its responses, by request id. */
  readonly #remarks: Map<string, string>;
  readonly #inspections: SharedTurns;
  readonly #watcher: TemplateWatcher;

  private constructor(
    folder: string,
    emulator: Emulator,
    states: TemplateStates,
    remarks: Map<string, string>,
  ) {
    this.folder = folder;
    this.emulator = emulator;
    this.#states = states;
    this.#remarks = remarks;
    this.templates = templatesOf(states);
    this.#inspections = new SharedTurns(() => this.#inspect());
    this.#watcher = new TemplateWatcher(folder);
    this.#watcher.start(() => void this.inspect());
  }

  /** @throws {Error} if an option or the folder is invalid, or pdfmake is missing */
  static async start(
    options: Pick<EmulatorOptions, "templates" | "images" | "fonts">,
  ): Promise<EmulatedTemplates> {
    const remarks = new Map<string, string>();
    let found: readonly [folder: string, states: TemplateStates] | undefined;
    const emulator = await openEmulator(
      {
        ...options,
        ui: false,
        onCall: ({ status, detail, requestId }) => {
          if (status === 200 && requestId && detail) remarks.set(requestId, detail);
        },
        onError: (error, _request, requestId) => remarks.set(requestId, describeThrown(error)),
      },
      async (folder, renderers) => {
        const states = new TemplateStates(folder, renderers);
        found = [folder, states];
        await readTemplateFolder(folder);
        await states.inspect();
        return [];
      },
    );
    const [folder, states] = found as NonNullable<typeof found>;
    return new EmulatedTemplates(folder, emulator, states, remarks);
  }

  /** Reads every template and renders its sample. */
  async inspect(): Promise<readonly CheckedTemplate[]> {
    await this.#inspections.next();
    return this.checked;
  }

  async #inspect(): Promise<void> {
    const before = JSON.stringify(this.#states.all);
    await this.#states.inspect();
    if (JSON.stringify(this.#states.all) === before) return;
    this.templates = templatesOf(this.#states);
    for (const listener of this.listeners) listener();
  }

  /** The templates at their last inspection. */
  get checked(): readonly CheckedTemplate[] {
    return this.#states.all.map(checkedTemplate);
  }

  /** Returns the text of a template; `undefined` if there is none. @throws {Error} if it cannot be read */
  async read(uid: string): Promise<{ readonly mimeType: string; readonly text: string } | undefined> {
    const template = (await readTemplateFolder(this.folder)).get(uid);
    if (template === undefined) return undefined;
    const { file, path } = template;
    if (!isWithin(realPathOf(path), realPathOf(this.folder))) {
      throw new Error(`${file} is a link to a file outside of the template folder.`);
    }
    const text = (await readSmallFile(path, maxSourceBytes)).toString();
    return { mimeType: mimeTypeOf(file), text };
  }

  /** Returns, once, why a template failed, or a warning about its document. */
  remarkOn(requestId = ""): string | undefined {
    const remark = this.#remarks.get(requestId);
    this.#remarks.delete(requestId);
    return remark;
  }

  async close(): Promise<void> {
    this.#watcher.close();
    await this.emulator.close();
  }
}

export function mimeTypeOf(file: string): string {
  return mimeTypes[extname(file)] ?? "text/plain";
}

function templatesOf(states: TemplateStates): KnownTemplate[] {
  return states.all.filter(isKnown).map(({ uid, file, schema, sample }) => {
    try {
      return knownTemplate(uid, schema ?? schemaOfSample(sample), file);
    } catch {
      // A library may convert its schema to something else. The emulator checks the values in any case.
      return { uid, schema, check: () => [] };
    }
  });
}

/** A template without a known schema or sample was never read. */
function isKnown({ fault, schema, sample }: TemplateState): boolean {
  return fault === undefined || schema !== undefined || Object.keys(sample).length > 0;
}

function schemaOfSample(sample: Record<string, unknown>): object {
  const samples = new Samples();
  samples.add(sample);
  // A template may use a value with `{{note?}}`. The emulator refuses calls without a value that is needed.
  return schemaOfShape(samples.shape(), { allowsMissing: true });
}

function checkedTemplate({ uid, file, pages, fault }: TemplateState) {
  return {
    uid,
    file,
    ...(pages !== undefined && { pages }),
    ...(fault !== undefined && { problem: problemOf(fault) }),
  };
}

/** The emulator reports a problem as one line, which begins with the location: `invoice.json:3:7: …`. */
function problemOf(message: string) {
  const [, file, line, column] = /^([^:\n]+):(\d+)(?::(\d+))?/.exec(message) ?? [];
  if (file === undefined) return { message };
  return { message, file, line: Number(line), ...(column !== undefined && { column: Number(column) }) };
}
