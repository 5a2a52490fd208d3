import { setupServer } from "msw/node";
import { type ClientOptions, ConfigurationError, TemplatePdf, template } from "template-pdf";
import { type FakeService, fakeService, faults, pdfText } from "template-pdf/testing";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { later } from "../support/sockets.ts";

type Reachable = Pick<FakeService<unknown>, "baseUrl" | "apiKey" | "fetch" | "handlers" | "listen">;

/** Three ways to connect a client to a fake service. The client options are valid until the test ends. */
const ways: Readonly<Record<string, (service: Reachable) => ClientOptions | Promise<ClientOptions>>> = {
  "service.fetch": ({ baseUrl, fetch }) => ({ baseUrl, fetch }),
  "service.handlers": ({ baseUrl, handlers }) => {
    const server = setupServer(...handlers);
    server.listen({ onUnhandledRequest: "error" });
    onTestFinished(() => server.close());
    return { baseUrl };
  },
  "service.listen()": async (service) => {
    const { baseUrl, close } = await service.listen();
    onTestFinished(close);
    return { baseUrl };
  },
};

/** Creates a client without retries that is connected through `service.fetch` or in another way. */
function clientOf(service: Reachable, options: ClientOptions = {}): TemplatePdf {
  const { baseUrl, apiKey, fetch } = service;
  const client = new TemplatePdf({ baseUrl, apiKey, fetch, retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

const values = { date: "20 November 2026", lines: [{ text: "Café menu" }], total: "£640.00" };

describe.each(Object.entries(ways))("a fake service reached through %s", (_way, connect) => {
  const clientBy = async (service: Reachable, options: ClientOptions = {}) =>
    clientOf(service, { fetch: undefined, ...(await connect(service)), ...options });

  it("records calls, and responds with a PDF that contains the uid and the values", async () => {
    const service = fakeService({ templates: ["inv 2024/ä", template("cert")], apiKeys: ["one-1", "two-2"] });
    const pdfs = await clientBy(service, { headers: { "x-tenant": "7" } });
    const pdf = await pdfs.generate("inv 2024/ä", values);
    expect(pdf.filename).toBe("inv 2024_ä.pdf");
    expect(pdf.headers.get("content-type")).toBe("application/pdf");
    const bytes = await pdf.bytes();
    expect(bytes.length).toBe(pdf.contentLength);
    const text = await pdfText(bytes);
    const parts = ["inv 2024/ä", "date: 20 November 2026", "lines[0].text: Café menu", "total: £640.00"];
    for (const part of parts) expect(text).toContain(part);
    const other = pdfs.with({ apiKey: "two-2" });
    await other.generate("cert", { name: undefined, at: new Date(0) }).bytes();
    const unauthorized = pdfs.with({ apiKey: "three-3" }).generate("cert", {});
    await expect(unauthorized).rejects.toMatchObject({ code: "authentication_failed" });
    await expect(pdfs.generate("invoice", {})).rejects.toThrow(
      "This fake service has these templates: inv 2024/ä, cert.",
    );
    expect(service.calls).toMatchObject([
      { uid: "inv 2024/ä", values, fault: undefined },
      { uid: "cert", values: { at: "1970-01-01T00:00:00.000Z" }, fault: undefined },
      { uid: "invoice", values: {}, fault: undefined },
    ]);
    expect(service.calls[0]?.headers.get("x-tenant")).toBe("7");
    expect(service.calls[0]?.headers.has("authorization")).toBe(false);
  });

  it.each(["cutOff", "stall", "reset"] as const)(
    "can simulate the fault `%s` at an exact byte",
    async (kind) => {
      const service = fakeService().fail(faults[kind]({ afterBytes: 50_000 }));
      const pdfs = await clientBy(service, { timeouts: { stall: 200 } });
      let seen = 0;
      const reading = (async () => {
        for await (const chunk of pdfs.generate("inv_2024", values)) seen += chunk.length;
      })();
      await expect(reading).rejects.toMatchObject({ code: kind === "stall" ? "timeout" : "truncated_pdf" });
      expect(seen).toBe(50_000);
    },
  );

  it("can drop a connection, and can send a document slowly", async () => {
    const service = fakeService()
      .fail(faults.serverError(), { times: 1 })
      .fail(faults.reset(), { times: 1 })
      .fail(faults.slow({ pieces: 7, everyMs: 20 }));
    const pdfs = await clientBy(service, { retry: {} });
    const pieces: Uint8Array[] = [];
    for await (const piece of pdfs.generate("inv_2024", values)) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(await pdfText(Buffer.concat(pieces))).toContain("£640.00");
    expect(service.calls.map(({ fault }) => fault)).toEqual([
      "a response with 500",
      "the connection is reset before a response",
      "the document arrives slowly but steadily",
    ]);
  });

  it("does not prevent a caller from cancelling during a stalled response", async () => {
    const service = fakeService().fail(faults.stall({ afterBytes: 1_000 }));
    const pdfs = await clientBy(service);
    const leaving = new AbortController();
    const document = await pdfs.generate("inv_2024", values, { signal: leaving.signal });
    const chunks = document.stream().getReader();
    expect((await chunks.read()).value).toHaveLength(1_000);
    const next = chunks.read();
    leaving.abort(new Error("no longer wanted"));
    await expect(next).rejects.toThrow("no longer wanted");
  });
});

describe("a fake service", () => {
  it("accepts any API key by default, and accepts calls without a key if `apiKeys` is null", async () => {
    await clientOf(fakeService(), { apiKey: "any-other" }).generate("inv_2024", values).bytes();
    const pdfs = clientOf(fakeService({ apiKeys: null }), { apiKey: null });
    await pdfs.generate("inv_2024", values).bytes();
    await pdfs.with({ apiKey: "any-key" }).generate("inv_2024", values).bytes();
  });

  it("validates values with the template's schema, and does not quote invalid values", async () => {
    const invoice = template("inv_2024", z.object({ lines: z.array(z.object({ amount: z.string() })) }));
    const pdfs = clientOf(fakeService({ templates: [invoice] }));
    const pending = pdfs.generate("inv_2024", { lines: [{ amount: 700_123 }] }).bytes();
    const body = { errors: [{ path: "lines[0].amount" }] };
    await expect(pending).rejects.toMatchObject({ code: "bad_request", status: 422, body });
    await expect(pending).rejects.toThrow(/by its schema in fakeService\(\{ templates \}\)/);
    await expect(pending).rejects.not.toThrow("700123");
  });

  it("accepts and records the output of a template's schema", async () => {
    const total = z.number().transform((given) => `£${given}`);
    const invoice = template("inv_2024", z.object({ total, currency: z.string().default("GBP") }));
    const service = fakeService({ templates: [invoice] });
    const pdfs = clientOf(service);
    await pdfs.generate(invoice, { total: 5 }).bytes();
    const output: { total: string; currency: string } | undefined = service.calls[0]?.values;
    expect(output).toEqual({ total: "£5", currency: "GBP" });
    // Other values are still rejected.
    await expect(pdfs.generate("inv_2024", { total: 5, currency: 7 })).rejects.toMatchObject({ status: 422 });
  });

  it.each([
    ["unauthorized", faults.unauthorized(), { code: "authentication_failed", status: 401 }],
    ["rateLimited", faults.rateLimited({ retryAfter: 7 }), { code: "rate_limited", retryAfterMs: 7_000 }],
    ["serverError", faults.serverError({ status: 503 }), { code: "server_error", status: 503 }],
    ["serverError", faults.serverError({ retryAfter: 5 }), { status: 500, retryAfterMs: 5_000 }],
    ["notAPdf", faults.notAPdf(), { code: "invalid_pdf", contentType: "text/html" }],
    ["decodedAsText", faults.decodedAsText(), { code: "invalid_pdf", contentType: "application/pdf" }],
    ["reset", faults.reset(), { code: "connection_failed" }],
  ])("simulates the fault `%s`", async (_name, fault, error) => {
    const service = fakeService().fail(fault);
    await expect(clientOf(service).generate("inv_2024", values).bytes()).rejects.toMatchObject(error);
    expect(service.calls).toMatchObject([{ uid: "inv_2024", values, fault: fault.name }]);
  });

  it("can fail calls for one template only, and clears its state on reset()", async () => {
    const service = fakeService().fail(faults.serverError(), { uid: "cert" });
    const { calls } = service;
    const pdfs = clientOf(service);
    await pdfs.generate("inv_2024", values).bytes();
    for (let call = 0; call < 2; call++) {
      await expect(pdfs.generate("cert", values)).rejects.toMatchObject({ code: "server_error" });
    }
    service.reset();
    expect(calls).toEqual([]);
    await pdfs.generate("cert", values).bytes();
    expect(calls).toMatchObject([{ uid: "cert" }]);
  });

  describe("that listens, on close()", () => {
    afterEach(() => vi.useRealTimers());

    it("interrupts a stalled response without waiting for any timer", async () => {
      const service = fakeService().fail(faults.stall({ afterBytes: 1_000 }));
      const { baseUrl, close } = await service.listen();
      const client = clientOf(service, { baseUrl, fetch: undefined });
      const chunks = (await client.generate("inv_2024", values)).stream().getReader();
      expect((await chunks.read()).value).toHaveLength(1_000);
      const nextChunk = chunks.read().catch((error) => error);
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      await close();
      expect(await nextChunk).toMatchObject({ code: "truncated_pdf" });
    });

    it("interrupts a call that has no response yet, without a delay", async () => {
      const validating = later<void>();
      const validate = () => {
        validating.resolve();
        return new Promise<never>(() => {});
      };
      const endlessSchema = { "~standard": { version: 1, vendor: "ours", validate } } as const;
      const service = fakeService({ templates: [template("inv_2024", endlessSchema)] });
      const { baseUrl, close } = await service.listen();
      const client = clientOf(service, { baseUrl, fetch: undefined });
      const pending = client.generate("inv_2024", values).bytes();
      await validating.promise;
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      const closing = close();
      await vi.advanceTimersByTimeAsync(1);
      await closing;
      await expect(pending).rejects.toMatchObject({ code: "connection_failed" });
    });
  });
});

const init = {
  method: "POST",
  headers: { authorization: "API-Key k", "content-type": "application/json" },
  body: "{}",
};
const path = "/api/v1/templates/inv_2024/generate-sync";

describe("service.fetch", () => {
  it("accepts any URL unless the service has a base URL", async () => {
    const anywhere = fakeService();
    expect((await anywhere.fetch(`https://one.test/any/where${path}`, init)).status).toBe(200);
    const somewhere = fakeService({ baseUrl: "https://pdf.example.com/v/" });
    expect(somewhere.baseUrl).toBe("https://pdf.example.com/v");
    expect((await somewhere.fetch(`https://pdf.example.com/v${path}`, init)).status).toBe(200);
    const astray = somewhere.fetch(`https://pdf.example.com${path}`, init);
    await expect(astray).rejects.toThrow(new TypeError("fetch failed"));
    await expect(astray).rejects.toMatchObject({
      cause: { message: expect.stringContaining("only serves https://pdf.example.com/v") },
    });
  });

  it("accepts the same arguments as the global fetch", async () => {
    const { fetch } = fakeService();
    const url = `https://one.test${path}`;
    for (const input of [url, new URL(url), new Request(url, init)]) {
      expect((await fetch(input, init)).status).toBe(200);
    }
    expect((await fetch(url)).status).toBe(405);
    await expect(fetch(url, { ...init, signal: AbortSignal.abort("gone") })).rejects.toBe("gone");
    const leaving = new AbortController();
    const left = fetch(url, { ...init, signal: leaving.signal });
    leaving.abort("left");
    await expect(left).rejects.toBe("left");
    await expect(fetch("no-url", init)).rejects.toBeInstanceOf(TypeError);
  });

  it("ends a stalled response with the reason if the signal is aborted", async () => {
    const leaving = new AbortController();
    const { fetch } = fakeService().fail(faults.stall({ afterBytes: 1_000 }));
    const response = await fetch(`https://one.test${path}`, { ...init, signal: leaving.signal });
    const chunks = (response.body as ReadableStream<Uint8Array>).getReader();
    expect((await chunks.read()).value).toHaveLength(1_000);
    const nextChunk = chunks.read();
    leaving.abort("left");
    await expect(nextChunk).rejects.toBe("left");
  });
});

describe("a mistake in a test", () => {
  const service = fakeService({ templates: ["a"] });
  const [fail, waitForCall] = [service.fail.bind(service), service.waitForCall.bind(service)];
  const acts: Record<string, (...args: never[]) => unknown> = { fakeService, ...faults, fail, waitForCall };
  const reset = faults.reset();

  it.each<[name: string, args: unknown[], message: string]>([
    ["fakeService", [null], "Expected the fakeService() options to be an object, got null"],
    ["fakeService", [{ template: ["a"] }], "Known options: baseUrl, templates, apiKeys."],
    ["fakeService", [{ baseUrl: "https://u:p@pdf.example.com" }], "credentials"],
    ["fakeService", [{ templates: ["a", 7] }], "`templates[1]` to be a uid or a `template()`, got number"],
    ["fakeService", [{ templates: ["a", "a"] }], 'The template "a" is in `templates` twice'],
    ["fakeService", [{ apiKeys: ["with space"] }], "Expected `apiKeys` to be an array of one or more keys"],
    ["fail", [faults.serverError, {}], "Expected a fault, for example service.fail("],
    ["fail", [reset, { times: 0 }], "`times` to be a whole number, 1 or more, got `0` (number)"],
    ["fail", [reset, { uid: "b" }], 'This fake service has no template "b". It has: a.'],
    ["cutOff", [{ afterBytes: -1 }], "Expected `afterBytes` to be a whole number, 0 or more, got `-1`"],
    ["stall", [{ afterByte: 1 }], "Unknown stall() option `afterByte`. Known options: afterBytes."],
    ["serverError", [{ status: 404 }], "number from 500 to 599 (to get a 404 or 422, pass `templates`"],
    ["serverError", [{ retryAfter: -1 }], "Expected `retryAfter` to be a whole number of seconds"],
    ["rateLimited", [{ retryAfter: "a\r\nb" }], "Expected `retryAfter` to be a whole number of seconds"],
    ["slow", [{ pieces: 0 }], "Expected `pieces` to be a whole number, 1 or more"],
    ["waitForCall", [0], "Expected `n` to be a whole number, 1 or more"],
    ["waitForCall", [1, { timeoutMs: 0 }], "Expected `timeoutMs` to be a number of milliseconds"],
  ])("is reported immediately if the arguments of %s() are invalid: %j", (name, args, message) => {
    const act = () => acts[name]?.(...(args as never[]));
    expect(act).toThrow(ConfigurationError);
    expect(act).toThrow(message);
  });

  it("is reported if a port is invalid or in use", async () => {
    const service = fakeService();
    const problem = "Expected `port` to be a whole number from 0 to 65535";
    await expect(service.listen({ port: 70_000 })).rejects.toThrow(problem);
    const { baseUrl, close } = await service.listen();
    await expect(service.listen({ port: Number(new URL(baseUrl).port) })).rejects.toThrow(/is in use/);
    await close();
  });

  it("is reported in a 500 response if a schema throws an error", async () => {
    const validate = () => expect.fail("this schema is broken");
    const broken = template("inv_2024", { "~standard": { version: 1, vendor: "ours", validate } });
    const { fetch } = fakeService({ templates: [broken] });
    const response = await fetch(`https://one.test${path}`, init);
    expect(response.status).toBe(500);
    expect((await response.json()).detail).toContain("schema");
  });
});

describe("waitForCall()", () => {
  afterEach(() => vi.useRealTimers());

  it("resolves with a call that has already arrived or arrives later", async () => {
    const service = fakeService();
    const third = service.waitForCall(3);
    for (const uid of ["a", "b", "c"]) await clientOf(service).generate(uid, {}).bytes();
    const calls = [await service.waitForCall(), await service.waitForCall(2), await third];
    expect(calls.map(({ uid }) => uid)).toEqual(["a", "b", "c"]);
  });

  it("times out even while fake timers are stopped", { timeout: 5_000 }, async () => {
    vi.useFakeTimers();
    await expect(fakeService().waitForCall(2, { timeoutMs: 30 })).rejects.toThrow(
      "Call number 2 did not arrive within 30 ms: the fake service has received 0 call(s) with a valid key and readable values.",
    );
  });

  it("does not time out when fake timers advance", async () => {
    vi.useFakeTimers();
    const service = fakeService();
    const waiting = service.waitForCall(1, { timeoutMs: 60_000 });
    await vi.advanceTimersByTimeAsync(120_000);
    await clientOf(service).generate("a", {}).bytes();
    expect((await waiting).uid).toBe("a");
  });
});
