import { withoutPrototype } from "../runtime/own-options.ts";
import type { Order } from "../service/endpoint.ts";
import { invalidValues } from "../service/invalid-values.ts";
import { isFromThisMachine } from "../service/listen.ts";
import { Problem, unknownTemplate } from "../service/problem.ts";
import type { Product } from "../service/to-response.ts";
import { formatFault, type TemplateFault } from "./renderer/template-fault.ts";
import type { Renderers } from "./renderers.ts";
import { readTemplateFolder, type TemplateFile } from "./template-folder.ts";

/** A template that the emulator found at startup. */
export interface FoundTemplate {
  /** The uid of the template. */
  readonly uid: string;
  /** The file name. */
  readonly file: string;
  /** The sample values from the file. If the file has none, they are generated from its placeholders. */
  readonly sample: Record<string, unknown>;
}

/** A template could not generate a document. The message contains the file and, if they are known, the line and the column. */
export class TemplateError extends Error {
  /** The name of this class. */
  override readonly name = "TemplateError";
  /** The path of the template file. */
  readonly file: string;
  /** The reasons, with their positions. They contain no values from the call. */
  readonly faults: readonly TemplateFault[];

  /**
   * @param file - the path of the template file
   * @param faults - at least one reason
   * @param frames - the frames of user code, which replace the stack
   */
  constructor(file: string, faults: readonly TemplateFault[], frames: string) {
    const message = faults.map(formatFault).join("\n");
    super(message);
    this.file = file;
    this.faults = faults;
    this.stack = [`TemplateError: ${message}`, frames].filter(Boolean).join("\n");
  }
}

/** Loads every template once, so that errors are reported at startup. */
export async function inspectTemplates(
  files: Iterable<TemplateFile>,
  renderers: Renderers,
): Promise<FoundTemplate[]> {
  await renderers.prepare();
  const found: FoundTemplate[] = [];
  const wrong: TemplateError[] = [];
  for (const template of files) {
    const { uid, file, path, duplicate } = template;
    if (duplicate !== undefined) wrong.push(duplicateError(path, duplicate));
    const outcome = await renderers.perform({ template });
    if (outcome.kind === "inspected") found.push({ uid, file, sample: outcome.sample });
    if (outcome.kind === "broken") wrong.push(new TemplateError(path, outcome.faults, outcome.stack));
  }
  const [first] = wrong;
  if (first) throw wrong.length === 1 ? first : new Error(wrong.map(({ message }) => message).join("\n"));
  return found;
}

/** How the document for a call is generated. */
interface Rendering {
  readonly folder: string;
  readonly renderers: Renderers;
  /** See `EmulatorOptions`. */
  readonly strict: boolean;
  /** Called when the document is no longer waiting for a thread. */
  readonly onBegin?: (() => void) | undefined;
}

/**
 * Generates the document for a call from the current template files.
 *
 * @throws {Problem} to refuse the call
 */
export async function renderOrder(order: Order, rendering: Rendering): Promise<Product> {
  const { folder, renderers, strict, onBegin } = withoutPrototype(rendering);
  const { uid, values, request, signal } = order;
  // The endpoint can be mounted anywhere. This one is at the root, so a prefix is a mistake.
  const { pathname } = new URL(request.url);
  const prefix = pathname.slice(0, pathname.lastIndexOf("/api/v1/templates/"));
  if (prefix !== "") {
    const why =
      prefix === "/api/v1" ? "because the client adds it" : "because the emulator has no path prefix";
    throw new Problem(
      404,
      `This path does not exist. Remove ${prefix.slice(0, 100)} from \`baseUrl\`, ${why}.`,
    );
  }
  const templates = await readTemplateFolder(folder);
  const template = templates.get(uid.normalize());
  if (template === undefined) {
    const found = [...templates.keys()].join(", ") || "none";
    throw unknownTemplate(uid, `This emulator has these templates: ${found}.`);
  }
  const { file, path, duplicate } = template;
  if (duplicate !== undefined) throw atFault(uid, duplicateError(path, duplicate), request);
  const outcome = await renderers.perform({ template, values }, { signal, onBegin });
  if (outcome.kind === "document") {
    const { bytes, warnings } = outcome;
    if (warnings.length === 0) return { bytes };
    if (!strict) {
      warningsOfCalls.set(request, warnings.join("; "));
      return { bytes };
    }
    const issues = warnings.map((message) => ({ path: [], message }));
    throw invalidValues(template.uid, issues, { checkedBy: file });
  }
  if (outcome.kind === "refused") throw invalidValues(template.uid, outcome.issues, { checkedBy: file });
  if (outcome.kind === "broken")
    throw atFault(uid, new TemplateError(path, outcome.faults, outcome.stack), request);
  // The caller has disconnected.
  throw signal.reason;
}

function duplicateError(path: string, message: string): TemplateError {
  return new TemplateError(path, [{ file: path, part: "", message }], "");
}

const warningsOfCalls = new WeakMap<Request, string>();

/** Returns the warning about the document for a call, if any. */
export function warningOf(request: Request): string | undefined {
  return warningsOfCalls.get(request);
}

/**
 * Only callers on this machine receive the reason, because it may contain paths, and data that the template read. The problem type
 * tells the client not to retry.
 */
function atFault(uid: string, cause: TemplateError, request: Request): Problem {
  const what = `The template ${JSON.stringify(uid)} cannot be rendered`;
  const detail = isFromThisMachine(request)
    ? `${what}: ${cause.faults.map(formatFault).join("; ")}`
    : `${what}. For the position and the reason, see the emulator's terminal or \`onError\`.`;
  return new Problem(500, detail, { kind: "template-broken", cause });
}
