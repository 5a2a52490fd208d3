import { type Attributes, type MeterProvider, metrics, SpanStatusCode } from "@opentelemetry/api";
import { type Hooks, RateLimitError, type TemplatePdf } from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { plainKey, values } from "../client/canaries.ts";
import { startTracing } from "../observability/tracing.ts";
import { eventually } from "../support/eventually.ts";
import { type Answer, pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";
import { blockOf, runBlock } from "./guide-block.ts";

/** What docs/guides/observability.md shows, beside a service that fails. */

beforeEach(() => {
  vi.stubEnv("PDF_API_KEY", plainKey);
  // No wait before another try.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const whole = withLength(pdfOf(2_000));
const busy = saying(503, JSON.stringify({ message: values.customer }), { "x-request-id": "id-1" });

/** A service that gives these answers, one after the other, and the last from then on. */
function startService(...answers: [Answer, ...Answer[]]): Promise<Service> {
  return Service.start((received) => (answers.length > 1 ? answers.shift() : answers[0])?.(received));
}

const withHooks = (service: Service, hooks: Hooks) =>
  service.client({ apiKey: plainKey, retry: { limit: 1 }, hooks });

describe("the logs of the guide", () => {
  const start = async (...answers: [Answer, ...Answer[]]) => {
    const service = await startService(...answers);
    const lines = vi.spyOn(console, "log").mockReturnValue();
    const { pdfs } = await runBlock<{ pdfs: TemplatePdf }>(blockOf("observability", "logs.ts"), {
      "https://pdf.example.com": service.baseUrl,
    });
    onTestFinished(() => pdfs.close());
    return { pdfs, logged: () => lines.mock.calls.map(([line]) => JSON.parse(line)) };
  };

  it("tell of retries and failures in JSON, by call and request, without key and values", async () => {
    const { pdfs, logged } = await start(busy);
    await rejectionOf(pdfs.generate("invoice", values, { retry: { limit: 1 } }).bytes());
    const error = { name: "ServerError", code: "server_error", status: 503, requestId: "id-1" };
    expect(logged()).toMatchObject([
      { level: "warn", uid: "invoice", attempt: 1, error: { ...error, attempts: 1 } },
      { level: "error", uid: "invoice", attempt: 2, error: { ...error, attempts: 2 } },
    ]);
    const [first, second] = logged();
    expect(first.call).toBe(second.call);
    expect(JSON.stringify(logged())).not.toContain("CANARY");
  });

  it("tell a call that was given up from one that failed", async () => {
    const { pdfs, logged } = await start(() => {});
    await rejectionOf(pdfs.generate("invoice", values, { signal: AbortSignal.abort() }).bytes());
    expect(logged()).toMatchObject([{ level: "info", uid: "invoice" }]);
  });
});

describe("the metrics of the guide", () => {
  it("count answers by status, retries, and failures by what they ended in", async () => {
    const recorded: [name: string, attributes: Attributes | undefined][] = [];
    const instrument = (name: string) => {
      const record = (_amount: number, attributes?: Attributes) => void recorded.push([name, attributes]);
      return { record, add: record };
    };
    const meter = { createHistogram: instrument, createCounter: instrument };
    metrics.setGlobalMeterProvider({ getMeter: () => meter } as unknown as MeterProvider);
    onTestFinished(() => metrics.disable());
    const { hooks } = await runBlock<{ hooks: Hooks }>(blockOf("observability", "metrics.ts"));
    const client = withHooks(await startService(busy, whole, saying(429)), hooks);
    await client.generate("invoice", values).bytes();
    await rejectionOf(client.generate("letter", values, { retry: false }).bytes());
    expect(recorded).toEqual([
      ["pdf.answer.duration", { uid: "invoice", status: 503 }],
      ["pdf.retries", { uid: "invoice", outcome: "server_error" }],
      ["pdf.answer.duration", { uid: "invoice", status: 200 }],
      ["pdf.answer.duration", { uid: "letter", status: 429 }],
      ["pdf.failure.duration", { uid: "letter", outcome: "rate_limited" }],
    ]);
  });
});

describe("the span of the guide", () => {
  interface Traces {
    readonly hooks: Hooks;
    readonly traced: <T>(uid: string, run: () => Promise<T>) => Promise<T>;
  }

  it("has what hooks hear as its events, and the requests of all attempts below it", async () => {
    const tracing = startTracing();
    const { hooks, traced } = await runBlock<Traces>(blockOf("observability", "traces.ts"));
    const client = withHooks(await startService(busy, whole), hooks);
    await traced("invoice", () => client.generate("invoice", values).bytes());
    await eventually(() => tracing.requests().length === 2);
    const [span] = tracing.named("make PDF");
    expect(span?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ["response", { attempt: 1, status: 503 }],
      ["retry", { attempt: 1, delayMs: 0 }],
      ["response", { attempt: 2, status: 200 }],
    ]);
    expect(span?.attributes).toEqual({ "pdf.template": "invoice" });
    for (const request of tracing.requests()) {
      expect(request.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
    }
  });

  it("says how a call failed", async () => {
    const tracing = startTracing();
    const { hooks, traced } = await runBlock<Traces>(blockOf("observability", "traces.ts"));
    const client = withHooks(await startService(saying(429)), hooks);
    const call = traced("invoice", () => client.generate("invoice", values, { retry: false }).bytes());
    expect(await rejectionOf(call)).toBeInstanceOf(RateLimitError);
    expect(tracing.named("make PDF")).toMatchObject([
      { status: { code: SpanStatusCode.ERROR, message: "rate_limited" } },
    ]);
  });
});
