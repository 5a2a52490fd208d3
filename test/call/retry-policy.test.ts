import { describe, expect, it } from "vitest";
import type { AttemptFailure } from "../../src/call/attempt-failures.ts";
import { decide, repeatAfter } from "../../src/call/retry-policy.ts";

type RetryFacts = Pick<AttemptFailure, "repeat" | "retryAfterMs">;

const often = { limit: 10_000, mayRenderTwice: true };
const forever = Number.POSITIVE_INFINITY;
const renderedTwice = " Not retried: `retry.mayRenderTwice` is false.";

/** The decision. Limits that a row does not set do not apply. */
function decided(
  failure: RetryFacts,
  { attempts = 1, policy = often, leftMs = forever, random = 0 } = {},
): { delayMs?: number; why?: string } {
  return decide(failure, attempts, policy, leftMs, () => random);
}

it("Only the statuses 408, 429, 500, 502, 503 and 504 allow a retry that may render a document twice", () => {
  const all = Array.from({ length: 900 }, (_, index) => 100 + index);
  const ambiguous = all.filter((status) => repeatAfter(status) === "ambiguous");
  expect(ambiguous).toEqual([408, 429, 500, 502, 503, 504]);
  expect(all.filter((status) => repeatAfter(status) === "never")).toHaveLength(900 - ambiguous.length);
});

describe("A failed attempt", () => {
  it.each<[RetryFacts["repeat"], boolean, object]>([
    ["safe", false, { delayMs: 0 }],
    ["ambiguous", true, { delayMs: 0 }],
    ["ambiguous", false, { why: renderedTwice }],
    ["never", true, { why: "" }],
  ])("is retried only if that is safe or allowed (%s, allowed: %s)", (repeat, mayRenderTwice, expected) => {
    const policy = { limit: 1, mayRenderTwice };
    expect(decided({ repeat, retryAfterMs: 0 }, { policy })).toEqual(expected);
    expect(decided({ repeat }, { policy, attempts: 2 })).toEqual({ why: "" });
  });

  it.each([
    [1, 500],
    [4, 4_000],
    [5, 8_000],
  ])("is retried after a random delay (attempt %d: less than %d ms)", (attempts, mostMs) => {
    for (const random of [0, 0.5]) {
      expect(decided({ repeat: "safe" }, { attempts, random })).toEqual({ delayMs: random * mostMs });
    }
  });

  it("is retried after a Retry-After delay of up to 60 s", () => {
    expect(decided({ repeat: "ambiguous", retryAfterMs: 60_000 })).toEqual({ delayMs: 60_000 });
  });

  it.each([
    [60_001, "60.1 s"],
    [forever, "more than a year"],
  ])("is not retried if Retry-After exceeds 60 s: %d ms", (retryAfterMs, text) => {
    const why = ` Not retried: the service requests a delay of ${text}, which exceeds the limit of 60 s.`;
    expect(decided({ repeat: "ambiguous", retryAfterMs })).toEqual({ why });
  });

  it.each<[string, RetryFacts]>([
    ["a random delay", { repeat: "safe" }],
    ["the Retry-After delay", { repeat: "safe", retryAfterMs: 250 }],
  ])("is retried only if `timeouts.total` leaves enough time for %s", (_, failure) => {
    expect(decided(failure, { leftMs: 250.1, random: 0.5 })).toEqual({ delayMs: 250 });
    const why = " Not retried: a delay of 0.3 s would exceed `timeouts.total`.";
    for (const leftMs of [250, 0, -5]) expect(decided(failure, { leftMs, random: 0.5 })).toEqual({ why });
  });
});

it.each<[string, RetryFacts, object, RegExp]>([
  ["a non-retryable failure", { repeat: "never" }, { leftMs: 0 }, /^$/],
  ["the retry limit", { repeat: "ambiguous" }, { attempts: 3 }, /^$/],
  ["a possible second rendering", { repeat: "ambiguous", retryAfterMs: 61_000 }, {}, /mayRenderTwice/],
  [
    "a long Retry-After",
    { repeat: "safe", retryAfterMs: 61_000 },
    { leftMs: 0 },
    /exceeds the limit of 60 s/,
  ],
])("An error message contains only the first reason not to retry: %s", (_, failure, facts, why) => {
  const policy = { limit: 2, mayRenderTwice: false };
  expect(decided(failure, { policy, ...facts }).why).toMatch(why);
});
