import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { template } from "template-pdf";
import { startEmulator } from "template-pdf/emulator";
import { fakeService, faults } from "template-pdf/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { callOf, handlerBefore } from "../handler/handling.ts";
import { type Answer, saying } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import {
  apiKey,
  calls,
  callsOfTheEmulator,
  fault,
  type Given,
  path,
  requestOf,
  uid,
} from "./openapi/calls.ts";
import { Contract } from "./openapi/contract.ts";
import { type OpenApi, onlyOperation, readOpenApi } from "./openapi/document.ts";
import { type SeenAnswer, type SeenRequest, seenAnswer } from "./openapi/exchange.ts";
import { closedOpenApi, objectionsTo, verdictOn } from "./openapi/objections.ts";

type Send = (path: string, init: RequestInit) => Promise<Response>;

const folder = makeTemporaryFolder("openapi");
const closers: (() => unknown)[] = [folder.remove];
const servers: Record<"emulator" | "fake service", Send> = {
  emulator: notYet,
  "fake service": notYet,
};

beforeAll(async () => {
  const schema = {
    type: "object",
    required: ["date", "total"],
    properties: { date: { type: "string" }, total: { type: "string" } },
  };
  const content = ["{{date}}", "{{total}}"];
  writeFileSync(join(folder.path, `${uid}.json`), JSON.stringify({ schema, content }));
  const limits = { threads: 1, maxBodyBytes: 1000 };
  const emulator = await startEmulator({ templates: folder.path, apiKeys: [apiKey], limits });
  closers.push(() => emulator.close());
  servers.emulator = (where, init) => fetch(emulator.baseUrl + where, init);

  const service = fakeService({
    templates: [template(uid, z.object({ date: z.string(), total: z.string() }))],
    apiKeys: [apiKey],
  });
  servers["fake service"] = (where, init) => service.fetch(service.baseUrl + where, init);
});

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

describe("what docs/openapi.yaml describes is what comes", () => {
  describe.each([
    ["the emulator", "emulator", [...calls, ...callsOfTheEmulator]],
    ["a fake service", "fake service", calls],
  ] as const)("from %s for a call", (_, server, planned) => {
    it.each([...planned])("$title", async (call) => {
      const request = requestOf(call.given);
      const answer = await send(servers[server], request);
      expect(answer.status).toBe(call.status);
      expect(verdictOn(request)).toBe(call.request ?? "described");
      expect(objectionsTo(request, answer)).toEqual([]);
      expect(answer.body.startsWith("%PDF-")).toBe(answer.status === 200);
    });
  });

  it.each([
    [faults.unauthorized(), 401],
    [faults.rateLimited({ retryAfter: 2 }), 429],
    [faults.serverError({ status: 503 }), 503],
  ])("from a fake service that is to refuse: %#", async (planned, status) => {
    const service = fakeService().fail(planned);
    const request = requestOf();
    const answer = await send((where, init) => service.fetch(service.baseUrl + where, init), request);
    expect(answer.status).toBe(status);
    expect(objectionsTo(request, answer)).toEqual([]);
  });

  it.each<[string, Answer | undefined, Parameters<typeof callOf>[0], number]>([
    ["a document", undefined, {}, 200],
    ["a busy service", saying(429, "", { "retry-after": "2" }), {}, 429],
    ["a service that is away", saying(503, "", { "retry-after": "2" }), {}, 503],
    ["a service that fails", saying(500), {}, 502],
    ["a service that is too slow", saying(504), {}, 504],
    ["values that the service refuses", saying(422), {}, 422],
    ["values that are too large for it", saying(413), {}, 413],
    ["a name that is none", undefined, { name: "other" }, 404],
    ["another origin", undefined, { headers: { "sec-fetch-site": "cross-site" } }, 403],
    ["half an object", undefined, { body: '{"total":' }, 400],
    ["text", undefined, { headers: { "content-type": "text/plain" } }, 415],
  ])("from a handler for %s", async (_, answers, given, status) => {
    const { handler } = await handlerBefore(answers);
    const request = callOf(given);
    const answer = await seenAnswer(await handler(request));
    expect(answer.status).toBe(status);
    expect(objectionsTo({ method: request.method, path }, answer)).toEqual([]);
    expect(answer.body.startsWith("%PDF-")).toBe(answer.status === 200);
  });

  it("and each header that it describes comes from the emulator at times", async () => {
    const sent = new Set<string>();
    for (const call of [...calls, ...callsOfTheEmulator].filter(({ status }) => telling.includes(status))) {
      for (const name of (await send(servers.emulator, requestOf(call.given))).headers.keys()) sent.add(name);
    }
    const { responses } = onlyOperation(readOpenApi()).operation;
    const described = Object.values(responses).flatMap(({ headers }) => Object.keys(headers));
    expect(described.filter((name) => !sent.has(name.toLowerCase()))).toEqual([]);
  });

  it("and its examples of refusals are those of the emulator", async () => {
    const { examples } =
      onlyOperation(readOpenApi()).operation.responses["default"]?.content["application/problem+json"] ?? {};
    const refused = async (given: Given) => JSON.parse((await send(servers.emulator, requestOf(given))).body);
    expect(Object.values(examples ?? {}).map(({ value }) => value)).toEqual([
      await refused({ headers: { authorization: "API-Key other" } }),
      await refused({ body: '{"date":"20 November 2026","total":1000000}' }),
    ]);
  });
});

describe("what it does not describe is seen", () => {
  it("such as the login page that a fault sends in place of a document", async () => {
    const request = requestOf({ headers: fault("html") });
    const answer = await send(servers.emulator, request);
    expect([answer.status, objectionsTo(request, answer)]).toEqual([200, ["text/html is not described"]]);
  });

  const refusal = { headers: { authorization: "API-Key other" } };
  const busy = { headers: fault("429 retry-after 2") };

  it.each<[string, (document: OpenApi) => void, Given, string]>([
    ["the errors", ({ paths }) => forget(responsesOf(paths), "default"), refusal, "no status 401"],
    ["the success", ({ paths }) => forget(responsesOf(paths), "2XX"), {}, "application/pdf is not described"],
    [
      "a header",
      ({ paths }) => forget(responsesOf(paths)["default"]?.headers, "Retry-After"),
      busy,
      "retry-after is not described",
    ],
    [
      "a member of a problem",
      ({ components }) => forget(components.schemas["Problem"]?.["properties"], "title"),
      refusal,
      "title",
    ],
  ])("as it would be without %s", async (_, change, given, objection) => {
    const document = closedOpenApi();
    change(document);
    const request = requestOf(given);
    const answer = await send(servers.emulator, request);
    expect(objectionsTo(request, answer, new Contract(document)).join()).toContain(objection);
  });
});

/** The statuses that come with a header of their own. */
const telling = [200, 401, 415, 429];

async function send(to: Send, { method, path: where, headers, body }: SeenRequest): Promise<SeenAnswer> {
  return seenAnswer(await to(where, { method, headers, ...(body !== "" && { body }) }));
}

function responsesOf(paths: OpenApi["paths"]) {
  return onlyOperation({ paths } as OpenApi).operation.responses;
}

function forget(object: unknown, name: string): void {
  if (!(name in (object as object))) throw new Error(`There is no ${name} to forget.`);
  delete (object as Record<string, unknown>)[name];
}

function notYet(): never {
  throw new Error("It has not started.");
}
