import { inspect } from "node:util";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { plainKey, values } from "../client/canaries.ts";
import { eventually } from "../support/eventually.ts";
import {
  cutOffAfter,
  pdfOf,
  type Received,
  rejectionOf,
  Service,
  saying,
  transports,
  withLength,
} from "../support/service.ts";
import { startTracing, type Tracing } from "./tracing.ts";

const pdf = pdfOf(2_000);
const generate = (client: TemplatePdf, uid = "invoice") => client.generate(uid, values).bytes();

/** The spans of requests, once this many have ended. */
async function requestsOf(tracing: Tracing, count: number) {
  await eventually(() => tracing.requests().length === count);
  return tracing.requests();
}

/** Reads `00-<trace>-<span>-<flags>` (W3C Trace Context). */
function parentOf(traceparent: unknown) {
  const [, traceId, spanId] = String(traceparent).split("-");
  return { traceId, spanId };
}

describe.each(transports)("OpenTelemetry's undici instrumentation with %s", (_, options) => {
  it("records a request as a client span below the active span, and sends its ID to the service", async () => {
    const tracing = startTracing();
    const service = await Service.start(withLength(pdf));
    const client = service.client({ ...options, apiKey: plainKey });
    const { traceId, spanId } = await tracing.under("work", () => generate(client));
    const [span] = await requestsOf(tracing, 1);
    expect(span).toMatchObject({
      kind: SpanKind.CLIENT,
      name: "POST",
      parentSpanContext: { traceId, spanId },
      attributes: {
        "http.request.method": "POST",
        "http.response.status_code": 200,
        "url.full": `${service.baseUrl}/api/v1/templates/invoice/generate-sync`,
      },
    });
    const parent = parentOf(service.requests[0]?.headers["traceparent"]);
    expect(parent).toEqual({ traceId, spanId: span?.spanContext().spanId });
  });

  it("records each attempt below the span of its own call, although all calls wait together", async () => {
    const tracing = startTracing();
    // All are refused at once, so that they retry at the same moment.
    const waiting: Received[] = [];
    const refuse = saying(503, "", { "retry-after": "0" });
    const service = await Service.start((received) => {
      if (service.requests.length > 40) return withLength(pdf)(received);
      return waiting.push(received) === 20 ? waiting.splice(0).forEach(refuse) : undefined;
    });
    const client = service.client({ ...options, retry: { limit: 2 } });
    const uids = Array.from({ length: 20 }, (_, index) => `uid-${index}`);
    const works = await Promise.all(uids.map((uid) => tracing.under(uid, () => generate(client, uid))));
    expect(new Set(works.map(({ traceId }) => traceId)).size).toBe(20);
    for (const { path, headers } of service.requests) {
      const index = Number(/uid-(\d+)/.exec(path)?.[1]);
      expect(parentOf(headers["traceparent"]).traceId).toBe(works[index]?.traceId);
    }
    const spans = await requestsOf(tracing, 60);
    for (const [index, { traceId, spanId }] of works.entries()) {
      const own = spans.filter(({ attributes }) => String(attributes["url.full"]).includes(`uid-${index}/`));
      expect(own).toHaveLength(3);
      for (const span of own) expect(span.parentSpanContext).toMatchObject({ traceId, spanId });
    }
  });

  it.each([
    ["is refused", saying(400, "{}")],
    ["is truncated", cutOffAfter(pdf, 1_000)],
  ])("ends the span if the response %s, without key or values", async (_, answer) => {
    const tracing = startTracing();
    const service = await Service.start(answer);
    const client = service.client({ ...options, apiKey: plainKey });
    await tracing.under("work", () => rejectionOf(generate(client)));
    const [span] = await requestsOf(tracing, 1);
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(inspect([span?.attributes, span?.events, span?.status], { depth: 10 })).not.toContain("CANARY");
  });
});
