// A rendering thread: loads templates, fills them with values, and lays out documents, one at a time. It is a separate thread,
// because changed modules need a new one, and because a layout cannot be interrupted.
import { EventEmitter } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { describeThrown, isInstance } from "../../errors/foreign-values.ts";
import type { JsonPath } from "../../json/json-value.ts";
import { withoutValues } from "../../service/without-values.ts";
import type { TemplateFile } from "../template-folder.ts";
import { checkDefinition, checkElement, type DefinitionMistake } from "./check-definition.ts";
import { findExcess, TooLarge } from "./definition-size.ts";
import { failedPathOf } from "./element-watch.ts";
import { findErrorLocation, userFrames } from "./error-location.ts";
import { parseJsonTemplate } from "./json/json-template.ts";
import { LoadedModules } from "./loaded-modules.ts";
import { locateInModule } from "./module-position.ts";
import { loadModuleTemplate } from "./module-template.ts";
import { loadRenderer } from "./pdfmake.ts";
import type { Message, Outcome, RendererSetup, Report, Task } from "./protocol.ts";
import { type SourcePosition, type Template, TemplateMistake } from "./template.ts";
import { FaultyTemplate, type TemplateFault } from "./template-fault.ts";
import { pathOfUsed, readUserFile, type Version, versionOf } from "./user-file.ts";

const port = parentPort;
if (port === null) throw new Error("This file runs only in a thread of the emulator.");

// pdfmake adds a listener for each level of nested elements. Node would print a warning about values that are nested ten levels deep.
EventEmitter.defaultMaxListeners = 0;

const modules = new LoadedModules();
/** Keyed by path. Changed JSON files are read again; modules are not. */
const templates = new Map<string, LoadedTemplate>();

interface LoadedTemplate {
  /** The states of the files of a JSON template. */
  readonly versions: ReadonlyMap<string, Version>;
  readonly template: Template;
}

let isAbandoned = false;

// Errors of pdfmake or the folders end the thread, and are reported to its owner.
const setup = workerData as RendererSetup;
const { maxNodes = Number.POSITIVE_INFINITY } = setup;
const render = loadRenderer(setup);
port.on("message", (message: Message) => {
  if (message === "abandon") isAbandoned = true;
  else void perform(message).then(report);
});
port.postMessage("ready" satisfies Report);

function report(outcome: Outcome): void {
  // The bytes of a document are transferred, not copied.
  port?.postMessage(outcome, outcome.kind === "document" ? [outcome.bytes.buffer] : []);
}

async function perform({ template: file, values, wantsTypes }: Task): Promise<Outcome> {
  isAbandoned = false;
  if (modules.haveChanged()) return { kind: "stale", isSpent: true };
  // The current stage, which determines the kind of error.
  let stage: "load" | "fill" | "render" = "load";
  try {
    const template = await load(file);
    if (wantsTypes) {
      const { typesOf } = await import("./types-of-template.ts");
      return { kind: "types", text: typesOf(template, file) };
    }
    if (values === undefined) return { kind: "inspected", sample: template.sample, schema: template.schema };
    stage = "fill";
    const filled = await template.fill(values, maxNodes);
    if (filled.issues) return { kind: "refused", issues: filled.issues };
    const { definition } = filled;
    const excess = findExcess(definition, maxNodes);
    if (excess !== undefined) return tooLarge(excess);
    const options = { isTemplate: false, isStrict: !template.hasFunctions };
    refuse(checkDefinition(definition, options), template, values);
    if (isAbandoned) return { kind: "abandoned" };
    stage = "render";
    const rendered = await render(definition, (element, name) => {
      refuse(checkElement(element, definition, [name], options), template, values);
    });
    return { kind: "document", ...rendered };
  } catch (error) {
    if (isInstance(error, TooLarge)) return tooLarge(error.message);
    const hide = stage === "load" ? String : withoutValues(values);
    // Some errors occur after the layout, and have no element.
    const path = failedPathOf(error) ?? [];
    const part =
      stage === "render" ? templates.get(file.path)?.template.locate(path, values ?? {}) : undefined;
    const faults = await describe(error, file, hide, stage === "render", part);
    const frames = userFrames(error).map(({ text }) => text);
    // Some imports of a failing module are loaded, and would not be updated.
    return { kind: "broken", faults, stack: frames.join("\n"), isSpent: stage === "load" };
  } finally {
    modules.noteRequired();
  }
}

/** The path of the export that an error refers to. */
function exportOf(error: unknown): JsonPath {
  const name = isInstance(error, TemplateMistake) ? error.exportName : undefined;
  return name === undefined ? [] : [name];
}

/** Throws the mistakes in a definition, with their positions in the source. */
function refuse(
  mistakes: readonly DefinitionMistake[],
  template: Template,
  values: Record<string, unknown>,
): void {
  if (mistakes.length === 0) return;
  throw new FaultyTemplate(
    mistakes.map(({ path, message, of }) => ({ ...template.locate(path, values, of), message })),
  );
}

function tooLarge(message: string): Outcome {
  return { kind: "refused", issues: [{ path: [], message }] };
}

async function load(source: TemplateFile): Promise<Template> {
  const { path } = source;
  const known = templates.get(path);
  if (known && [...known.versions].every(([file, version]) => versionOf(file) === version))
    return known.template;
  const versions = new Map<string, Version>();
  const read = (file: string): string => {
    // Determined before the file is read, so that no change is missed.
    versions.set(file, versionOf(file));
    return readUserFile(file).toString();
  };
  const template = path.endsWith(".json")
    ? parseJsonTemplate(read(path), path, {
        read: (name) => {
          const used = pathOfUsed(setup.templates, name);
          return { path: used, text: read(used) };
        },
        checksNames: true,
      })
    : await loadModuleTemplate(source);
  templates.set(path, { versions, template });
  return template;
}

/** Describes an error with its position, without the values of the call. */
async function describe(
  error: unknown,
  { path }: TemplateFile,
  hide: (text: string) => string,
  isLayout: boolean,
  part: SourcePosition | undefined,
): Promise<readonly TemplateFault[]> {
  if (isInstance(error, FaultyTemplate)) return error.faults;
  const { path: found, line, column } = await findErrorLocation(error, path, modules.paths());
  const known = { file: found, line, column, part: "" };
  const inModule = () => locateInModule(path, exportOf(error));
  const guessed = () => part ?? (path.endsWith(".json") ? known : { ...inModule(), part: "" });
  const at = line === undefined ? guessed() : known;
  if (isInstance(error, TemplateMistake)) {
    const about = error.about === undefined ? "" : ` (${hide(error.about)})`;
    return [{ ...at, message: `${error.message}${about}` }];
  }
  const isOfPdfmake = isLayout && userFrames(error).length === 0;
  const reason = hide(describeThrown(error));
  return [{ ...at, message: isOfPdfmake ? `pdfmake cannot lay out its definition: ${reason}` : reason }];
}
