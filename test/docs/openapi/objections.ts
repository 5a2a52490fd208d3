import type { PlannedCall } from "./calls.ts";
import { Contract } from "./contract.ts";
import { type OpenApi, onlyOperation, readOpenApi } from "./document.ts";
import type { SeenAnswer, SeenRequest } from "./exchange.ts";

/** The document, where a problem has no members but those it names. */
export function closedOpenApi(): OpenApi {
  const document = readOpenApi();
  for (const name of ["Problem", "ValueProblem"]) {
    Object.assign(document.components.schemas[name] ?? {}, { additionalProperties: false });
  }
  return document;
}

/** What the document says of a request. */
export function verdictOn(request: SeenRequest): PlannedCall["request"] {
  const contract = new Contract(readOpenApi());
  if (!contract.operationOf(request)) return "of another operation";
  return contract.objectionsToRequest(request).length === 0 ? "described" : "wrong";
}

/** What is wrong with an answer. A call that is not described may only be refused, as any other is. */
export function objectionsTo(
  request: Pick<SeenRequest, "method" | "path">,
  answer: SeenAnswer,
  contract = new Contract(closedOpenApi()),
): string[] {
  const described = contract.operationOf(request);
  if (described) return contract.objectionsToAnswer(described, answer);
  if (answer.status !== 404 && answer.status !== 405) return [`${answer.status} for what is not there`];
  const { headers, ...refusal } = answer;
  const withoutAllow = new Headers(headers);
  withoutAllow.delete("allow");
  const { operation } = onlyOperation(readOpenApi());
  return contract.objectionsToAnswer(operation, { ...refusal, headers: withoutAllow });
}
