import { describe, expect, it } from "vitest";
import { type Decision, decide, type FailureKind, inSeconds, repeatAfter } from "../src/call/retry-policy.ts";
import type { RetryPolicy } from "../src/options/retry.ts";

const often: RetryPolicy = { limit: 100, mayRenderTwice: true };
const forever = Number.POSITIVE_INFINITY;
const never = { why: "" };
const justBelowOne = 1 - Number.EPSILON / 2;

/** What follows, where every number that the table is not about leaves room. */
function decided(
  setback: FailureKind,
  { attempts = 1, policy = often, leftMs = forever, random = 0 } = {},
): Decision {
  return decide(setback, attempts, policy, leftMs, () => random);
}

describe("what a status means for another attempt", () => {
  const passing = [408, 429, 500, 502, 503, 504];

  it.each(passing)("%d may pass, and may have been rendered", (status) => {
    expect(repeatAfter(status)).toBe("ambiguous");
  });

  it("every other status ends the call", () => {
    const all = Array.from({ length: 900 }, (_, index) => 100 + index);
    expect(all.filter((status) => repeatAfter(status) !== "never")).toEqual(passing);
  });
});

describe("whether another attempt follows", () => {
  const yes = { delayMs: 0 };
  it.each<[FailureKind["repeat"], boolean, Decision]>([
    ["safe", true, yes],
    ["safe", false, yes],
    ["ambiguous", true, yes],
    [
      "ambiguous",
      false,
      { why: " Not tried again: it may have been rendered, and `retry.mayRenderTwice` is false." },
    ],
    ["never", true, never],
    ["never", false, never],
  ])("%s, where rendering twice is allowed: %s", (repeat, mayRenderTwice, expected) => {
    expect(decided({ repeat }, { policy: { limit: 2, mayRenderTwice } })).toEqual(expected);
    expect(decided({ repeat, retryAfterMs: 0 }, { policy: { limit: 2, mayRenderTwice } })).toEqual(expected);
  });

  it.each([0, 1, 2, 5])("of a limit of %d, exactly so many", (limit) => {
    for (const repeat of ["safe", "ambiguous"] as const) {
      const policy = { limit, mayRenderTwice: true };
      const follows = [1, 2, 3, 4, 5, 6, 7].filter(
        (attempts) => "delayMs" in decided({ repeat }, { attempts, policy }),
      );
      expect(follows).toHaveLength(limit);
      expect(decided({ repeat }, { attempts: limit + 1, policy })).toEqual(never);
    }
  });

  it("says nothing of a wait where no attempt would have followed anyway", () => {
    const policy = { limit: 0, mayRenderTwice: true };
    expect(decided({ repeat: "ambiguous", retryAfterMs: 90_000 }, { policy })).toEqual(never);
    expect(decided({ repeat: "never", retryAfterMs: 90_000 }, { leftMs: 0 })).toEqual(never);
  });
});

describe("how long it waits", () => {
  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [5, 8_000],
    [6, 8_000],
    [50, 8_000],
    [2_000, 8_000],
  ])("after attempt %d: from 0 to less than %d ms", (attempts, most) => {
    const policy = { limit: 10_000, mayRenderTwice: true };
    const delay = (random: number) =>
      (decided({ repeat: "safe" }, { attempts, random, policy }) as { delayMs: number }).delayMs;
    expect(delay(0)).toBe(0);
    expect(delay(0.5)).toBe(most / 2);
    expect(delay(justBelowOne)).toBeLessThan(most);
    expect(delay(justBelowOne)).toBeGreaterThan(most * 0.999);
  });

  it.each([0, 1, 499, 1_000, 59_999, 60_000])("of a Retry-After of %d ms exactly that", (retryAfterMs) => {
    for (const random of [0, justBelowOne]) {
      expect(decided({ repeat: "ambiguous", retryAfterMs }, { random })).toEqual({ delayMs: retryAfterMs });
    }
  });

  it("takes no dice where the service says how long", () => {
    const dice = () => {
      throw new Error("thrown");
    };
    expect(decide({ repeat: "safe", retryAfterMs: 5 }, 1, often, forever, dice)).toEqual({ delayMs: 5 });
  });

  it.each([60_001, 3_600_000, Number.POSITIVE_INFINITY])("refuses a Retry-After of %d ms", (retryAfterMs) => {
    expect(decided({ repeat: "ambiguous", retryAfterMs })).toEqual({
      why: expect.stringMatching(
        /^ Not tried again: the service asks to wait .+, and a call waits 60 s at most\.$/,
      ),
    });
  });

  it("says how long the service asks to wait", () => {
    const decision = decided({ repeat: "ambiguous", retryAfterMs: 120_000 }) as { why: string };
    expect(decision.why).toContain("asks to wait 120 s");
  });

  it.each([
    ["the back-off", { repeat: "safe" }, 250],
    ["a Retry-After", { repeat: "safe", retryAfterMs: 250 }, 250],
  ] as const)("of %s must leave something of timeouts.total", (_, setback, delayMs) => {
    for (const leftMs of [250.1, 1_000, forever]) {
      expect(decided(setback, { leftMs, random: 0.5 })).toEqual({ delayMs });
    }
    for (const leftMs of [250, 100, 0, -5]) {
      expect(decided(setback, { leftMs, random: 0.5 })).toEqual({
        why: expect.stringMatching(
          /^ Not tried again: after a wait of .+, nothing would be left of `timeouts\.total`\.$/,
        ),
      });
    }
  });
});

it.each([
  [0, "0 s"],
  [49, "0 s"],
  [400, "0.4 s"],
  [2_000, "2 s"],
  [60_040, "60 s"],
  [365 * 24 * 3_600_000, "31536000 s"],
  [365 * 24 * 3_600_000 + 1, "more than a year"],
  [Number.POSITIVE_INFINITY, "more than a year"],
])("tells %d ms as %s", (ms, text) => {
  expect(inSeconds(ms)).toBe(text);
});
