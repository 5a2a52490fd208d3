import { extname, relative } from "node:path";
import { isWithin, realPathOf } from "../bulk/folder/document-paths.ts";
import { type ExaminedTemplate, examineTemplate } from "../emulator/examine-template.ts";
import type { Emulator } from "../emulator/index.ts";
import type { EmulatorOptions } from "../emulator/options.ts";
import { TemplateWatcher } from "../emulator/playground/template-watcher.ts";
import { formatFault } from "../emulator/renderer/template-fault.ts";
import type { Renderers } from "../emulator/renderers.ts";
import { openEmulator } from "../emulator/start.ts";
import { readTemplateFolder, type TemplateFile } from "../emulator/template-folder.ts";
import { describeThrown } from "../errors/foreign-values.ts";
import { readSmallFile } from "../files/read-file.ts";
import { SharedTurns } from "../runtime/shared-turns.ts";
import { formatIssue } from "../service/invalid-values.ts";
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

/** The time for each step of checking a template: a template that never ends must not keep the others waiting. */
const checkLimitMs = 20_000;

/** A template of the emulator, and what is wrong with it. */
export interface CheckedTemplate {
  readonly uid: string;
  readonly file: string;
  readonly pages?: number;
  readonly problems: readonly Problem[];
}

/** A fault of a template. The file is relative to the template folder. */
interface Problem {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** The whole problem in one line, which begins with the position: `invoice.json:3:7, content[0]: …`. */
  readonly message: string;
}

/** An emulator in this process, and its templates. They may be broken or missing, because they are being written. */
export class EmulatedTemplates implements TemplateSource {
  readonly listeners = new Set<() => void>();
  /** The templates that were read at least once. */
  templates: readonly KnownTemplate[] = [];
  /** The templates at their last inspection. */
  checked: readonly CheckedTemplate[] = [];
  readonly folder: string;
  readonly emulator: Emulator;
  readonly #renderers: Renderers;
  /** What the emulator reported about its responses, by request id. */
  readonly #remarks: Map<string, string>;
  readonly #inspections: SharedTurns;
  readonly #watcher: TemplateWatcher;

  private constructor(
    folder: string,
    emulator: Emulator,
    renderers: Renderers,
    remarks: Map<string, string>,
  ) {
    this.folder = folder;
    this.emulator = emulator;
    this.#renderers = renderers;
    this.#remarks = remarks;
    this.#inspections = new SharedTurns(() => this.#inspect());
    this.#watcher = new TemplateWatcher(folder);
    // The emulator may be closed meanwhile.
    this.#watcher.start(() => void this.inspect().catch(() => {}));
  }

  /** @throws {Error} if an option or the folder is invalid, or pdfmake is missing */
  static async start(
    options: Pick<EmulatorOptions, "templates" | "images" | "fonts">,
  ): Promise<EmulatedTemplates> {
    const remarks = new Map<string, string>();
    const { emulator, folder, renderers } = await openEmulator(
      {
        ...options,
        ui: false,
        onCall: ({ status, detail, requestId }) => {
          if (status === 200 && requestId && detail) remarks.set(requestId, detail);
        },
        onError: (error, _request, requestId) => remarks.set(requestId, describeThrown(error)),
      },
      async (path, threads) => {
        await readTemplateFolder(path);
        await threads.prepare();
        return [];
      },
    );
    const templates = new EmulatedTemplates(folder, emulator, renderers, remarks);
    await templates.inspect();
    return templates;
  }

  /** Reads every template and renders its sample. */
  async inspect(): Promise<readonly CheckedTemplate[]> {
    await this.#inspections.next();
    return this.checked;
  }

  async #inspect(): Promise<void> {
    const files = await readTemplateFolder(this.folder).catch(() => new Map<string, TemplateFile>());
    const examined = await Promise.all(
      [...files.values()].map(async (template) => ({
        template,
        ...(await examineTemplate(template, this.#renderers, { limitMs: checkLimitMs })),
      })),
    );
    const checked = examined.map((one) => checkedTemplate(one, this.folder));
    const known = examined.flatMap((one) => knownOf(one) ?? this.#last(one.template.uid) ?? []);
    const isSame = JSON.stringify([checked, known]) === JSON.stringify([this.checked, this.templates]);
    this.checked = checked;
    this.templates = known;
    if (!isSame) for (const listener of this.listeners) listener();
  }

  /** What was known about a template before it was broken. */
  #last(uid: string): KnownTemplate | undefined {
    return this.templates.find((each) => each.uid === uid);
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

interface Examined extends ExaminedTemplate {
  readonly template: TemplateFile;
}

/** Returns nothing for a template that cannot be read. */
function knownOf({ template, sample, schema }: Examined): KnownTemplate | undefined {
  if (sample === undefined) return undefined;
  const { uid, file } = template;
  try {
    return knownTemplate(uid, schema ?? schemaOfSample(sample), file);
  } catch {
    // A library may convert its schema to something else. The emulator checks the values in any case.
    return { uid, schema, check: () => [] };
  }
}

function schemaOfSample(sample: Record<string, unknown>): object {
  const samples = new Samples();
  samples.add(sample);
  // A template may use a value with `{{note?}}`. The emulator refuses calls without a value that is needed.
  return schemaOfShape(samples.shape(), { allowsMissing: true });
}

function checkedTemplate(
  { template, faults, issues = [], pages }: Examined,
  folder: string,
): CheckedTemplate {
  const { uid, file } = template;
  const problems = faults.map((fault) => {
    const at = relative(folder, fault.file);
    return { file: at, line: fault.line, column: fault.column, message: formatFault({ ...fault, file: at }) };
  });
  const refusals = issues.map(({ path, message }) => ({
    file,
    message: `${file}: its sample is refused: ${formatIssue({ path, message })}`,
  }));
  return { uid, file, ...(pages !== undefined && { pages }), problems: [...problems, ...refusals] };
}
