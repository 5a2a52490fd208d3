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
import { startTracing } from "./tracing.ts";

const pdf = pdfOf(2_000);

const cutOff = cutOffAfter(pdf, 1_000);

/** `00-<trace>-<span>-<flags>` (W3C Trace Context). */
function parentOf(traceparent: unknown) {
  const [, traceId, spanId] = String(traceparent).split("-");
  return { traceId, spanId };
}

const generate = (client: TemplatePdf, uid = "invoice") => client.generate(uid, values);

describe.each(transports)("OpenTelemetry's undici instrumentation, by %s,", (_, options) => {
  it("sees a request as a client span under the active one, and tells the service of it", async () => {
    const tracing = startTracing();
    const service = await Service.start(withLength(pdf));
    const client = service.client({ ...options, apiKey: plainKey });
    const { traceId, spanId } = await tracing.under("work", () => generate(client).bytes());

    await eventually(() => tracing.requests().length === 1);
    const [span] = tracing.requests();
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
    const [request] = service.requests;
    expect(parentOf(request?.headers["traceparent"])).toEqual({
      traceId,
      spanId: span?.spanContext().spanId,
    });
  });

  it("sees every attempt under the span of its own call, however many calls wait together", async () => {
    const tracing = startTracing();
    // Refused all at once, so that they wait for the same moment.
    const waiting: Received[] = [];
    const service = await Service.start((received) => {
      if (service.requests.length > 40) return withLength(pdf)(received);
      waiting.push(received);
      return waiting.length < 20
        ? undefined
        : waiting.splice(0).forEach(saying(503, "", { "retry-after": "0" }));
    });
    const client = service.client({ ...options, retry: { limit: 2 } });
    const works = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        tracing.under(`work-${index}`, () => generate(client, `uid-${index}`).bytes()),
      ),
    );
    expect(service.requests).toHaveLength(60);
    expect(new Set(works.map(({ traceId }) => traceId)).size).toBe(20);
    for (const { path, headers } of service.requests) {
      const index = Number(/uid-(\d+)/.exec(path)?.[1]);
      expect(parentOf(headers["traceparent"]).traceId).toBe(works[index]?.traceId);
    }
    await eventually(() => tracing.requests().length === 60);
    const spans = tracing.requests();
    for (const [index, { traceId, spanId }] of works.entries()) {
      const own = spans.filter(({ attributes }) => String(attributes["url.full"]).includes(`uid-${index}/`));
      expect(own).toHaveLength(3);
      for (const span of own) expect(span.parentSpanContext).toMatchObject({ traceId, spanId });
    }
  });

  it.each([
    ["that is refused", saying(400, "{}")],
    ["that is cut off", cutOff],
  ])("ends the span of a request %s, without key or values", async (_, answer) => {
    const tracing = startTracing();
    const service = await Service.start(answer);
    const client = service.client({ ...options, apiKey: plainKey });
    await tracing.under("work", () => rejectionOf(generate(client).bytes()));
    await eventually(() => tracing.requests().length === 1);
    const [span] = tracing.requests();
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(inspect([span?.attributes, span?.events, span?.status], { depth: 10 })).not.toContain("CANARY");
  });
});
