import { Validator } from "@cfworker/json-schema";
import type { Answer, OpenApi, Operation, Schema } from "./document.ts";
import { mediaTypeOf, type SeenAnswer, type SeenRequest } from "./exchange.ts";

/** Of HTTP itself, or of those who pass an answer on: a description of the endpoint has nothing to say of them. */
const headersOfHttp = new Set([
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "x-content-type-options",
]);

/** Holds requests and answers against an OpenAPI document. */
export class Contract {
  readonly #document: OpenApi;

  constructor(document: OpenApi) {
    this.#document = document;
  }

  /** The operation that a request is for; `undefined` where the document has none. */
  operationOf({ method, path }: Pick<SeenRequest, "method" | "path">): Operation | undefined {
    const found = Object.entries(this.#document.paths).find(([template]) => patternOf(template).test(path));
    return found?.[1][method.toLowerCase()];
  }

  /** What a path gives for the parameters of the document, decoded. */
  parametersOf(path: string): Record<string, string> {
    for (const template of Object.keys(this.#document.paths)) {
      const groups = patternOf(template).exec(path)?.groups;
      if (groups) {
        return Object.fromEntries(
          Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]),
        );
      }
    }
    return {};
  }

  /** Tells what is wrong with a request. */
  objectionsToRequest(request: SeenRequest): string[] {
    const operation = this.operationOf(request);
    if (!operation) return [`no ${request.method} at ${request.path}`];
    const given = this.parametersOf(request.path);
    return [
      ...operation.parameters.flatMap(({ name, schema }) =>
        this.#objectionsTo(given[name], schema, `the parameter ${name}`),
      ),
      ...this.#objectionsToSecurity(request),
      ...this.#objectionsToRequestBody(request, operation.requestBody),
    ];
  }

  /** Tells what is wrong with the answer to a request that the document knows. */
  objectionsToAnswer(operation: Operation, answer: SeenAnswer): string[] {
    const { status } = answer;
    const { responses } = operation;
    const described = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses["default"];
    if (!described) return [`no status ${status}`];
    return [
      ...this.#objectionsToHeaders(answer, described),
      ...this.#objectionsToBody(answer, described.content),
    ];
  }

  #objectionsToSecurity({ headers }: SeenRequest): string[] {
    const { components, security } = this.#document;
    const wrong = security.map((all) =>
      Object.keys(all).flatMap((scheme) => {
        const { name, description } = components.securitySchemes[scheme] ?? { name: scheme, description: "" };
        // The form stands in words, between backticks: OpenAPI has no other place for it.
        const form = /`([^`]*<API_KEY>[^`]*)`/.exec(description)?.[1] ?? "";
        const pattern = new RegExp(`^${form.replace("<API_KEY>", "[\\x21-\\x7e]+")}$`);
        return pattern.test(headers.get(name) ?? "") ? [] : [`${name} is not ${form}`];
      }),
    );
    return wrong.some((objections) => objections.length === 0) ? [] : wrong.flat();
  }

  #objectionsToHeaders({ headers }: SeenAnswer, described: Answer): string[] {
    const known = Object.entries(described.headers).map(
      ([name, header]) => [name.toLowerCase(), header] as const,
    );
    const missing = known.filter(([name, { required }]) => required && !headers.has(name));
    const unknown = [...headers.keys()].filter(
      (name) => !headersOfHttp.has(name) && !known.some(([other]) => other === name),
    );
    return [
      ...missing.map(([name]) => `${name} is missing`),
      ...unknown.map((name) => `${name} is not described`),
      ...known.flatMap(([name, { schema }]) => {
        const text = headers.get(name);
        if (text === null) return [];
        return this.#objectionsTo(schema["type"] === "integer" ? Number(text) : text, schema, name);
      }),
    ];
  }

  #objectionsToRequestBody(
    request: SeenRequest,
    { content, required = false }: Operation["requestBody"],
  ): string[] {
    return request.body === "" && !required ? [] : this.#objectionsToBody(request, content);
  }

  #objectionsToBody({ headers, body }: SeenRequest | SeenAnswer, content: Answer["content"]): string[] {
    const type = mediaTypeOf(headers);
    const described = content[type];
    if (!described) return [`${type || "no type"} is not described`];
    if (!/[/+]json$/.test(type)) return [];
    let json: unknown;
    try {
      json = JSON.parse(body);
    } catch {
      return ["the body is not JSON"];
    }
    return this.#objectionsTo(json, described.schema, "the body");
  }

  #objectionsTo(value: unknown, schema: Schema, what: string): string[] {
    const { components } = this.#document;
    const { errors } = new Validator({ ...schema, components }, "2020-12").validate(value);
    return errors.map(({ error }) => `${what}: ${error}`);
  }
}

/** A parameter is one segment of a path, and never empty. */
function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>[^/?]+)")}$`);
}
