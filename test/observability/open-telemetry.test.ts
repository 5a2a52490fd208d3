import { inspect } from "node:util";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { plainKey, values } from "../client/canaries.ts";
import { eventually } from "../support/eventually.ts";
import {
  cutOffAfter,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  transports,
  withLength,
} from "../support/service.ts";
import { startTracing, type Tracing } from "./tracing.ts";

const pdf = pdfOf(2_000);
const generate = (client: TemplatePdf) => client.generate("invoice", values).bytes();

/** The first span of a request, once it has ended. */
async function spanOf(tracing: Tracing) {
  await eventually(() => tracing.requests().length === 1);
  return tracing.requests()[0];
}

describe.each(transports)("OpenTelemetry's undici instrumentation with %s", (_, options) => {
  it("records a request as a client span within the active span", async () => {
    const tracing = startTracing();
    const service = await Service.start(withLength(pdf));
    const client = service.client({ ...options, apiKey: plainKey });
    const { traceId, spanId } = await tracing.under("work", () => generate(client));
    const span = await spanOf(tracing);
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
    // `00-<trace>-<span>-<flags>` (W3C Trace Context).
    const [, ...ids] = String(service.requests[0]?.headers["traceparent"]).split("-");
    expect(ids.slice(0, 2)).toEqual([traceId, span?.spanContext().spanId]);
  });

  it.each([
    ["has status 400", saying(400, "{}")],
    ["is truncated", cutOffAfter(pdf, 1_000)],
  ])("ends the span without recording the key or the values if the response %s", async (_, answer) => {
    const tracing = startTracing();
    const service = await Service.start(answer);
    const client = service.client({ ...options, apiKey: plainKey });
    await tracing.under("work", () => rejectionOf(generate(client)));
    const span = await spanOf(tracing);
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(inspect([span?.attributes, span?.events, span?.status], { depth: 10 })).not.toContain("CANARY");
  });
});
