import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setupServer } from "msw/node";
import { type ClientOptions, TemplatePdf, template } from "template-pdf";
import { type FakeService, fakeService, faults, pdfText } from "template-pdf/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { readPdf } from "../support/pdf-text.ts";

type Reachable = Pick<FakeService<unknown>, "baseUrl" | "apiKey" | "fetch" | "handlers" | "listen">;

/** The three ways to connect a client to a fake service. Each returns client options that are valid until the test has finished. */
const ways: Readonly<Record<string, (service: Reachable) => Promise<ClientOptions>>> = {
  "service.fetch": async ({ baseUrl, apiKey, fetch }) => ({ baseUrl, apiKey, fetch }),
  "service.handlers": async ({ baseUrl, apiKey, handlers }) => {
    const server = setupServer(...handlers);
    server.listen({ onUnhandledRequest: "error" });
    onTestFinished(() => server.close());
    return { baseUrl, apiKey };
  },
  "service.listen()": async (service) => {
    const { baseUrl, close } = await service.listen();
    onTestFinished(close);
    return { baseUrl, apiKey: service.apiKey };
  },
};

/** Creates a client without retries that is connected in one of these ways. */
async function clientBy(way: string, service: Reachable, options: ClientOptions = {}): Promise<TemplatePdf> {
  const connect = ways[way];
  if (!connect) throw new Error(`Unknown way to connect: ${way}`);
  const client = new TemplatePdf({
    ...(await connect(service)),
    retry: false,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

const values = {
  date: "20 November 2026",
  lines: [{ text: "Café menu", amount: "£640.00" }],
  total: "£640.00",
};

describe.each(Object.keys(ways))("a fake service through %s", (way) => {
  it("responds with a complete PDF that contains the uid and the values as text", async () => {
    const pdfs = await clientBy(way, fakeService());
    const { pages, text } = await readPdf(await pdfs.generate("inv_2024", values).bytes());
    expect(pages).toBe(1);
    for (const part of ["inv_2024", "date: 20 November 2026", "lines[0].text: Café menu", "total: £640.00"]) {
      expect(text).toContain(part);
    }
  });

  it("sends the file name and the length of the document like the service", async () => {
    const pdfs = await clientBy(way, fakeService());
    const pdf = await pdfs.generate("inv 2024/ä", values);
    expect([pdf.status, pdf.filename, pdf.headers.get("content-type")]).toEqual([
      200,
      "inv 2024_ä.pdf",
      "application/pdf",
    ]);
    expect((await pdf.bytes()).length).toBe(pdf.contentLength);
  });

  it("records the calls with their uid, values and headers, but without the key", async () => {
    const service = fakeService();
    const pdfs = await clientBy(way, service, { headers: { "x-tenant": "7" } });
    await pdfs.generate("inv_2024", values).bytes();
    await pdfs.generate("cert", { name: undefined, at: new Date(0) }).bytes();
    expect(service.calls).toMatchObject([
      { uid: "inv_2024", values, fault: undefined },
      { uid: "cert", values: { at: "1970-01-01T00:00:00.000Z" }, fault: undefined },
    ]);
    expect(service.calls[0]?.headers.get("x-tenant")).toBe("7");
    expect(service.calls[0]?.headers.has("authorization")).toBe(false);
  });

  it("accepts any key unless keys are configured", async () => {
    const open = await clientBy(way, fakeService(), { apiKey: "any-other" });
    await open.generate("inv_2024", values).bytes();
    const service = fakeService({ apiKeys: ["one-1", "two-2"] });
    const pdfs = await clientBy(way, service);
    await pdfs.generate("inv_2024", values).bytes();
    await pdfs.with({ apiKey: "two-2" }).generate("inv_2024", values).bytes();
    await expect(pdfs.with({ apiKey: "three-3" }).generate("inv_2024", values)).rejects.toMatchObject({
      code: "authentication_failed",
    });
    expect(service.calls).toHaveLength(2);
  });

  it("does not require a key if configured that way", async () => {
    const service = fakeService({ apiKeys: null });
    const pdfs = await clientBy(way, service, { apiKey: null });
    await pdfs.generate("inv_2024", values).bytes();
    await pdfs.with({ apiKey: "any-key" }).generate("inv_2024", values).bytes();
    expect(service.calls).toHaveLength(2);
  });

  it("has only the configured templates", async () => {
    const service = fakeService({ templates: ["inv_2024", template("cert")] });
    const pdfs = await clientBy(way, service);
    await pdfs.generate("inv_2024", {}).bytes();
    await pdfs.generate("cert", {}).bytes();
    const pending = pdfs.generate("invoice", {}).bytes();
    await expect(pending).rejects.toMatchObject({ code: "not_found", status: 404 });
    await expect(pending).rejects.toThrow("This fake service has these templates: inv_2024, cert.");
  });

  it("validates values with the schema of the template, and reveals no value", async () => {
    const invoice = template("inv_2024", z.object({ lines: z.array(z.object({ amount: z.string() })) }));
    const pdfs = await clientBy(way, fakeService({ templates: [invoice] }));
    const pending = pdfs.generate("inv_2024", { lines: [{ amount: 700_123 }] }).bytes();
    await expect(pending).rejects.toMatchObject({
      code: "bad_request",
      status: 422,
      body: { errors: [{ path: "lines[0].amount" }] },
    });
    await expect(pending).rejects.toThrow(/by its schema in `templates` of fakeService/);
    await expect(pending).rejects.not.toThrow("700123");
  });

  it.each(["cutOff", "stall", "reset"] as const)(
    "can fail with %s at an exact byte, even if the document is short",
    async (kind) => {
      const service = fakeService().fail(faults[kind]({ afterBytes: 50_000 }));
      const pdfs = await clientBy(way, service, { timeouts: { stall: 200 } });
      const seen: number[] = [];
      const reading = (async () => {
        for await (const chunk of pdfs.generate("inv_2024", values)) seen.push(chunk.length);
      })();
      await expect(reading).rejects.toMatchObject({ code: kind === "stall" ? "timeout" : "truncated_pdf" });
      expect(seen.reduce((sum, length) => sum + length, 0)).toBe(50_000);
    },
  );

  it.each([
    ["unauthorized", faults.unauthorized(), { code: "authentication_failed", status: 401 }],
    ["rateLimited", faults.rateLimited({ retryAfter: 7 }), { code: "rate_limited", retryAfterMs: 7_000 }],
    ["serverError", faults.serverError({ status: 503 }), { code: "server_error", status: 503 }],
    ["notAPdf", faults.notAPdf(), { code: "invalid_pdf", contentType: "text/html" }],
    ["reset", faults.reset(), { code: "connection_failed" }],
    ["cutOff", faults.cutOff(), { code: "truncated_pdf" }],
  ])("plays %s", async (_name, fault, error) => {
    const service = fakeService().fail(fault);
    const pdfs = await clientBy(way, service);
    const id = "status" in error || "retryAfterMs" in error ? { requestId: expect.any(String) } : {};
    await expect(pdfs.generate("inv_2024", values).bytes()).rejects.toMatchObject({ ...error, ...id });
    expect(service.calls).toMatchObject([{ uid: "inv_2024", values, fault: fault.name }]);
  });

  it("sends a slow document completely, in several pieces", async () => {
    const pdfs = await clientBy(way, fakeService().fail(faults.slow({ pieces: 7, everyMs: 20 })));
    const pieces: Uint8Array[] = [];
    for await (const piece of pdfs.generate("inv_2024", values)) pieces.push(piece);
    expect(pieces).toHaveLength(7);
    expect(await pdfText(Buffer.concat(pieces))).toContain("£640.00");
  });

  it("lets a client retry, and counts each attempt", async () => {
    const service = fakeService()
      .fail(faults.serverError(), { times: 1 })
      .fail(faults.cutOff(), { times: 1 });
    const pdfs = await clientBy(way, service, { retry: {} });
    await pdfs.generate("inv_2024", values).bytes();
    expect(service.calls.map(({ fault }) => fault)).toEqual([
      "a response with 500",
      "the connection ends in the middle of the document",
      undefined,
    ]);
  });

  it("can fail the calls for one template only", async () => {
    const service = fakeService().fail(faults.serverError(), { uid: "cert" });
    const pdfs = await clientBy(way, service);
    await pdfs.generate("inv_2024", values).bytes();
    for (let call = 0; call < 3; call++) {
      await expect(pdfs.generate("cert", values)).rejects.toMatchObject({ code: "server_error" });
    }
    service.reset();
    await pdfs.generate("cert", values).bytes();
    expect(service.calls).toHaveLength(1);
  });

  it("ends a stalled response when its caller disconnects", async () => {
    const service = fakeService().fail(faults.stall());
    const pdfs = await clientBy(way, service);
    const leaving = new AbortController();
    const pending = pdfs.generate("inv_2024", values, { signal: leaving.signal }).bytes();
    await service.waitForCall();
    leaving.abort(new Error("no longer wanted"));
    await expect(pending).rejects.toThrow("no longer wanted");
  });

  it("records the output of a schema, and accepts that output as valid", async () => {
    const invoice = template(
      "inv_2024",
      z.object({ total: z.number().transform((total) => `£${total}`), currency: z.string().default("GBP") }),
    );
    const service = fakeService({ templates: [invoice] });
    const pdfs = await clientBy(way, service);
    await pdfs.generate(invoice, { total: 5 }).bytes();
    expect(service.calls[0]?.values).toEqual({ total: "£5", currency: "GBP" });
    const total: string | undefined = service.calls[0]?.values.total;
    expect(total).toBe("£5");
    // Other values are still rejected.
    await expect(pdfs.generate("inv_2024", { total: 5, currency: 7 })).rejects.toMatchObject({ status: 422 });
  });
});

it("shares nothing with another fake service", async () => {
  const [one, other] = [fakeService(), fakeService()];
  one.fail(faults.serverError());
  const pdfs = await clientBy("service.fetch", other);
  await pdfs.generate("inv_2024", values).bytes();
  expect([one.calls.length, other.calls.length]).toEqual([0, 1]);
});

it("keeps its list of calls after reset()", async () => {
  const service = fakeService();
  const { calls } = service;
  const pdfs = await clientBy("service.fetch", service);
  await pdfs.generate("inv_2024", values).bytes();
  service.reset();
  expect(calls).toEqual([]);
  await pdfs.generate("cert", values).bytes();
  expect(calls).toMatchObject([{ uid: "cert" }]);
});

it("closes its sockets at once, including those of a stalled response", async () => {
  const service = fakeService().fail(faults.stall());
  const { baseUrl, close } = await service.listen();
  onTestFinished(close);
  const pdfs: TemplatePdf = await clientBy("service.fetch", service, { baseUrl, fetch: undefined });
  const pending = pdfs.generate("inv_2024", values).bytes();
  await service.waitForCall();
  await Promise.all([
    close(),
    expect(pending).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:truncated_pdf|connection_failed)$/),
    }),
  ]);
});

describe("service.fetch", () => {
  const asked = {
    method: "POST",
    headers: { authorization: "API-Key k", "content-type": "application/json" },
    body: "{}",
  };
  const path = "/api/v1/templates/inv_2024/generate-sync";

  it("responds at any URL, unless it has a base URL", async () => {
    const anywhere = fakeService();
    expect((await anywhere.fetch(`https://one.test/any/where${path}`, asked)).status).toBe(200);
    const somewhere = fakeService({ baseUrl: "https://pdf.example.com/v/" });
    expect(somewhere.baseUrl).toBe("https://pdf.example.com/v");
    expect((await somewhere.fetch(`https://pdf.example.com/v${path}`, asked)).status).toBe(200);
    const astray = somewhere.fetch(`https://pdf.example.com${path}`, asked);
    await expect(astray).rejects.toThrow(new TypeError("fetch failed"));
    await expect(astray).rejects.toMatchObject({
      cause: { message: expect.stringContaining("only serves https://pdf.example.com/v") },
    });
  });

  it("ends a stalled body for a caller that disconnects, even after garbage collection", async () => {
    const leaving = new AbortController();
    const service = fakeService().fail(faults.stall());
    const response = await service.fetch(`https://one.test${path}`, { ...asked, signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    const next = reader?.read();
    setFlagsFromString("--expose-gc");
    await new Promise((resolve) => setImmediate(resolve));
    runInNewContext("gc")();
    leaving.abort(new Error("gone"));
    await expect(next).rejects.toThrow("gone");
  });

  it("accepts the arguments of the global fetch", async () => {
    const { fetch } = fakeService();
    const url = `https://one.test${path}`;
    const answers = await Promise.all([
      fetch(url, asked),
      fetch(new URL(url), asked),
      fetch(new Request(url, asked)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await fetch(url)).status).toBe(405);
    await expect(fetch(url, { ...asked, signal: AbortSignal.abort("gone") })).rejects.toBe("gone");
    const leaving = new AbortController();
    const left = fetch(url, { ...asked, signal: leaving.signal });
    leaving.abort("left");
    await expect(left).rejects.toBe("left");
    await expect(fetch("no-url", asked)).rejects.toBeInstanceOf(TypeError);
  });
});
