import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { onTestFinished } from "vitest";

/** OpenTelemetry as an application sets it up, for one test. */
export interface Tracing {
  /** Runs a function in a span and returns the IDs of the span. */
  under<T>(name: string, run: () => Promise<T>): Promise<{ traceId: string; spanId: string; result: T }>;
  /** The spans of requests that have ended. */
  requests(): readonly ReadableSpan[];
  /** The spans of this name that have ended. */
  named(name: string): readonly ReadableSpan[];
}

export function startTracing(): Tracing {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  const instrumentation = new UndiciInstrumentation();
  instrumentation.setTracerProvider(provider);
  onTestFinished(async () => {
    instrumentation.disable();
    trace.disable();
    context.disable();
    propagation.disable();
    await provider.shutdown();
  });
  const tracer = provider.getTracer("tests");
  return {
    under: (name, run) =>
      tracer.startActiveSpan(name, async (span) => {
        const result = await run().finally(() => span.end());
        return { ...span.spanContext(), result };
      }),
    requests: () =>
      exporter.getFinishedSpans().filter((span) => span.instrumentationScope.name.includes("undici")),
    named: (name) => exporter.getFinishedSpans().filter((span) => span.name === name),
  };
}
