import { describe, expect, it } from "vitest";
import { Pace } from "../../src/bulk/pace/pace.ts";

/**
 * Sends requests as soon as the pace allows, until `endMs`. Each request succeeds at once, or is not sent if
 * `isUnsent` returns true. Returns the times of the requests that were sent.
 */
function sendUntil(pace: Pace, endMs: number, startMs = 0, isUnsent = (_index: number) => false): number[] {
  const times: number[] = [];
  let index = 0;
  for (let nowMs = startMs + pace.waitMs(startMs); nowMs < endMs; nowMs += pace.waitMs(nowMs)) {
    const ticket = pace.sent(nowMs);
    const isSent = !isUnsent(index++);
    pace[isSent ? "passed" : "unsent"](ticket, nowMs);
    if (isSent) times.push(nowMs);
    if (index > 100_000) throw new Error("It never waits.");
  }
  return times;
}

describe("a fixed pace", () => {
  it.each([
    [2, [0, 500, 1000, 1500]],
    [0.5, [0]],
  ])("spaces %f requests per second evenly", (perSecond, times) => {
    expect(sendUntil(new Pace({ concurrency: 8, perSecond }), 2000)).toEqual(times);
  });

  it("catches up by at most one request if the run falls behind", () => {
    const pace = new Pace({ concurrency: 8, perSecond: 10 });
    pace.sent(0);
    pace.sent(5000);
    expect(pace.waitMs(5000)).toBe(0);
    pace.sent(5000);
    expect(pace.waitMs(5000)).toBe(100);
  });

  it("does not catch up after a pause", () => {
    const pace = new Pace({ concurrency: 8, perSecond: 10 });
    pace.refused(pace.sent(0), 0, 3000);
    expect(sendUntil(pace, 3300)).toEqual([3000, 3100, 3200]);
  });
});

describe("automatic concurrency", () => {
  /** Keeps all slots in use with successful responses, one after the other. */
  function answerWell(pace: Pace, answers: number, inFlight: number[]): void {
    for (let answered = 0; answered < answers; answered++) {
      while (inFlight.length < pace.slots) inFlight.push(pace.sent(answered));
      pace.passed(inFlight.shift() ?? 0, answered);
    }
  }

  it("starts at 4 and rises by 1 for each successful response, up to 64", () => {
    const pace = new Pace({ concurrency: "auto" });
    expect(pace.slots).toBe(4);
    const inFlight: number[] = [];
    answerWell(pace, 10, inFlight);
    expect(pace.slots).toBe(14);
    answerWell(pace, 1000, inFlight);
    expect(pace.slots).toBe(64);
  });

  it("is halved repeatedly while the service is overloaded, down to 1", () => {
    const pace = new Pace({ concurrency: "auto" });
    const inFlight: number[] = [];
    answerWell(pace, 12, inFlight);
    while (inFlight.length < 16) inFlight.push(pace.sent(20));
    for (const ticket of inFlight) pace.overloaded(ticket, 30, undefined);
    expect(pace.slots).toBe(8);
    const slots = [40, 50, 60, 70].map((nowMs) => {
      pace.overloaded(pace.sent(nowMs), nowMs, undefined);
      return pace.slots;
    });
    expect(slots).toEqual([4, 2, 1, 1]);
  });

  it("returns to the level that caused an overload only after 200 successes", () => {
    const pace = new Pace({ concurrency: "auto" });
    const inFlight: number[] = [];
    answerWell(pace, 4, inFlight);
    pace.overloaded(pace.sent(0), 0, undefined);
    expect(pace.slots).toBe(4);
    /** The number of successful responses until a slot is added. */
    const answersUntilRise = (): number => {
      const before = pace.slots;
      let answers = 0;
      for (; pace.slots === before && answers < 1000; answers++) answerWell(pace, 1, inFlight);
      return answers;
    };
    expect([1, 2, 3, 4].map(answersUntilRise)).toEqual([4, 5, 6, 200]);
    // Only one slot was on trial, so the pace removes only that slot.
    pace.overloaded(pace.sent(300), 310, undefined);
    expect(pace.slots).toBe(7);
  });

  it("falls by 1 if the last allowed request receives a 429", () => {
    const pace = new Pace({ concurrency: "auto" });
    const inFlight: number[] = [];
    answerWell(pace, 12, inFlight);
    while (!pace.isFull) inFlight.push(pace.sent(20));
    pace.refused(inFlight.at(-1) ?? 0, 30, undefined);
    expect(pace.slots).toBe(15);
    // This request was sent before the fall.
    pace.refused(inFlight.at(-2) ?? 0, 31, undefined);
    expect(pace.slots).toBe(15);
  });
});

describe("an automatic pace (rate)", () => {
  it("has no rate limit until a request is refused", () => {
    const pace = new Pace({ concurrency: "auto" });
    expect(pace.perSecond).toBe(Number.POSITIVE_INFINITY);
    const second = sendUntil(pace, 1000).length;
    expect(second).toBeGreaterThan(40);
    expect(second).toBeLessThan(80);
    expect(sendUntil(pace, 2000, 1000).length).toBeGreaterThan(3 * second);
  });

  it("reduces its rate only once if several concurrent requests are refused", () => {
    const pace = new Pace({ concurrency: "auto" });
    sendUntil(pace, 1000);
    const tickets = [1, 2, 3, 4].map(() => pace.sent(1000));
    const rates = tickets.map((ticket) => {
      pace.refused(ticket, 1001, undefined);
      return pace.perSecond;
    });
    expect(rates[0]).toBeLessThan(100);
    expect(new Set(rates).size).toBe(1);
  });

  it("doubles its pause after each refusal without Retry-After, up to 8 s", () => {
    const pace = new Pace({ concurrency: "auto" });
    let nowMs = 0;
    const holds = Array.from({ length: 9 }, () => {
      nowMs += pace.waitMs(nowMs);
      pace.refused(pace.sent(nowMs), nowMs, undefined);
      return Math.round(pace.waitMs(nowMs));
    });
    expect(holds.slice(4)).toEqual([1600, 3200, 6400, 8000, 8000]);
    nowMs += pace.waitMs(nowMs);
    pace.passed(pace.sent(nowMs), nowMs);
    nowMs += pace.waitMs(nowMs);
    pace.refused(pace.sent(nowMs), nowMs, undefined);
    expect(pace.waitMs(nowMs)).toBeLessThan(2000);
  });

  it("does not raise its rate while the run sends fewer requests than allowed", () => {
    const pace = new Pace({ concurrency: "auto" });
    sendUntil(pace, 1000);
    pace.refused(pace.sent(1000), 1000, undefined);
    const rate = pace.perSecond;
    for (let nowMs = 2000; nowMs < 100_000; nowMs += 1000) pace.passed(pace.sent(nowMs), nowMs);
    expect(pace.perSecond).toBe(rate);
  });

  it("stays within the configured rate", () => {
    const pace = new Pace({ concurrency: "auto", perSecond: 10 });
    expect(sendUntil(pace, 10_000)).toHaveLength(100);
    expect(pace.perSecond).toBe(10);
  });
});

describe("a request that was not sent", () => {
  it.each([8, "auto"] as const)("does not delay the next request (concurrency: %s)", (concurrency) => {
    const pace = new Pace({ concurrency, perSecond: 10 });
    pace.sent(0);
    for (let job = 0; job < 100; job++) {
      expect(pace.waitMs(100)).toBe(0);
      pace.unsent(pace.sent(100));
    }
    pace.sent(100);
    expect(pace.waitMs(100)).toBe(100);
  });

  it("shortens neither the wait after a later request nor a pause", () => {
    const pace = new Pace({ concurrency: 8, perSecond: 10 });
    const [unsent, overloaded] = [pace.sent(0), pace.sent(100)];
    pace.unsent(unsent);
    expect(pace.waitMs(150)).toBe(50);
    const later = pace.sent(200);
    pace.overloaded(overloaded, 250, 3000);
    pace.unsent(later);
    expect(pace.waitMs(260)).toBe(2990);
  });

  it("does not count as an accepted request", () => {
    const pace = new Pace({ concurrency: "auto" });
    const sent = sendUntil(pace, 1000, 0, (index) => index % 4 > 0).length;
    // A later request is sent, so the unsent requests do not free their turns.
    const nowMs = 1000 + pace.waitMs(1000);
    const tickets = Array.from({ length: 50 }, () => pace.sent(nowMs));
    const refused = pace.sent(nowMs);
    for (const ticket of tickets) pace.unsent(ticket);
    pace.refused(refused, nowMs + 1, undefined);
    expect(pace.perSecond).toBeGreaterThan(0.85 * sent);
    expect(pace.perSecond).toBeLessThanOrEqual(sent + 1);
  });

  it("does not count as a request in flight", () => {
    const pace = new Pace({ concurrency: "auto" });
    for (let job = 0; job < 100; job++) pace.unsent(pace.sent(job));
    const inFlight = [1, 2, 3].map(() => pace.sent(100));
    for (const ticket of inFlight) pace.passed(ticket, 200);
    // Three of four slots were in use, so no slot is added.
    expect(pace.slots).toBe(4);
  });
});
