import { getEventListeners } from "node:events";
import { ApiError, type PendingPdf, RateLimitError, type RetryEvent } from "template-pdf";
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
import { forms, generate } from "./every-form.ts";
import { countTimers, withoutBackOff } from "./timing.ts";

/** Small enough to be whole in memory before it is read. */
const pdf = pdfOf(2_000);
const busy = saying(503, "", { "retry-after": "30" });

/** A service that answers in turn, and the last of it from then on. */
async function start(...answers: Answer[]) {
  const arrivedAt: number[] = [];
  const service = await Service.start((received) => {
    arrivedAt.push(performance.now());
    return answers[Math.min(arrivedAt.length, answers.length) - 1]?.(received);
  });
  const retries: RetryEvent[] = [];
  let tell = (_: RetryEvent) => {};
  const waiting = new Promise<RetryEvent>((resolve) => {
    tell = resolve;
  });
  const hooks = {
    retry: (event: RetryEvent) => {
      retries.push(event);
      tell(event);
    },
  };
  const client = service.client({ retry: {}, hooks });
  return { service, client, arrivedAt, retries, waiting };
}

describe("the wait before another attempt", () => {
  const ends: readonly (readonly [
    string,
    (pending: PendingPdf, controller: AbortController, reason: unknown) => unknown,
  ])[] = [
    ["the caller's signal", (_, controller, reason) => controller.abort(reason)],
    ["cancel()", (pending, _, reason) => pending.cancel(reason)],
  ];

  describe.each(ends)("is ended by %s:", (_, end) => {
    it.each(forms)("%s rejects with the caller's reason, and nothing more is sent", async (_, read) => {
      const { service, client, waiting } = await start(busy);
      const controller = new AbortController();
      const timers = countTimers();
      const pending = generate(client, { signal: controller.signal });
      const failure = rejectionOf(read(pending));
      expect((await waiting).delayMs).toBe(30_000);
      const reason = new Error("the customer left");
      await end(pending, controller, reason);
      expect(await failure).toBe(reason);
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
      expect(countTimers()).toBeLessThanOrEqual(timers);
      // It would wait for the call, were that not over.
      await client.close();
      expect(service.requests).toHaveLength(1);
    });

    it("an awaited call, too", async () => {
      const { client, waiting } = await start(busy);
      const controller = new AbortController();
      const pending = generate(client, { signal: controller.signal });
      const failure = rejectionOf(pending);
      await waiting;
      await end(pending, controller, "enough");
      expect(await failure).toBe("enough");
    });

    it("a call whose document broke, too", async () => {
      const random = vi.spyOn(Math, "random").mockReturnValue(0.999_999);
      const cutOff: Answer = ({ response }) => {
        response.writeHead(200, { "content-length": pdf.length });
        response.write(pdf.subarray(0, 1_500), () => response.destroy());
      };
      const { service, client, waiting } = await start(cutOff);
      const controller = new AbortController();
      const pending = generate(client, { signal: controller.signal });
      const failure = rejectionOf(pending.bytes());
      expect((await waiting).delayMs).toBeGreaterThan(499);
      random.mockRestore();
      await end(pending, controller, "enough");
      expect(await failure).toBe("enough");
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
      await client.close();
      expect(service.requests).toHaveLength(1);
    });

    it("nobody hears of it where nobody listens", async () => {
      const { client, waiting } = await start(busy);
      const stray = await strayRejections(async () => {
        const controller = new AbortController();
        const pending = generate(client, { signal: controller.signal });
        pending.bytes().catch(() => {});
        await waiting;
        await end(pending, controller, new Error("enough"));
      });
      expect(stray).toEqual([]);
    });
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

  it("is as long as Retry-After says, never shorter", async () => {
    const { client, arrivedAt, retries } = await start(
      saying(429, "", { "retry-after": "1" }),
      saying(503, "", { "retry-after": "0.3" }),
      withLength(pdf),
    );
    expect((await generate(client)).attempts).toBe(3);
    const [first = 0, second = 0, third = 0] = arrivedAt;
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([1_000, 300]);
    expect(second - first).toBeGreaterThanOrEqual(1_000);
    expect(third - second).toBeGreaterThanOrEqual(300);
  });

  it("is as long as a Retry-After with a date says", async () => {
    const until = new Date(Date.now() + 20_000).toUTCString();
    const { client, waiting } = await start(saying(429, "", { "retry-after": until }));
    const pending = generate(client);
    const failure = rejectionOf(pending);
    const { delayMs, error } = await waiting;
    expect(delayMs).toBeGreaterThan(10_000);
    expect(delayMs).toBeLessThanOrEqual(20_000);
    const toldMs = RateLimitError.is(error) ? error.retryAfterMs : undefined;
    expect(Math.abs((toldMs ?? 0) - delayMs)).toBeLessThan(1_000);
    await pending.cancel();
    await failure;
  });

  it.each(["-5", "NaN", "soon", "Sun, 06 Nov 1994 08:49:37 GMT", "1, 2"])(
    "is as if nothing was said where Retry-After is %j",
    async (text) => {
      withoutBackOff();
      const { client, retries } = await start(saying(503, "", { "retry-after": text }), withLength(pdf));
      expect((await generate(client)).attempts).toBe(2);
      expect(retries.map(({ delayMs }) => delayMs)).toEqual([0]);
      expect(retries[0]?.error).not.toHaveProperty("retryAfterMs");
    },
  );

  it.each(["61", "3600", "9".repeat(20), "Thu, 31 Dec 2099 23:59:59 GMT"])(
    "is not begun where Retry-After is %s: the call fails now, and says so",
    async (text) => {
      const { service, client } = await start(saying(429, "", { "retry-after": text }));
      const error = await rejectionOf(generate(client).bytes());
      expect(RateLimitError.is(error) && error.attempts).toBe(1);
      expect((error as RateLimitError).retryAfterMs).toBeGreaterThan(60_000);
      expect((error as Error).message).toMatch(
        / Not tried again: the service asks to wait (?:61 s|3600 s|more than a year), and a call waits 60 s at most\.$/,
      );
      expect(service.requests).toHaveLength(1);
    },
  );

  it("says nothing of a wait that would not have been begun anyway", async () => {
    const { client } = await start(saying(404, "", { "retry-after": "3600" }));
    const error = await rejectionOf(generate(client).bytes());
    expect(ApiError.is(error) && error.message).not.toContain("Not tried again");
  });

  it("is at random up to 0.5 s, then up to 1 s, without Retry-After", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.1);
    const { client, retries, arrivedAt } = await start(saying(503));
    await rejectionOf(generate(client).bytes());
    random.mockRestore();
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([50, 100]);
    const [first = 0, second = 0, third = 0] = arrivedAt;
    expect(second - first).toBeGreaterThanOrEqual(50);
    expect(third - second).toBeGreaterThanOrEqual(100);
  });
});
