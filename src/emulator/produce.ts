import { isDeeperThan, maxNesting, tooDeep } from "../json/json-value.ts";
import type { Order } from "../service/endpoint.ts";
import { invalidValues } from "../service/invalid-values.ts";
import { Problem, unknownTemplate } from "../service/problem.ts";
import type { Product } from "../service/to-response.ts";
import type { Renderers } from "./renderers.ts";
import { TemplateError } from "./template-error.ts";
import { readTemplateFolder } from "./template-folder.ts";

/** Makes the document of one call, from the template files as they are at this moment, or throws the `Problem` to answer with. */
export async function renderOrder(order: Order, folder: string, renderers: Renderers): Promise<Product> {
  const { uid, values, request, signal } = order;
  // The endpoint can be mounted anywhere; this one is at the root, and a client that adds a path is mistaken.
  if (!new URL(request.url).pathname.startsWith("/api/v1/templates/")) {
    throw new Problem(
      404,
      "There is nothing at this path. End `baseUrl` before /api/v1: the client adds that itself.",
    );
  }
  if (isDeeperThan(values, maxNesting))
    throw new Problem(422, `The object of values ${tooDeep}. Flatten it.`);
  const { templates, duplicates } = await readTemplateFolder(folder);
  const template = templates.get(uid.normalize());
  const duplicate = duplicates.get(uid.normalize());
  if (template && duplicate) throw atFault(uid, new TemplateError(template.path, duplicate, ""));
  if (template === undefined) {
    const found = [...templates.keys()].join(", ") || "none";
    throw unknownTemplate(uid, `This emulator has these templates: ${found}.`);
  }
  const outcome = await renderers.perform({ kind: "render", template, values }, signal);
  if (outcome.kind === "document") return { bytes: outcome.bytes };
  if (outcome.kind === "refused")
    throw invalidValues(template.uid, outcome.issues, { checkedBy: template.file });
  if (outcome.kind === "broken")
    throw atFault(uid, new TemplateError(template.path, outcome.message, outcome.stack));
  // The caller has left.
  throw signal.reason;
}

/** Who calls learns where to look, and whoever runs the emulator learns why: the file is theirs. */
function atFault(uid: string, cause: TemplateError): Problem {
  const detail = `The template ${JSON.stringify(uid)} is at fault: no document can be made of it. The terminal of the emulator, or its \`onError\`, says where in its file, and why.`;
  return new Problem(500, detail, { kind: "server-fault", cause });
}
