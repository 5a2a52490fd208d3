import { getEventListeners } from "node:events";
import type { RetryEvent } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import {
  type Answer,
  cutOffAfter,
  inTurn,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  withLength,
} from "../support/service.ts";
import { later } from "../support/sockets.ts";
import { generate } from "./every-form.ts";
import { countTimers } from "./timing.ts";

// For the length of delays see test/call/retry-policy.test.ts and test/errors/retry-after.test.ts.

/** A document that is small enough to be completely in memory before it is read. */
const pdf = pdfOf(2_000);

async function start(...answers: Answer[]) {
  const arrivedAtMs: number[] = [];
  const answer = inTurn(...answers);
  const service = await Service.start((received) => {
    arrivedAtMs.push(performance.now());
    return answer(received);
  });
  const delaysMs: number[] = [];
  const { promise: waiting, resolve: report } = later<RetryEvent>();
  const retry = (event: RetryEvent) => {
    delaysMs.push(event.delayMs);
    report(event);
  };
  return { service, client: service.client({ retry: {}, hooks: { retry } }), arrivedAtMs, delaysMs, waiting };
}

describe("the delay before a retry", () => {
  it("is the delay of Retry-After, or else a random delay, and never shorter", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.1);
    const { client, arrivedAtMs, delaysMs } = await start(
      saying(429, "", { "retry-after": "0.5" }),
      saying(503),
      withLength(pdf),
    );
    expect((await generate(client)).attempts).toBe(3);
    random.mockRestore();
    const [first = 0, second = 0, third = 0] = arrivedAtMs;
    expect(delaysMs).toEqual([500, 100]);
    expect(second - first).toBeGreaterThanOrEqual(500);
    expect(third - second).toBeGreaterThanOrEqual(100);
  });

  it("is awaited by close(), and the call continues", async () => {
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

  it.each<[string, Answer]>([
    ["an error response", saying(503, "", { "retry-after": "30" })],
    ["a truncated document", cutOffAfter(pdf, 1_500)],
  ])("after %s stops if the call is cancelled, without a timer or another request", async (_, answer) => {
    for (const end of ["abort", "cancel"] as const) {
      const random = vi.spyOn(Math, "random").mockReturnValue(0.999_999);
      const { service, client, waiting } = await start(answer);
      const controller = new AbortController();
      const timers = countTimers();
      const pending = generate(client, { signal: controller.signal });
      const failure = rejectionOf(pending.bytes());
      await waiting;
      random.mockRestore();
      const reason = new Error("the customer left");
      if (end === "abort") controller.abort(reason);
      else await pending.cancel(reason);
      expect(await failure).toBe(reason);
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
      expect(countTimers()).toBeLessThanOrEqual(timers);
      // close() would wait for the call if it had not ended.
      await client.close();
      expect(service.requests).toHaveLength(1);
    }
  });
});
