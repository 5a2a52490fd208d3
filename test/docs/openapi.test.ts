import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import { lint, loadConfig } from "@redocly/openapi-core";
import { template } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import { assertWholePdf, fakeService } from "template-pdf/testing";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { shareEmulator } from "../emulator/emulated.ts";
import { type Answer, pdfOf, Service, saying, transports, withLength } from "../support/service.ts";
import { read, repository } from "./declarations.ts";

type Schema = Record<string, unknown>;
type Content = Readonly<Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }>>;

type Headers = Readonly<Record<string, { schema: Schema }>>;

const { paths, components, servers } = parse(read("docs/openapi.yaml"));
// Problems have no properties but those that the document names.
for (const name of ["Problem", "ValueProblem"]) components.schemas[name].additionalProperties = false;
const endpoint = "/api/v1/templates/{uid}/generate-sync";
const requestBody: { content: Content } = paths[endpoint].post.requestBody;
const responses: Record<string, { headers: Headers; content: Content }> = paths[endpoint].post.responses;

/** HTTP itself defines these: the description of an endpoint does not repeat them. */
const headersOfHttp =
  /^(?:allow|cache-control|connection|content-(?:length|type)|date|keep-alive|transfer-encoding|x-content-type-options)$/;

/** Lists where a request differs from the document. */
function objectionsToRequest(request: Request): Promise<string[]> | string[] {
  const pattern = new RegExp(`^${endpoint.replace("{uid}", "[^/]+")}$`);
  if (request.method !== "POST" || !pattern.test(new URL(request.url).pathname)) return ["not described"];
  if (!/^API-Key [\x21-\x7e]+$/.test(request.headers.get("authorization") ?? ""))
    return ["Authorization is not described"];
  return objectionsToBody(request, requestBody.content);
}

/** Lists where a response differs from the document. */
async function objectionsToResponse(response: Response): Promise<string[]> {
  const described = responses[response.ok ? "200" : "default"] ?? expect.fail("no responses");
  const names = Object.keys(described.headers);
  const ofHeaders = [...response.headers].flatMap(([name, text]) => {
    const { schema } = described.headers[names.find((each) => each.toLowerCase() === name) ?? ""] ?? {};
    if (!schema) return headersOfHttp.test(name) ? [] : [`${name} is not described`];
    return objectionsToValue(schema["type"] === "integer" ? Number(text) : text, schema);
  });
  return [...ofHeaders, ...(await objectionsToBody(response, described.content))];
}

async function objectionsToBody(message: Request | Response, content: Content): Promise<string[]> {
  const type = message.headers.get("content-type")?.split(";", 1)[0] ?? "";
  const described = content[type];
  if (!described) return [`${type} is not described`];
  if (!type.endsWith("json")) return [];
  const json: Promise<unknown> = message.clone().json();
  return json.then(
    (value) => objectionsToValue(value, described.schema),
    () => ["the body is not JSON"],
  );
}

function objectionsToValue(value: unknown, schema: Schema): string[] {
  const { errors } = new Validator({ ...schema, components }, "2020-12").validate(value);
  return errors.map(({ error }) => error);
}

it("docs/openapi.yaml follows the rules in redocly.yaml", async () => {
  const config = await loadConfig({ configPath: join(repository, "redocly.yaml") });
  const problems = await lint({ ref: join(repository, "docs/openapi.yaml"), config });
  expect(problems.map(({ ruleId, message }) => [ruleId, message])).toEqual([]);
});

it.each(transports)("the client's request over %s matches docs/openapi.yaml", async (_, options) => {
  const service = await Service.start(withLength(pdfOf(100)));
  await service.client(options).generate("März 2024/?#%", { total: "£1,000,000" }).bytes();
  const { method, path, headers, body } = await service.request();
  const { authorization = "", "content-type": type = "" } = headers;
  const sent = { method, headers: { authorization, "content-type": type }, body };
  expect(await objectionsToRequest(new Request(service.baseUrl + path, sent))).toEqual([]);
});

const uid = "inv_2024";
const apiKey = "dev-key";

type Change = RequestInit & { readonly path?: string; readonly headers?: Readonly<Record<string, string>> };

/** Creates a valid request with a change. */
function requestTo(baseUrl: string, { path = uid, headers, ...change }: Change = {}): Request {
  const usual = { authorization: `API-Key ${apiKey}`, "content-type": "application/json" };
  const body = '{"date":"20 November 2026","total":"£1,000,000"}';
  const init = { method: "POST", body, ...change, headers: { ...usual, ...headers } };
  return new Request(baseUrl + endpoint.replace("{uid}", path), init);
}

/** A request, its status, and whether the document describes the request. */
const rows: readonly (readonly [title: string, status: number, isDescribed: boolean, change: Change])[] = [
  ["a valid request", 200, true, {}],
  ["a request with an unknown API key", 401, true, { headers: { authorization: "API-Key other" } }],
  ["a request for an unknown template", 404, true, { path: "inv%2F2025" }],
  ["a request with invalid values", 422, true, { body: '{"date":"20 November 2026","total":1000000}' }],
  ["a request with truncated JSON", 400, false, { body: '{"total":' }],
  ["a plain-text request", 415, false, { headers: { "content-type": "text/plain" } }],
  ["a PUT request", 405, false, { method: "PUT" }],
];
const rowsOfEmulator: typeof rows = [
  ["a request with an oversized body", 413, true, { body: `{"total":"${"9".repeat(2000)}"}` }],
  ["a request for a 429 fault", 429, true, { headers: { "x-emulator-fault": "429 retry-after 2" } }],
];

describe("docs/openapi.yaml", () => {
  const text = { type: "string" };
  const schema = { type: "object", properties: { date: text, total: text } };
  const files = { [`${uid}.json`]: JSON.stringify({ schema, content: ["{{total}}"] }) };
  const emulator = shareEmulator(files, () => ({ apiKeys: [apiKey], limits: { maxBodyBytes: 1000 } }));
  const send = (change: Change) => fetch(requestTo(emulator.baseUrl, change));
  const values = z.object({ date: z.string(), total: z.string() });
  const service = fakeService({ templates: [template(uid, values)], apiKeys: [apiKey] });

  describe.each([
    ["emulator", [...rows, ...rowsOfEmulator], send],
    ["fake service", rows, (change: Change) => service.fetch(requestTo(service.baseUrl, change))],
  ] as const)("for the %s", (_name, planned, sendTo) => {
    it.each(planned)("describes the response to %s: status %i", async (_, status, isDescribed, change) => {
      const response = await sendTo(change);
      expect(response.status).toBe(status);
      const objections = await objectionsToRequest(requestTo(emulator.baseUrl, change));
      expect(objections.length === 0).toBe(isDescribed);
      expect(await objectionsToResponse(response)).toEqual([]);
      expect((await response.text()).startsWith("%PDF-")).toBe(status === 200);
    });
  });

  it.each<[string, number, Answer]>([
    ["a valid request", 200, withLength(pdfOf(100))],
    ["a valid request if the service is busy", 503, saying(503, "", { "retry-after": "2" })],
  ])("describes a handler's response to %s: status %i", async (_, status, answer) => {
    const client = (await Service.start(answer)).client();
    const templates = { [uid]: template(uid) };
    const handler = createHandler({ client, templates, authorize: () => true, onError() {} });
    const response = await handler(requestTo("http://inner.test"));
    expect(response.status).toBe(status);
    expect(await objectionsToResponse(response)).toEqual([]);
    await response.body?.cancel();
  });

  it("shows the emulator's error responses as examples", async () => {
    const { examples = {} } = responses["default"]?.content["application/problem+json"] ?? {};
    const unknownKey = await (await send({ headers: { authorization: "API-Key other" } })).json();
    const wrongValue = await (await send({ body: '{"date":"20 November 2026","total":1000000}' })).json();
    expect(Object.values(examples).map(({ value }) => value)).toEqual([unknownKey, wrongValue]);
  });

  it("shows a whole PDF as an example, which a mock server can send", () => {
    const { examples = {} } = responses["200"]?.content["application/pdf"] ?? {};
    const [document] = Object.values(examples).map(({ value }) => String(value));
    expect(() => assertWholePdf(new TextEncoder().encode(document))).not.toThrow();
  });

  it("has a base URL without variables, and statuses without wildcards, which many tools do not know", () => {
    expect(servers.map(({ url }: { url: string }) => URL.canParse(url) && !url.includes("{"))).toEqual([
      true,
      true,
    ]);
    expect(Object.keys(responses)).toEqual(["200", "default"]);
  });

  it("does not describe a login page as a response", async () => {
    const page = await send({ headers: { "x-emulator-fault": "html" } });
    expect(await objectionsToResponse(page)).toEqual(["text/html is not described"]);
    await page.text();
  });
});
