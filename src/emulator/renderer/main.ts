// A rendering thread: loads templates, fills them with values, and lays out documents, one at a time. It is a separate thread,
// because changed modules need a new one, and because a layout cannot be interrupted.
import { EventEmitter } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { describeThrown, isInstance } from "../../errors/foreign-values.ts";
import { withoutValues } from "../../service/without-values.ts";
import type { TemplateFile } from "../template-folder.ts";
import { findExcess, TooLarge } from "./definition-size.ts";
import { findErrorLocation, userFrames } from "./error-location.ts";
import { parseJsonTemplate } from "./json/json-template.ts";
import { LoadedModules } from "./loaded-modules.ts";
import { loadModuleTemplate } from "./module-template.ts";
import { loadRenderer } from "./pdfmake.ts";
import type { Message, Outcome, RendererSetup, Report, Task } from "./protocol.ts";
import { type Template, TemplateMistake } from "./template.ts";
import { readUserFile, type Version, versionOf } from "./user-file.ts";

const port = parentPort;
if (port === null) throw new Error("This file runs only in a thread of the emulator.");

// pdfmake adds a listener for each level of nested elements. Node would print a warning about values that are nested ten levels deep.
EventEmitter.defaultMaxListeners = 0;

const modules = new LoadedModules();
/** Keyed by path. Changed JSON files are read again; modules are not. */
const templates = new Map<string, { readonly version: Version; readonly template: Template }>();

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
    const excess = findExcess(filled.definition, maxNodes);
    if (excess !== undefined) return tooLarge(excess);
    if (isAbandoned) return { kind: "abandoned" };
    stage = "render";
    return { kind: "document", ...(await render(filled.definition)) };
  } catch (error) {
    if (isInstance(error, TooLarge)) return tooLarge(error.message);
    const hide = stage === "load" ? String : withoutValues(values);
    const message = await describe(error, file, hide, stage === "render");
    const frames = userFrames(error).map(({ text }) => text);
    // Some imports of a failing module are loaded, and would not be updated.
    return { kind: "broken", message, stack: frames.join("\n"), isSpent: stage === "load" };
  } finally {
    modules.noteRequired();
  }
}

function tooLarge(message: string): Outcome {
  return { kind: "refused", issues: [{ path: [], message }] };
}

async function load(source: TemplateFile): Promise<Template> {
  const { file, path } = source;
  const isModule = !path.endsWith(".json");
  // Determined before the file is read, so that no change is missed.
  const version = isModule ? "once" : versionOf(path);
  const known = templates.get(path);
  if (known && known.version === version) return known.template;
  const template = isModule
    ? await loadModuleTemplate(source)
    : parseJsonTemplate(readUserFile(path).toString(), file);
  templates.set(path, { version, template });
  return template;
}

/** Describes an error with its position, without the values of the call. */
async function describe(
  error: unknown,
  { file, path }: TemplateFile,
  hide: (text: string) => string,
  isLayout: boolean,
): Promise<string> {
  const place = await findErrorLocation(error, path, modules.paths());
  if (isInstance(error, TemplateMistake)) {
    const about = error.about === undefined ? "" : ` (${hide(error.about)})`;
    // The error for a JSON file already contains the position.
    const isPlaced = error.message.startsWith(file);
    return `${place}${isPlaced ? error.message.slice(file.length) : `: ${error.message}`}${about}`;
  }
  const isOfPdfmake = isLayout && userFrames(error).length === 0;
  return `${place}: ${isOfPdfmake ? "pdfmake cannot lay out its definition: " : ""}${hide(describeThrown(error))}`;
}
