import * as fs from "node:fs";
import * as fsPromises from "node:fs/promises";
import * as openTelemetry from "@opentelemetry/api";
import { transform } from "esbuild";
import * as templatePdf from "template-pdf";
import { type Hooks, RateLimitError, type TemplatePdf } from "template-pdf";
import * as undici from "undici";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { plainKey, values } from "../client/canaries.ts";
import { temporaryFile } from "../network/child.ts";
import { startProxy } from "../network/proxy.ts";
import { startTracing } from "../observability/tracing.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { makeAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { type Answer, pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";
import { read } from "./declarations.ts";

// Runs the blocks of the guides that are files. test/runtimes/documented-examples.test.ts runs the others.

const modules: Readonly<Record<string, unknown>> = {
  "node:fs": fs,
  "node:fs/promises": fsPromises,
  "@opentelemetry/api": openTelemetry,
  "template-pdf": templatePdf,
  undici,
};

/** Runs the block of a guide that begins with a file name, with the source code of this package. Returns its exports. */
async function runBlock<Exports>(guide: string, file: string, replacements: Record<string, string> = {}) {
  const blocks = blocksOf(read(`docs/guides/${guide}.md`), "ts");
  const block = blocks.find((code) => code.startsWith(`// ${file}\n`)) ?? expect.fail(`no block ${file}`);
  let { code } = await transform(block, { loader: "ts", format: "cjs" });
  for (const [from, to] of Object.entries(replacements)) {
    expect(code).toContain(from);
    code = code.replaceAll(from, to.replaceAll("\\", "/"));
  }
  const module = { exports: {} as Exports };
  new Function("require", "module", code)((name: string) => modules[name], module);
  return module.exports;
}

const whole = withLength(pdfOf(2_000));
const busy = saying(503, JSON.stringify({ message: values.customer }), { "x-request-id": "id-1" });

/** A service that sends these responses in turn, and which the environment names. */
async function startService(...answers: Answer[]): Promise<Service> {
  const service = await Service.start((received) => answers.shift()?.(received));
  vi.stubEnv("TEMPLATE_PDF_BASE_URL", service.baseUrl);
  return service;
}

beforeEach(() => {
  vi.stubEnv("TEMPLATE_PDF_API_KEY", plainKey);
  // Retries begin immediately.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it.each(["by-hand.ts", "with-the-client.ts"])("the block %s in migrating.md saves a PDF", async (file) => {
  const service = await startService(whole);
  type Exports = { savePdf(uid: string, values: object, path: string): Promise<void> };
  const { savePdf } = await runBlock<Exports>("migrating", file);
  const path = await temporaryFile("invoice.pdf", "");
  await savePdf("invoice", values, path);
  expect(fs.readFileSync(path).equals(pdfOf(2_000))).toBe(true);
  expect(service.keys).toEqual([`API-Key ${plainKey}`]);
});

it("the block with-a-proxy.ts in proxies-and-tls.md connects through a proxy that requires a password", async () => {
  const authority = makeAuthority();
  const service = await Service.start(whole, authority.issue(["pdf.example.com"]));
  const hosts = { "pdf.example.com:443": service.port };
  const proxy = await startProxy({ credentials: "user:password", hosts });
  vi.stubEnv("TEMPLATE_PDF_BASE_URL", "https://pdf.example.com");
  type Exports = { pdfs: TemplatePdf; dispatcher: undici.Dispatcher };
  const { pdfs, dispatcher } = await runBlock<Exports>("proxies-and-tls", "with-a-proxy.ts", {
    "authority.pem": await temporaryFile("authority.pem", authority.cert),
    "proxy.example.com:3128": new URL(proxy.origin).host,
  });
  onTestFinished(() => dispatcher.destroy());
  expect(await pdfs.generate("invoice", values).bytes()).toHaveLength(2_000);
  expect(proxy.received.map(({ method }) => method)).toEqual(["CONNECT"]);
});

describe("the serverless function in proxies-and-tls.md", () => {
  const body = '{"total":"£640.00"}';

  async function call(event: object, totalMs = 25_000) {
    type Exports = { handler(event: object): Promise<{ body: string }> };
    const block = await runBlock<Exports>("proxies-and-tls", "lambda.ts", { "25e3": String(totalMs) });
    return block.handler(event);
  }

  it("responds to base64-encoded values with a base64-encoded document", async () => {
    const service = await startService(whole);
    const event = { body: Buffer.from(body).toString("base64"), isBase64Encoded: true };
    const response = await call(event);
    expect(response).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    expect(Buffer.from(response.body, "base64").equals(pdfOf(2_000))).toBe(true);
    expect(service.requests.map((received) => received.body)).toEqual([body]);
  });

  it.each([
    [
      "values that are not JSON",
      {
        event: { body: "total=640" },
        answer: saying(404),
        totalMs: 25_000,
        statusCode: 400,
        logged: ["SyntaxError"],
      },
    ],
    [
      "a timeout",
      { event: { body }, answer: () => {}, totalMs: 50, statusCode: 504, logged: ["TimeoutError"] },
    ],
  ])(
    "logs the error and returns a status for %s",
    async (_, { event, answer, totalMs, statusCode, logged }) => {
      const log = vi.spyOn(console, "error").mockReturnValue();
      await startService(answer);
      expect(await call(event, totalMs)).toMatchObject({ statusCode });
      expect(log.mock.calls.map(([error]) => error.name)).toEqual(logged);
    },
  );
});

describe("the code blocks in observability.md", () => {
  const clientWith = (service: Service, hooks: Hooks) =>
    service.client({ apiKey: plainKey, retry: { limit: 1 }, hooks });

  it("log retries, failures and cancelled calls without keys or values", async () => {
    await startService(busy, busy);
    const lines = vi.spyOn(console, "log").mockReturnValue();
    const block = await runBlock<{ pdfs: TemplatePdf }>("observability", "logs.ts");
    await using pdfs = block.pdfs;
    await rejectionOf(pdfs.generate("invoice", values, { retry: { limit: 1 } }).bytes());
    await rejectionOf(pdfs.generate("invoice", values, { signal: AbortSignal.abort() }).bytes());
    const logged = lines.mock.calls.map(([line]) => JSON.parse(line));
    const error = { name: "ServerError", code: "server_error", status: 503, requestId: "id-1" };
    expect(logged).toMatchObject([
      { level: "warn", uid: "invoice", attempt: 1, error: { ...error, attempts: 1 } },
      { level: "error", uid: "invoice", attempt: 2, error: { ...error, attempts: 2 } },
      { level: "info", uid: "invoice" },
    ]);
    expect(JSON.stringify(logged)).not.toContain("CANARY");
  });

  it("count responses, retries and failures with the metrics API", async () => {
    const recorded: [name: string, attributes: object | undefined][] = [];
    const instrument = (name: string) => {
      const record = (_amount: number, attributes?: object) => void recorded.push([name, attributes]);
      return { record, add: record };
    };
    const meter = { createHistogram: instrument, createCounter: instrument };
    const { metrics } = openTelemetry;
    metrics.setGlobalMeterProvider({ getMeter: () => meter } as unknown as openTelemetry.MeterProvider);
    onTestFinished(() => metrics.disable());
    const { hooks } = await runBlock<{ hooks: Hooks }>("observability", "metrics.ts");
    const client = clientWith(await startService(busy, whole, saying(429)), hooks);
    await client.generate("invoice", values).bytes();
    await rejectionOf(client.generate("letter", values, { retry: false }).bytes());
    expect(recorded).toEqual([
      ["pdf.response.duration", { uid: "invoice", status: 503 }],
      ["pdf.retries", { uid: "invoice", code: "server_error" }],
      ["pdf.response.duration", { uid: "invoice", status: 200 }],
      ["pdf.response.duration", { uid: "letter", status: 429 }],
      ["pdf.failure.duration", { uid: "letter", code: "rate_limited" }],
    ]);
  });

  it("trace a call with a span that contains the call's requests and failure", async () => {
    const tracing = startTracing();
    type Exports = { traced<T>(generate: () => Promise<T>): Promise<T> };
    const { traced } = await runBlock<Exports>("observability", "traces.ts");
    const client = clientWith(await startService(busy, whole, saying(429)), {});
    await traced(() => client.generate("invoice", values).bytes());
    await eventually(() => tracing.requests().length === 2);
    const [span] = tracing.named("generate PDF");
    for (const { parentSpanContext } of tracing.requests()) {
      expect(parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
    }
    const failed = traced(() => client.generate("letter", values, { retry: false }).bytes());
    expect(await rejectionOf(failed)).toBeInstanceOf(RateLimitError);
    await eventually(() => tracing.named("generate PDF").length === 2);
    expect(tracing.named("generate PDF")[1]?.status.code).toBe(openTelemetry.SpanStatusCode.ERROR);
  });
});
