import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { lint, loadConfig } from "@redocly/openapi-core";
import { template } from "template-pdf";
import { startEmulator } from "template-pdf/emulator";
import { createHandler } from "template-pdf/handler";
import { fakeService } from "template-pdf/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Answer, pdfOf, Service, saying, transports, withLength } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import {
  endpoint,
  type Message,
  objectionsToRequest,
  objectionsToResponse,
  openApiFile,
  operationOf,
  readOpenApi,
} from "./openapi-contract.ts";

describe("docs/openapi.yaml", () => {
  it("follows the rules of redocly.yaml", async () => {
    const configPath = fileURLToPath(new URL("../../redocly.yaml", import.meta.url));
    const problems = await lint({ ref: openApiFile, config: await loadConfig({ configPath }) });
    expect(problems.map(({ ruleId, message }) => [ruleId, message])).toEqual([]);
  });

  it("describes one endpoint, which requires a uid, an API key and an object of values", () => {
    const document = readOpenApi();
    expect(Object.keys(document.paths)).toEqual([endpoint]);
    expect(Object.keys(document.paths[endpoint] ?? {})).toEqual(["post"]);
    expect(document).toMatchObject({
      security: [{ apiKey: [] }],
      servers: [{ url: "{baseUrl}" }, { url: "http://127.0.0.1:4010" }],
      components: {
        securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "Authorization" } },
        schemas: { TemplateValues: { type: "object", additionalProperties: true } },
      },
    });
    expect(operationOf(document)).toMatchObject({
      parameters: [{ name: "uid", in: "path", required: true, schema: { type: "string" } }],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/TemplateValues" } } },
      },
    });
  });
});

it.each(transports)("the client sends by %s what docs/openapi.yaml describes", async (_, options) => {
  const service = await Service.start(withLength(pdfOf(100)));
  await service.client(options).generate("März 2024/?#%", { total: "£1,000,000" }).bytes();
  const { path, headers, body, response } = await service.request();
  const sent = { method: response.req.method ?? "", path, headers: new Headers(headers as {}), body };
  expect(objectionsToRequest(sent)).toEqual([]);
});

const uid = "inv_2024";
const path = endpoint.replace("{uid}", uid);
const apiKey = "dev-key";

interface Change {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const fault = (name: string): Change => ({ headers: { "x-emulator-fault": name } });

/** A request, its status, and whether the document describes the request. */
const rows: readonly (readonly [title: string, status: number, isDescribed: boolean, change: Change])[] = [
  ["a valid request", 200, true, {}],
  ["an unknown key", 401, true, { headers: { authorization: "API-Key other" } }],
  ["another scheme", 401, false, { headers: { authorization: `Bearer ${apiKey}` } }],
  ["an unknown template", 404, true, { path: path.replace(uid, "inv%2F2025") }],
  ["values that the schema refuses", 422, true, { body: '{"date":"20 November 2026","total":1000000}' }],
  ["truncated JSON", 400, false, { body: '{"total":' }],
  ["an array", 400, false, { body: "[]" }],
  ["text", 415, false, { headers: { "content-type": "text/plain" } }],
  ["a compressed body", 415, true, { headers: { "content-encoding": "gzip" } }],
  ["PUT", 405, false, { method: "PUT" }],
  ["another version", 404, false, { path: path.replace("v1", "v2") }],
];
const rowsOfEmulator: typeof rows = [
  ["a body over its limit", 413, true, { body: `{"total":"${"9".repeat(2000)}"}` }],
  ["a fault with Retry-After", 429, true, fault("429 retry-after 2")],
  ["a fault that fails", 500, true, fault("500")],
];

function requestOf({ headers, ...change }: Change): Message & { method: string; path: string } {
  const usual = { authorization: `API-Key ${apiKey}`, "content-type": "application/json" };
  return {
    method: "POST",
    path,
    body: '{"date":"20 November 2026","total":"£1,000,000"}',
    ...change,
    headers: new Headers({ ...usual, ...headers }),
  };
}

async function messageOf(response: Response): Promise<Message> {
  return { status: response.status, headers: response.headers, body: await response.text() };
}

type Send = (path: string, init: RequestInit) => Promise<Response>;
const servers: { [name in "emulator" | "fake service"]?: Send } = {};

/** Sends a changed request to a server. */
async function send(name: keyof typeof servers, change: Change): Promise<Message> {
  const { path, method, headers, body } = requestOf(change);
  return messageOf((await servers[name]?.(path, { method, headers, body })) ?? expect.fail("not started"));
}

describe("responses", () => {
  const folder = makeTemporaryFolder("openapi");
  let emulator: Awaited<ReturnType<typeof startEmulator>>;

  beforeAll(async () => {
    const schema = { type: "object", properties: { date: { type: "string" }, total: { type: "string" } } };
    writeFileSync(join(folder.path, `${uid}.json`), JSON.stringify({ schema, content: ["{{total}}"] }));
    const limits = { threads: 1, maxBodyBytes: 1000 };
    emulator = await startEmulator({ templates: folder.path, apiKeys: [apiKey], limits });
    servers.emulator = (where, init) => fetch(emulator.baseUrl + where, init);
    const values = z.object({ date: z.string(), total: z.string() });
    const service = fakeService({ templates: [template(uid, values)], apiKeys: [apiKey] });
    servers["fake service"] = (where, init) => service.fetch(service.baseUrl + where, init);
  });
  afterAll(async () => {
    await emulator.close();
    folder.remove();
  });

  describe.each([
    ["emulator", [...rows, ...rowsOfEmulator]],
    ["fake service", rows],
  ] as const)("the %s", (name, planned) => {
    it.each(planned)("answers %s with %i, as described", async (_, status, isDescribed, change) => {
      const response = await send(name, change);
      expect(response.status).toBe(status);
      expect(objectionsToRequest(requestOf(change)).length === 0).toBe(isDescribed);
      expect(objectionsToResponse(response)).toEqual([]);
      expect(response.body.startsWith("%PDF-")).toBe(status === 200);
    });
  });

  it.each<[string, number, Answer, Record<string, string>]>([
    ["a valid request", 200, withLength(pdfOf(100)), {}],
    ["a request for a busy service", 503, saying(503, "", { "retry-after": "2" }), {}],
    ["a request of another origin", 403, withLength(pdfOf(100)), { "sec-fetch-site": "cross-site" }],
  ])("a handler answers %s with %i, as docs/openapi.yaml describes", async (_, status, answer, headers) => {
    const client = (await Service.start(answer)).client();
    const templates = { [uid]: template(uid) };
    const handler = createHandler({ client, templates, authorize: () => true, onError() {} });
    const request = new Request(`http://inner.test${path}`, requestOf({ headers }));
    const response = await messageOf(await handler(request));
    expect(response.status).toBe(status);
    expect(objectionsToResponse(response)).toEqual([]);
  });

  it("the emulator sends the problems that docs/openapi.yaml has as examples", async () => {
    const { examples = {} } =
      operationOf(readOpenApi()).responses["default"]?.content["application/problem+json"] ?? {};
    const refused = [
      await send("emulator", { headers: { authorization: "API-Key other" } }),
      await send("emulator", { body: '{"date":"20 November 2026","total":1000000}' }),
    ];
    expect(Object.values(examples).map(({ value }) => value)).toEqual(
      refused.map(({ body }) => JSON.parse(body)),
    );
  });

  it("a login page does not match docs/openapi.yaml", async () => {
    const page = await send("emulator", fault("html"));
    expect(objectionsToResponse(page)).toEqual(["text/html is not described"]);
  });

  it("a property that a problem does not have does not match docs/openapi.yaml", async () => {
    const document = readOpenApi();
    Object.assign(document.components.schemas["Problem"] ?? {}, { properties: {} });
    const refusal = await send("emulator", { headers: { authorization: "API-Key other" } });
    expect(objectionsToResponse(refusal, document).join()).toContain("title");
  });
});
