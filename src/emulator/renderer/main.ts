// One rendering thread: loads templates, fills them with values, and lays out the documents, one at a time.
// A thread of its own, because a module can be loaded anew only there, and because a layout cannot be interrupted.
import { readFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { describeThrown } from "../../json/describe-thrown.ts";
import { withoutValues } from "../../service/without-values.ts";
import type { TemplateFile } from "../template-folder.ts";
import { findErrorLocation, userFrames } from "./error-location.ts";
import { parseJsonTemplate } from "./json/json-template.ts";
import { LoadedModules } from "./loaded-modules.ts";
import { loadModuleTemplate } from "./module-template.ts";
import { loadRenderer } from "./pdfmake.ts";
import type { Message, Outcome, RendererSetup, Report, Task } from "./protocol.ts";
import { type Template, TemplateMistake } from "./template.ts";
import { type Version, versionOf } from "./user-file.ts";

const port = parentPort;
if (port === null) throw new Error("This file is the inside of the emulator; it runs in a thread of it.");

const modules = new LoadedModules();
/** By path. A file of JSON that changes is read again; a module never is. */
const templates = new Map<string, { readonly version: Version; readonly template: Template }>();

let isAbandoned = false;

// What is wrong with pdfmake or the folders ends the thread, whose owner is told why.
const render = loadRenderer(workerData as RendererSetup);
port.on("message", (message: Message) => {
  if (message === "abandon") isAbandoned = true;
  else void perform(message).then(report);
});
port.postMessage("ready" satisfies Report);

function report(outcome: Outcome): void {
  // What a document weighs is handed over, not copied.
  port?.postMessage(outcome, outcome.kind === "document" ? [outcome.bytes.buffer] : []);
}

async function perform({ template: file, values, wantsTypes }: Task): Promise<Outcome> {
  isAbandoned = false;
  if (modules.haveChanged()) return { kind: "stale", isSpent: true };
  // How far it has come, which tells who is to blame.
  let stage: "load" | "fill" | "render" = "load";
  try {
    const template = await load(file);
    if (wantsTypes) {
      const { typesOf } = await import("./types-of-template.ts");
      return { kind: "types", text: typesOf(template, file) };
    }
    if (values === undefined) return { kind: "inspected", sample: template.sample, schema: template.schema };
    stage = "fill";
    const filled = await template.fill(values);
    if (filled.issues) return { kind: "refused", issues: filled.issues };
    if (isAbandoned) return { kind: "abandoned" };
    stage = "render";
    return { kind: "document", ...(await render(filled.definition)) };
  } catch (error) {
    const hide = stage === "load" ? String : withoutValues(values);
    const message = await describe(error, file, hide, stage === "render");
    const frames = userFrames(error).map(({ text }) => text);
    // Half of what a failing module imports is loaded, and would stay as it is.
    return { kind: "broken", message, stack: frames.join("\n"), isSpent: stage === "load" };
  } finally {
    modules.noteRequired();
  }
}

async function load(source: TemplateFile): Promise<Template> {
  const { file, path } = source;
  const isModule = !path.endsWith(".json");
  // Before it is read: a change in between must not go unseen.
  const version = isModule ? "once" : versionOf(path);
  const known = templates.get(path);
  if (known && known.version === version) return known.template;
  const template = isModule
    ? await loadModuleTemplate(source)
    : parseJsonTemplate(await readFile(path, "utf8"), file);
  templates.set(path, { version, template });
  return template;
}

/** Says where an error began, and what it says, without the values of the call. */
async function describe(
  error: unknown,
  { file, path }: TemplateFile,
  hide: (text: string) => string,
  isLayout: boolean,
): Promise<string> {
  const place = await findErrorLocation(error, path, modules.paths());
  if (error instanceof TemplateMistake) {
    const about = error.about === undefined ? "" : ` (${hide(error.about)})`;
    // The mistake of a file of JSON tells the place in it.
    const isPlaced = error.message.startsWith(file);
    return `${place}${isPlaced ? error.message.slice(file.length) : `: ${error.message}`}${about}`;
  }
  const isOfPdfmake = isLayout && userFrames(error).length === 0;
  return `${place}: ${isOfPdfmake ? "pdfmake cannot lay out its definition: " : ""}${hide(describeThrown(error))}`;
}
