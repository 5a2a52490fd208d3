import { format } from "node:util";
import { template } from "template-pdf";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { withoutBackOff } from "../client/timing.ts";
import { type Answer, clientOf, Service, saying } from "../support/service.ts";
import { closedOrigin } from "../support/sockets.ts";
import { callOf, handlerBefore, handlerOf, pdf, problemOf, secrets, untouchedClient } from "./handling.ts";

const said = `{"message":"${secrets.upstream} ${secrets.uid}"}`;
const ours = "because of a server error";
const later = "Try again later";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe("a service failure", () => {
  it.each<
    [
      what: string,
      row: {
        readonly answer: Answer;
        readonly status: number;
        readonly kind: string;
        readonly words: string;
      },
    ]
  >([
    [
      "400",
      { answer: saying(400, said), status: 422, kind: "invalid-values", words: "The values were rejected" },
    ],
    ["401", { answer: saying(401, said), status: 502, kind: "document-not-made", words: ours }],
    ["408", { answer: saying(408, said), status: 504, kind: "service-too-slow", words: later }],
    [
      "413",
      { answer: saying(413, said), status: 413, kind: "body-too-large", words: "too large. Send less" },
    ],
    ["429", { answer: saying(429, said), status: 429, kind: "rate-limited", words: "Too many documents" }],
    ["500", { answer: saying(500, said), status: 502, kind: "document-not-made", words: later }],
    ["503", { answer: saying(503, said), status: 503, kind: "service-busy", words: later }],
    ["504", { answer: saying(504, said), status: 504, kind: "service-too-slow", words: later }],
    [
      "200 with HTML",
      {
        answer: saying(200, `<html>${secrets.upstream}`),
        status: 502,
        kind: "service-unavailable",
        words: later,
      },
    ],
  ])("causes a response that omits service details: status %s", async (_, row) => {
    const { answer, status, kind, words } = row;
    const { handler, service, onError } = await handlerBefore(answer);
    const found = await problemOf(await handler(callOf()));
    expect({ status: found.response.status, kind: found.kind }).toEqual({ status, kind });
    expect(found.detail).toContain(words);
    expect(found.response.headers.get("content-type")).toBe("application/problem+json");
    expect(JSON.stringify(found)).not.toContain(service.baseUrl);
    expect(onError).toHaveBeenCalledTimes(1);
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    [429, "7", "7"],
    [503, "7", "7"],
    [429, "0.2", "1"],
    [429, "soon", "omitted"],
    [500, "7", "omitted"],
  ])("determines Retry-After (service: %i with %s, handler: %s)", async (status, retryAfter, expected) => {
    const { handler } = await handlerBefore(saying(status, "", { "retry-after": retryAfter }));
    expect((await handler(callOf())).headers.get("retry-after") ?? "omitted").toBe(expected);
  });

  it.each([400, 429, 503])(
    "causes the same response if the `values` function replaces the values: status %i",
    async (status) => {
      const values = (_: Request, sent: Record<string, unknown>) => ({ ...sent, more: "of ours" });
      const plain = await handlerBefore(saying(status, said));
      const replacing = await handlerBefore(saying(status, said), { values });
      const [{ response: plainResponse, ...expected }, { response, ...problem }] = [
        await problemOf(await plain.handler(callOf())),
        await problemOf(await replacing.handler(callOf())),
      ];
      expect(replacing.service.requests.map(({ body }) => JSON.parse(body))).toEqual([
        { date: "today", more: "of ours" },
      ]);
      expect(response.status).toBe(plainResponse.status);
      expect(problem).toEqual(expected);
    },
  );

  it("causes a 504 if the service does not respond in time", async () => {
    const service = await Service.start(() => {});
    const client = service.client({ apiKey: secrets.key, timeouts: { firstByte: 50 } });
    const { response, kind } = await problemOf(await handlerOf({ client }).handler(callOf()));
    expect({ status: response.status, kind }).toEqual({ status: 504, kind: "service-too-slow" });
  });

  it("is retried if the request was not sent", async () => {
    withoutBackOff();
    const request = vi.fn();
    const client = clientOf(await closedOrigin(), { retry: { limit: 2 }, hooks: { request } });
    const { response, kind } = await problemOf(await handlerOf({ client }).handler(callOf()));
    expect({ status: response.status, kind }).toEqual({ status: 502, kind: "service-unavailable" });
    expect(request).toHaveBeenCalledTimes(3);
  });

  it("is also retried if the request was sent and `mayRenderTwice` is true", async () => {
    withoutBackOff();
    const answers = [saying(503, "", { "retry-after": "0" }), saying(200, pdf)];
    const { service } = await handlerBefore((received) => answers.shift()?.(received));
    const client = service.client({ apiKey: secrets.key, retry: { limit: 1 } });
    const { handler } = handlerOf({ client, retry: { mayRenderTwice: true } });
    const response = await handler(callOf());
    const { byteLength } = await response.arrayBuffer();
    expect({ status: response.status, byteLength }).toEqual({ status: 200, byteLength: pdf.length });
  });
});

describe("values from a browser", () => {
  it("cause a 422 that contains their paths if they violate the schema", async () => {
    const schema = z.object({ total: z.string(), lines: z.array(z.object({ price: z.number() })) });
    const templates = { bill: template(secrets.uid, schema) };
    const { handler, onError } = handlerOf({ client: untouchedClient(), templates });
    const body = '{"total":7,"lines":[{"price":"value-of-a-page"}]}';
    const found = await problemOf(await handler(callOf({ name: "bill", body })));
    expect({ status: found.response.status, kind: found.kind }).toEqual({
      status: 422,
      kind: "invalid-values",
    });
    expect(found.detail).toMatch(/^The values do not match the template "bill": total: /);
    expect(found.errors).toEqual([
      { path: "total", detail: expect.stringContaining("string") },
      { path: "lines[0].price", detail: expect.stringContaining("number") },
    ]);
    expect(JSON.stringify(found)).not.toContain("value-of-a-page");
    expect(onError).not.toHaveBeenCalled();
  });

  it("are rejected and do not trigger onError if they are nested too deeply", async () => {
    const { handler, onError } = handlerOf({ client: untouchedClient() });
    const body = `{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`;
    expect((await problemOf(await handler(callOf({ body })))).kind).toBe("invalid-values");
    expect(onError).not.toHaveBeenCalled();
  });

  it("cause a 500 if a body parser has already read them", async () => {
    const { handler, onError } = handlerOf({ client: untouchedClient() });
    const found = await problemOf(await handler(callOf({ body: "", headers: { "content-length": "17" } })));
    expect({ status: found.response.status, kind: found.kind }).toEqual({
      status: 500,
      kind: "server-fault",
    });
    expect(onError.mock.calls[0]?.[0].message).toContain("before body parsers such as express.json()");
  });
});

describe("an option function that fails", () => {
  const failing = () => {
    throw new Error(`${secrets.upstream} ${secrets.key}`);
  };

  const names = ["authorize", "values", "filename"];
  it.each(names)("causes a 500, and onError receives the error: `%s`", async (name) => {
    for (const broken of [failing, async () => failing()]) {
      const { handler, onError } = handlerOf({ client: untouchedClient(), [name]: broken });
      const { response, kind } = await problemOf(await handler(callOf()));
      expect({ status: response.status, kind }).toEqual({ status: 500, kind: "server-fault" });
      const [error, { request, requestId, failed }] = onError.mock.calls[0] ?? [];
      expect(failed).toBe(name);
      expect(requestId).toBe(response.headers.get("x-request-id"));
      expect(error.message).toContain(secrets.upstream);
      expect(request.url).toContain("/templates/invoice/");
    }
  });

  it("does not prevent the response if the function is `onError`", async () => {
    for (const onError of [failing, async () => failing()]) {
      const { handler } = await handlerBefore(saying(500), { onError });
      expect((await handler(callOf())).status).toBe(502);
    }
  });
});

describe("without onError", () => {
  const log = async (answer?: Answer, options = {}) => {
    const print = vi.spyOn(console, "error").mockReturnValue();
    const { handler } = await handlerBefore(answer, { onError: undefined, ...options });
    const id = (await handler(callOf())).headers.get("x-request-id");
    return { text: print.mock.calls.map((args) => format(...args)).join("\n"), id };
  };

  it("a service failure is logged on one line with the request ID", async () => {
    const { text, id } = await log(saying(401, said));
    expect(text).toMatch(/^template-pdf\/handler: Got 401 from .*API key/);
    expect(text.endsWith(`(request ${id})`)).toBe(true);
    expect(text).not.toContain(secrets.key);
    expect(text).not.toContain("\n");
  });

  it.each([
    ["production", false],
    ["development", true],
  ])("a failed function's stack is logged unless NODE_ENV is production (%s)", async (mode, isPrinted) => {
    vi.stubEnv("NODE_ENV", mode);
    const values = () => {
      throw new RangeError(secrets.upstream);
    };
    const { text } = await log(undefined, { values });
    expect(text).toMatch(/^template-pdf\/handler: `values` failed/);
    expect(text.includes(secrets.upstream)).toBe(isPrinted);
    expect(text.includes("failures.test.ts")).toBe(isPrinted);
    if (!isPrinted) expect(text).toContain("failed with RangeError. Pass `onError` to log it");
  });
});
