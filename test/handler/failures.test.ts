import { format } from "node:util";
import { ConfigurationError, template } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { type Answer, Service, saying } from "../support/service.ts";
import { callOf, handlerBefore, handlerOf, pdf, problemOf, secrets, untouchedClient } from "./handling.ts";

const said = `{"message":"${secrets.upstream} ${secrets.uid}"}`;
const upstreams: [what: string, answer: Answer, status: number, kind: string][] = [
  ["400", saying(400, said), 422, "invalid-values"],
  ["401", saying(401, said), 502, "document-not-made"],
  ["403", saying(403, said), 502, "document-not-made"],
  ["404", saying(404, said), 502, "document-not-made"],
  ["408", saying(408, said), 504, "service-too-slow"],
  ["409", saying(409, said), 502, "document-not-made"],
  ["413", saying(413, said), 413, "body-too-large"],
  ["418", saying(418, said), 502, "document-not-made"],
  ["422", saying(422, said), 422, "invalid-values"],
  ["429", saying(429, said), 429, "rate-limited"],
  ["500", saying(500, said), 502, "document-not-made"],
  ["502", saying(502, `<html>${secrets.upstream}`), 502, "document-not-made"],
  ["503", saying(503, said), 503, "service-busy"],
  ["504", saying(504, said), 504, "service-too-slow"],
  [
    "a redirect",
    saying(302, "", { location: `https://${secrets.upstream}.test/` }),
    502,
    "document-not-made",
  ],
  ["HTML with 200", saying(200, `<html>${secrets.upstream}</html>`), 502, "service-unavailable"],
  ["nothing with 200", saying(200), 502, "service-unavailable"],
  ["a closed socket", ({ socket }) => void socket.destroy(), 502, "service-unavailable"],
];

describe("where the service answers", () => {
  it.each(upstreams)("%s, the page hears what it may know", async (_, answer, status, kind) => {
    const { handler, service, onError } = await handlerBefore(answer);
    const found = await problemOf(await handler(callOf()));
    expect([found.response.status, found.kind]).toEqual([status, kind]);
    expect(found.response.headers.get("content-type")).toBe("application/problem+json");
    expect(JSON.stringify(found)).not.toContain(service.baseUrl);
    expect(onError).toHaveBeenCalledTimes(1);
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    [429, "7", "7"],
    [503, "7", "7"],
    [429, "0.2", "1"],
    [429, new Date(Date.now() + 3_600_000).toUTCString(), /^3(?:600|59\d)$/],
    [429, "soon", null],
    [429, "9".repeat(400), null],
    [500, "7", null],
    [422, "7", null],
  ])("%i with Retry-After: %s, the page gets %s", async (status, retryAfter, expected) => {
    const { handler } = await handlerBefore(saying(status, "", { "retry-after": retryAfter }));
    const { headers } = await handler(callOf());
    const got = headers.get("retry-after");
    if (expected instanceof RegExp) expect(got).toMatch(expected);
    else expect(got).toBe(expected);
  });

  it("badly to what the server has made of the values, the page hears of that all the same", async () => {
    const values = (_: Request, sent: Record<string, unknown>) => ({ ...sent, more: "of ours" });
    const { handler } = await handlerBefore(saying(429, said), { values });
    expect((await problemOf(await handler(callOf()))).kind).toBe("rate-limited");
  });

  it.each([
    [401, "a reason that lies on this side"],
    [500, "Try again later"],
    [502, "Try again later"],
  ])("%i, the page hears whether it is worth another try", async (status, words) => {
    const { handler } = await handlerBefore(saying(status, said));
    expect((await problemOf(await handler(callOf()))).detail).toContain(words);
  });

  it("too late, the page hears so", async () => {
    const service = await Service.start(() => {});
    const client = service.client({ apiKey: secrets.key, timeouts: { firstByte: 50 } });
    const { response, kind } = await problemOf(await handlerOf({ client }).handler(callOf()));
    expect([response.status, kind]).toEqual([504, "service-too-slow"]);
  });

  it("not at all, it is asked again, because nothing was sent", async () => {
    const service = await Service.start(() => {});
    const dispatch = vi.fn((_: unknown, handler: { onResponseError(c: unknown, error: Error): void }) => {
      const error = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      queueMicrotask(() => handler.onResponseError({}, error));
      return true;
    });
    vi.spyOn(Math, "random").mockReturnValue(0.001);
    const client = service.client({ apiKey: secrets.key, dispatcher: { dispatch }, retry: { limit: 2 } });
    const { response, kind } = await problemOf(await handlerOf({ client }).handler(callOf()));
    expect([response.status, kind, dispatch.mock.calls.length]).toEqual([502, "service-unavailable", 3]);
    vi.restoreAllMocks();
  });

  it("badly, it is asked again only where the handler was told to", async () => {
    let count = 0;
    const answer: Answer = (received) =>
      (count++ === 0 ? saying(503, "", { "retry-after": "0" }) : saying(200, pdf))(received);
    const { service } = await handlerBefore(answer);
    const client = service.client({ apiKey: secrets.key, retry: { limit: 1 } });
    vi.spyOn(Math, "random").mockReturnValue(0.001);
    const { handler } = handlerOf({ client, retry: { mayRenderTwice: true } });
    expect((await handler(callOf())).status).toBe(200);
    vi.restoreAllMocks();
  });
});

describe("values that do not fit", () => {
  it("are told place by place, by the name that the page knows, and without a value", async () => {
    const schema = z.object({ total: z.string(), lines: z.array(z.object({ price: z.number() })) });
    const { handler, onError } = handlerOf({
      client: untouchedClient(),
      templates: { bill: template(secrets.uid, schema) },
    });
    const body = '{"total":7,"lines":[{"price":"value-of-a-page"}]}';
    const found = await problemOf(await handler(callOf({ name: "bill", body })));
    expect([found.response.status, found.kind]).toEqual([422, "invalid-values"]);
    expect(found.detail).toMatch(/^The values do not fit the template "bill": total: /);
    expect(found.errors).toEqual([
      { path: "total", detail: expect.stringContaining("string") },
      { path: "lines[0].price", detail: expect.stringContaining("number") },
    ]);
    expect(JSON.stringify(found)).not.toContain("value-of-a-page");
    expect(onError).not.toHaveBeenCalled();
  });
});

it("values of a page that no JSON writer takes are the page's fault", async () => {
  const { handler, onError } = handlerOf({ client: untouchedClient() });
  const body = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const { response, kind } = await problemOf(await handler(callOf({ body })));
  expect([response.status, kind]).toEqual([422, "invalid-values"]);
  expect(onError).not.toHaveBeenCalled();
});

describe("a body", () => {
  it("is copied from pieces that share their memory", async () => {
    const { handler, service } = await handlerBefore();
    const text = `{"note":"${"x".repeat(40_000)}"}`;
    const piece = new Uint8Array(1);
    let at = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      if (at === text.length) return controller.close();
      // The same memory every time: who keeps it has the last byte in all places.
      piece[0] = text.charCodeAt(at++);
      controller.enqueue(piece);
    };
    const stream = new ReadableStream({ pull }, { highWaterMark: 0 });
    expect((await handler(callOf({ body: stream }))).status).toBe(200);
    expect((await service.request()).body).toBe(text);
  });

  it.each([
    ["no JSON", { body: "{" }, 400, "body-not-json"],
    ["too large", { body: `"${"x".repeat(1_048_576)}"` }, 413, "body-too-large"],
    ["another path", { path: "/" }, 404, "unknown-path"],
  ])("that is %s is refused", async (_, call, status, kind) => {
    const { handler, onError } = handlerOf({ client: untouchedClient() });
    const found = await problemOf(await handler(callOf(call)));
    expect([found.response.status, found.kind]).toEqual([status, kind]);
    expect(onError).not.toHaveBeenCalled();
  });

  it("that somebody else has taken is a fault of this side, and the log tells the way out", async () => {
    const { handler, onError } = handlerOf({ client: untouchedClient() });
    const headers = { "content-length": "17" };
    const found = await problemOf(await handler(callOf({ body: "", headers })));
    expect([found.response.status, found.kind]).toEqual([500, "server-fault"]);
    expect(onError.mock.calls[0]?.[0].message).toContain("before body parsers, such as express.json()");
  });
});

describe("a function of the server that fails", () => {
  const failing = () => {
    throw new Error(`${secrets.upstream} ${secrets.key}`);
  };

  it.each(["authorize", "values", "filename"] as const)(
    "%s tells the page nothing, and the log all",
    async (name) => {
      for (const broken of [failing, async () => failing()]) {
        const { handler, onError } = handlerOf({ client: untouchedClient(), [name]: broken });
        const { response, kind } = await problemOf(await handler(callOf()));
        expect([response.status, kind]).toEqual([500, "server-fault"]);
        const [error, { request, requestId, failed }] = onError.mock.calls[0] ?? [];
        expect(failed).toBe(name);
        expect(error.message).toContain(secrets.upstream);
        expect(request.url).toContain("/templates/invoice/");
        expect(requestId).toBe(response.headers.get("x-request-id"));
      }
    },
  );

  it("apiKey tells the page nothing", async () => {
    const service = await Service.start(() => {});
    const { handler, onError } = handlerOf({ client: service.client({ apiKey: failing }) });
    const { response, kind } = await problemOf(await handler(callOf()));
    expect([response.status, kind]).toEqual([500, "server-fault"]);
    expect(onError.mock.calls[0]?.[0]).toBeInstanceOf(ConfigurationError);
  });

  it("onError loses no answer", async () => {
    for (const onError of [failing, async () => failing()]) {
      const { handler } = await handlerBefore(saying(500), { onError });
      expect((await handler(callOf())).status).toBe(502);
    }
  });
});

describe("without onError", () => {
  const logged = async (run: () => Promise<unknown>) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    await run();
    const { calls } = log.mock;
    log.mockRestore();
    return calls.map((args) => format(...args)).join("\n");
  };

  it("one line tells what the service did, and in which answer", async () => {
    const { handler } = await handlerBefore(saying(401, said), { onError: undefined });
    let id: string | null = "";
    const line = await logged(async () => {
      id = (await handler(callOf())).headers.get("x-request-id");
    });
    expect(line).toMatch(/^template-pdf\/handler: Got 401 from .*API key/);
    expect(line.endsWith(`(request ${id})`)).toBe(true);
    expect(line).not.toContain(secrets.key);
    expect(line).not.toContain("\n");
  });

  it.each([
    ["production", false],
    ["development", true],
    [undefined, true],
  ])(
    "under NODE_ENV %s, the stack of what a function of the server threw is printed: %s",
    async (mode, isPrinted) => {
      vi.stubEnv("NODE_ENV", mode);
      const values = () => {
        throw new RangeError(secrets.upstream);
      };
      const { handler } = await handlerBefore(undefined, { onError: undefined, values });
      const text = await logged(() => handler(callOf()));
      expect(text).toMatch(/^template-pdf\/handler: `values` failed/);
      expect(text.includes(secrets.upstream)).toBe(isPrinted);
      expect(text.includes("failures.test.ts")).toBe(isPrinted);
      if (!isPrinted) expect(text).toContain("failed with RangeError. Pass `onError` to log it");
      vi.unstubAllEnvs();
    },
  );

  it("nothing is told of what the page did wrong", async () => {
    const { handler } = await handlerBefore(undefined, { onError: undefined });
    expect(await logged(() => handler(callOf({ body: "[" })))).toBe("");
  });
});
