import { isDeeperThan, maxNesting, tooDeep } from "../json/json-value.ts";
import type { Order } from "../service/endpoint.ts";
import { invalidValues } from "../service/invalid-values.ts";
import { Problem, unknownTemplate } from "../service/problem.ts";
import type { Product } from "../service/to-response.ts";
import type { Renderers } from "./renderers.ts";
import { readTemplateFolder } from "./template-folder.ts";

/** A template that the emulator found at its start. */
export interface FoundTemplate {
  /** What clients ask for. */
  readonly uid: string;
  /** The name of its file. */
  readonly file: string;
  /** Values to try it with: those that the file gives, else made up from its placeholders. */
  readonly sample: Record<string, unknown>;
}

/** Why a template made no document. The message names the file and, where it is known, the line. */
export class TemplateError extends Error {
  /** The name of this class. */
  override readonly name = "TemplateError";
  /** The path of the template's file. */
  readonly file: string;

  /**
   * @param file - the path of the template's file
   * @param message - beginning with the place, and without any value of the call
   * @param frames - the part of the stack that is the user's own code, which takes the place of ours
   */
  constructor(file: string, message: string, frames: string) {
    super(message);
    this.file = file;
    this.stack = [`TemplateError: ${message}`, frames].filter(Boolean).join("\n");
  }
}

/** Loads every template once, so that what is wrong with one is told at the start. */
export async function inspectTemplates(folder: string, renderers: Renderers): Promise<FoundTemplate[]> {
  const found: FoundTemplate[] = [];
  const wrong: TemplateError[] = [];
  for (const template of (await readTemplateFolder(folder)).values()) {
    const { uid, file, path, duplicate } = template;
    if (duplicate !== undefined) wrong.push(new TemplateError(path, duplicate, ""));
    const outcome = await renderers.perform({ template });
    if (outcome.kind === "inspected") found.push({ uid, file, sample: outcome.sample });
    if (outcome.kind === "broken") wrong.push(new TemplateError(path, outcome.message, outcome.stack));
  }
  const [first] = wrong;
  if (first) throw wrong.length === 1 ? first : new Error(wrong.map(({ message }) => message).join("\n"));
  if (found.length > 0) return found;
  throw new Error(
    `The template folder ${folder} holds no template. Add a file <uid>.json, a pdfmake document definition, or <uid>.mjs, ` +
      "whose default export is a function (values) => document definition.",
  );
}

/** Makes the document of one call, from the template files as they are at this moment, or throws the `Problem` to answer with. */
export async function renderOrder(order: Order, folder: string, renderers: Renderers): Promise<Product> {
  const { uid, values, request, signal } = order;
  // The endpoint can be mounted anywhere; this one is at the root, and a client that adds a path is mistaken.
  if (!new URL(request.url).pathname.startsWith("/api/v1/templates/")) {
    throw new Problem(
      404,
      "This path does not exist. Remove /api/v1 from `baseUrl`, because the client adds it.",
    );
  }
  if (isDeeperThan(values, maxNesting))
    throw new Problem(422, `The object of values ${tooDeep}. Flatten it.`);
  const templates = await readTemplateFolder(folder);
  const template = templates.get(uid.normalize());
  if (template === undefined) {
    const found = [...templates.keys()].join(", ") || "none";
    throw unknownTemplate(uid, `This emulator has these templates: ${found}.`);
  }
  const { file, path, duplicate } = template;
  if (duplicate !== undefined) throw atFault(uid, new TemplateError(path, duplicate, ""));
  const outcome = await renderers.perform({ template, values }, signal);
  if (outcome.kind === "document") {
    if (outcome.missing) warnings.set(request, missingCharacters(outcome.missing));
    return { bytes: outcome.bytes };
  }
  if (outcome.kind === "refused") throw invalidValues(template.uid, outcome.issues, { checkedBy: file });
  if (outcome.kind === "broken") throw atFault(uid, new TemplateError(path, outcome.message, outcome.stack));
  // The caller has left.
  throw signal.reason;
}

const warnings = new WeakMap<Request, string>();

/** What is wrong with the document of a call, although it was sent; `undefined` if nothing is. */
export function warningOf(request: Request): string | undefined {
  return warnings.get(request);
}

/** How many characters a warning names. */
const maxNamed = 10;

function missingCharacters(missing: string): string {
  const named = [...missing].map(
    (character) =>
      `${character} (U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")})`,
  );
  const more = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : "";
  return `its fonts lack ${named.slice(0, maxNamed).join(", ")}${more}: empty boxes are shown. Name another font, see --fonts`;
}

/** The reason may contain what the template itself read, so only `onError` receives it. The type tells the client not to retry. */
function atFault(uid: string, cause: TemplateError): Problem {
  const detail = `The template ${JSON.stringify(uid)} cannot be rendered. The terminal of the emulator, or its \`onError\`, names the place in its file and the reason.`;
  return new Problem(500, detail, { kind: "template-broken", cause });
}
