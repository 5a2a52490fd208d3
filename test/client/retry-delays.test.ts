import { getEventListeners } from "node:events";
import { type PendingPdf, RateLimitError, type RetryEvent } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import {
  type Answer,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  strayRejections,
  withLength,
} from "../support/service.ts";
import { generate } from "./every-form.ts";
import { countTimers } from "./timing.ts";

// How long a delay is: test/call/retry-policy.test.ts and test/errors/retry-after.test.ts.

/** Small enough to be whole in memory before it is read. */
const pdf = pdfOf(2_000);
const busy = saying(503, "", { "retry-after": "30" });
const truncated: Answer = ({ response }) => {
  response.writeHead(200, { "content-length": pdf.length });
  response.write(pdf.subarray(0, 1_500), () => response.destroy());
};

/** A service that answers in turn, and the last of it from then on. */
async function start(...answers: Answer[]) {
  const arrivedAtMs: number[] = [];
  const service = await Service.start((received) => {
    arrivedAtMs.push(performance.now());
    return answers[Math.min(arrivedAtMs.length, answers.length) - 1]?.(received);
  });
  const delaysMs: number[] = [];
  let report = (_: RetryEvent) => {};
  const waiting = new Promise<RetryEvent>((resolve) => {
    report = resolve;
  });
  const retry = (event: RetryEvent) => {
    delaysMs.push(event.delayMs);
    report(event);
  };
  return { service, client: service.client({ retry: {}, hooks: { retry } }), arrivedAtMs, delaysMs, waiting };
}

describe("the delay before another attempt", () => {
  it("is as long as Retry-After says, never shorter", async () => {
    const { client, arrivedAtMs, delaysMs } = await start(
      saying(429, "", { "retry-after": "0.5" }),
      saying(503, "", { "retry-after": "0.3" }),
      withLength(pdf),
    );
    expect((await generate(client)).attempts).toBe(3);
    const [first = 0, second = 0, third = 0] = arrivedAtMs;
    expect(delaysMs).toEqual([500, 300]);
    expect(second - first).toBeGreaterThanOrEqual(500);
    expect(third - second).toBeGreaterThanOrEqual(300);
  });

  it("is random and doubles without Retry-After", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.1);
    const { client, delaysMs, arrivedAtMs } = await start(saying(503));
    await rejectionOf(generate(client).bytes());
    random.mockRestore();
    expect(delaysMs).toEqual([50, 100]);
    const [first = 0, second = 0, third = 0] = arrivedAtMs;
    expect(second - first).toBeGreaterThanOrEqual(50);
    expect(third - second).toBeGreaterThanOrEqual(100);
  });

  it("does not begin if Retry-After is longer than a call waits", async () => {
    const { service, client } = await start(saying(429, "", { "retry-after": "3600" }));
    const error = await rejectionOf(generate(client).bytes());
    expect(RateLimitError.is(error) && [error.attempts, error.retryAfterMs]).toEqual([1, 3_600_000]);
    expect((error as Error).message).toMatch(
      / Not retried: the service asks to wait 3600 s; a call waits 60 s at most\.$/,
    );
    expect(service.requests).toHaveLength(1);
  });

  it("is waited for by close(), and the call goes on", async () => {
    const { service, client, waiting } = await start(
      saying(503, "", { "retry-after": "0.2" }),
      withLength(pdf),
    );
    const bytes = generate(client).bytes();
    await waiting;
    const closing = client.close();
    expect(pdf.equals(await bytes)).toBe(true);
    await closing;
    expect(service.requests).toHaveLength(2);
  });
});

type Cancel = (pending: PendingPdf, controller: AbortController, reason: unknown) => unknown;

describe.each<[string, Cancel]>([
  ["the caller's signal", (_, controller, reason) => controller.abort(reason)],
  ["cancel()", (pending, _, reason) => pending.cancel(reason)],
])("%s during a retry delay", (_, cancel) => {
  it.each<[string, Answer, (pending: PendingPdf) => PromiseLike<unknown>]>([
    ["bytes()", busy, (pending) => pending.bytes()],
    ["the awaited result", busy, (pending) => pending],
    ["bytes() of a truncated document", truncated, (pending) => pending.bytes()],
  ])("rejects %s with the caller's reason, and nothing more is sent", async (_, answer, read) => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.999_999);
    const { service, client, waiting } = await start(answer);
    const controller = new AbortController();
    const timers = countTimers();
    const pending = generate(client, { signal: controller.signal });
    const failure = rejectionOf(read(pending));
    await waiting;
    random.mockRestore();
    const reason = new Error("the customer left");
    await cancel(pending, controller, reason);
    expect(await failure).toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    expect(countTimers()).toBeLessThanOrEqual(timers);
    // It would wait for the call, were that not over.
    await client.close();
    expect(service.requests).toHaveLength(1);
  });

  it("leaves no unhandled rejection", async () => {
    const { client, waiting } = await start(busy);
    const stray = await strayRejections(async () => {
      const controller = new AbortController();
      const pending = generate(client, { signal: controller.signal });
      pending.bytes().catch(() => {});
      await waiting;
      await cancel(pending, controller, new Error("enough"));
    });
    expect(stray).toEqual([]);
  });
});
