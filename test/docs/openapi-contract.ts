import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Validator } from "@cfworker/json-schema";
import { parse } from "yaml";

type Schema = Record<string, unknown>;

interface Response {
  readonly headers: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly content: Content;
}

type Content = Readonly<
  Record<string, { schema: Schema; examples?: Record<string, { value: Record<string, unknown> }> }>
>;

/** The parts of OpenAPI 3.1 that docs/openapi.yaml uses. */
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly servers: readonly { readonly url: string }[];
}

interface Operation {
  readonly requestBody: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

/** A request or a response, read to its end. The path of a request begins after the base URL. */
export interface Message {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly headers: Headers;
  readonly body: string;
}

export const openApiFile = fileURLToPath(new URL("../../docs/openapi.yaml", import.meta.url));

/** Reads docs/openapi.yaml. Problems get no properties but those that the document names. */
export function readOpenApi(): OpenApi {
  const document: OpenApi = parse(readFileSync(openApiFile, "utf8"));
  for (const name of ["Problem", "ValueProblem"]) {
    Object.assign(document.components.schemas[name] ?? {}, { additionalProperties: false });
  }
  return document;
}

export const endpoint = "/api/v1/templates/{uid}/generate-sync";

/** The operation of the endpoint. */
export function operationOf({ paths }: OpenApi): Operation {
  const operation = paths[endpoint]?.["post"];
  if (!operation) throw new Error(`docs/openapi.yaml has no POST ${endpoint}.`);
  return operation;
}

/** HTTP itself defines these: the description of an endpoint does not repeat them. */
const headersOfHttp =
  /^(?:allow|cache-control|connection|content-(?:length|type)|date|keep-alive|transfer-encoding|x-content-type-options)$/;

/** Lists where a request differs from the document. */
export function objectionsToRequest(request: Message, document = readOpenApi()): string[] {
  const { method, path = "", headers } = request;
  const pattern = new RegExp(`^${endpoint.replace("{uid}", "[^/?]+")}$`);
  if (method !== "POST" || !pattern.test(path)) return [`${method} ${path} is not described`];
  const objections = objectionsToBody(request, operationOf(document).requestBody.content, document);
  return /^API-Key [\x21-\x7e]+$/.test(headers.get("authorization") ?? "")
    ? objections
    : [...objections, "Authorization is not described"];
}

/** Lists where a response differs from the document. */
export function objectionsToResponse(response: Message, document = readOpenApi()): string[] {
  const { status = 0, headers } = response;
  const { responses } = operationOf(document);
  const described = status >= 200 && status < 300 ? responses["2XX"] : responses["default"];
  if (!described) return [`${status} is not described`];
  const schemas = new Map(
    Object.entries(described.headers).map(([name, { schema }]) => [name.toLowerCase(), schema]),
  );
  return [...headers]
    .filter(([name]) => !headersOfHttp.test(name))
    .flatMap(([name, text]) => {
      const schema = schemas.get(name);
      if (!schema) return [`${name} is not described`];
      return objectionsToValue(schema["type"] === "integer" ? Number(text) : text, schema, document);
    })
    .concat(objectionsToBody(response, described.content, document));
}

function objectionsToBody({ headers, body }: Message, content: Content, document: OpenApi): string[] {
  const type = headers.get("content-type")?.split(";", 1)[0] ?? "";
  const described = content[type];
  if (!described) return [`${type} is not described`];
  if (!type.endsWith("json")) return [];
  try {
    return objectionsToValue(JSON.parse(body), described.schema, document);
  } catch {
    return ["the body is not JSON"];
  }
}

function objectionsToValue(value: unknown, schema: Schema, { components }: OpenApi): string[] {
  const { errors } = new Validator({ ...schema, components }, "2020-12").validate(value);
  return errors.map(({ error }) => error);
}
