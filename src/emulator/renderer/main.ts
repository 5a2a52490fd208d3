// One rendering thread: loads templates, fills them with values, and lays out the documents, one at a time.
// A thread of its own, because a module can be loaded anew only there, and because a layout cannot be interrupted.
import { parentPort, workerData } from "node:worker_threads";
import { withoutValues } from "../../server/without-values.ts";
import { blame, framesOf } from "./blame.ts";
import { LoadedModules } from "./loaded-modules.ts";
import type { Template } from "./module-template.ts";
import { loadRenderer, type Render } from "./pdfmake.ts";
import type { Message, Outcome, RendererSetup, Report, Task } from "./protocol.ts";
import { TemplateMistake } from "./template-mistake.ts";
import { Templates } from "./templates.ts";

const port = parentPort;
if (port === null) throw new Error("This file is the inside of the emulator; it runs in a thread of it.");

const modules = new LoadedModules();
const templates = new Templates();

let isAbandoned = false;

function report(message: Report): void {
  // What a document weighs is handed over, not copied.
  const isDocument = message.kind === "done" && message.outcome.kind === "document";
  port?.postMessage(message, isDocument ? [message.outcome.bytes.buffer] : []);
}

try {
  const render = loadRenderer(workerData as RendererSetup);
  port.on("message", (message: Message) => {
    if (message.kind === "abandon") isAbandoned = true;
    else void perform(message, render).then(report);
  });
  report({ kind: "ready" });
} catch (error) {
  report({ kind: "unfit", message: error instanceof Error ? error.message : String(error) });
}

async function perform(task: Task, render: Render): Promise<Report> {
  isAbandoned = false;
  const { file, path } = task.template;
  const done = (outcome: Outcome, isSpent = false): Report => ({ kind: "done", outcome, isSpent });
  if (modules.haveChanged()) return done({ kind: "stale" }, true);
  let template: Template | undefined;
  try {
    template = await templates.load(task.template);
    if (task.kind === "inspect") return done({ kind: "inspected", sample: template.sample });
    const filled = await template.fill(task.values);
    if (filled.issues) return done({ kind: "refused", issues: filled.issues });
    if (isAbandoned) return done({ kind: "abandoned" });
    return done({ kind: "document", bytes: await render(filled.definition) });
  } catch (error) {
    const isLoaded = template !== undefined;
    const reason = reasonOf(error, isLoaded && task.kind === "render" ? task.values : {});
    const place = await blame(error, path, modules.paths());
    // A file of JSON that cannot be read tells the place in it.
    const message = `${place}${reason.startsWith(file) ? reason.slice(file.length) : `: ${reason}`}`;
    // Half of what a failing module imports is loaded, and would stay as it is.
    return done({ kind: "broken", message, stack: framesOf(error) }, !isLoaded);
  } finally {
    modules.noteRequired();
  }
}

/** The message of an error, without the values of the call. */
function reasonOf(error: unknown, values: Record<string, unknown>): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof TemplateMistake ? message : withoutValues(message, values);
}
