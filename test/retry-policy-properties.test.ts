import fc from "fast-check";
import { describe, expect } from "vitest";
import { decide, type FailureKind } from "../src/call/retry-policy.ts";
import { retryAfterMs } from "../src/errors/retry-after.ts";
import { orLongRun, property } from "./support/fuzz.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const two = (number: number) => String(number).padStart(2, "0");
const clock = (date: Date) =>
  [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");

/** The three forms of RFC 9110, 5.6.7, written by their grammar: IMF-fixdate, RFC 850, asctime. */
const forms: readonly ((date: Date) => string)[] = [
  (date) =>
    `${dayOf(date).slice(0, 3)}, ${two(date.getUTCDate())} ${monthOf(date)} ${date.getUTCFullYear()} ${clock(date)} GMT`,
  (date) =>
    `${dayOf(date)}, ${two(date.getUTCDate())}-${monthOf(date)}-${two(date.getUTCFullYear() % 100)} ${clock(date)} GMT`,
  (date) =>
    `${dayOf(date).slice(0, 3)} ${monthOf(date)} ${String(date.getUTCDate()).padStart(2)} ${clock(date)} ${date.getUTCFullYear()}`,
];

function dayOf(date: Date): string {
  return days[date.getUTCDay()] ?? "";
}

function monthOf(date: Date): string {
  return months[date.getUTCMonth()] ?? "";
}

/** Twenty years around 2030, in which two digits of a year leave no doubt. */
const seconds = fc.integer({ min: Date.UTC(2020) / 1000, max: Date.UTC(2040) / 1000 });
const nows = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2040) });

describe("Retry-After", () => {
  property("as a date is the time until then, in every form that HTTP has", () =>
    fc.property(seconds, nows, fc.constantFrom(...forms), (atSeconds, nowMs, write) => {
      const waitMs = atSeconds * 1000 - nowMs;
      const header = write(new Date(atSeconds * 1000));
      expect(retryAfterMs(header, nowMs)).toBe(waitMs > 0 ? waitMs : undefined);
      expect(retryAfterMs(` ${header}\t`, nowMs)).toBe(waitMs > 0 ? waitMs : undefined);
    }),
  );

  property("as a number is that many seconds, never fewer", () =>
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 400n }), fc.nat(999), nows, (whole, thousandths, nowMs) => {
      expect(retryAfterMs(String(whole), nowMs)).toBe(Number(whole) * 1000);
      const waitMs = retryAfterMs(`${whole % 100_000n}.${String(thousandths).padStart(3, "0")}`, nowMs) ?? -1;
      const exactMs = Number(whole % 100_000n) * 1000 + thousandths;
      expect(waitMs).toBeGreaterThanOrEqual(exactMs);
      expect(waitMs).toBeLessThanOrEqual(exactMs + 1);
    }),
  );

  property("in any words is a wait or nothing, and never a wait for the past", () => {
    const words = fc.constantFrom(
      ...[
        ...days,
        ...months,
        "GMT",
        "UTC",
        "+0100",
        "Z",
        "T",
        "Infinity",
        "NaN",
        "1e3",
        "0x10",
        "-1",
        "+1",
        "1_000",
      ],
      ...[
        " ",
        ", ",
        "-",
        ":",
        "08:49:37",
        "1994",
        "2094",
        "06",
        "31",
        "99",
        " 6",
        "١",
        "\0",
        "1,5",
        "120",
        ".5",
      ],
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(words, { maxLength: 12 }).map((some) => some.join("")),
      fc.array(words, { maxLength: 9 }).map((some) => some.join(" ")),
    );
    const number = /^\d+(?:\.\d+)?$/;
    return fc.property(orLongRun(texts), nows, (text, nowMs) => {
      const waitMs = retryAfterMs(text, nowMs);
      if (waitMs === undefined) expect(text).not.toMatch(number);
      else expect(waitMs).toBeGreaterThanOrEqual(0);
      if (waitMs !== undefined && !number.test(text.trim())) expect(waitMs).toBeGreaterThan(0);
    });
  });
});

describe("the decision", () => {
  const waits = fc.oneof(
    fc.constant(undefined),
    fc.nat(120_000),
    fc.constantFrom(59_999, 60_000, 60_001),
    fc.double({ min: 0, max: Number.POSITIVE_INFINITY, noNaN: true }),
  );
  const setbacks = fc.record({
    repeat: fc.constantFrom<FailureKind["repeat"]>("safe", "ambiguous", "never"),
    retryAfterMs: waits,
  });
  const attemptCounts = fc.integer({ min: 1, max: 8 });
  const policies = fc.record({ limit: fc.nat(9), mayRenderTwice: fc.boolean() });
  const lefts = fc.oneof(
    fc.constant(Number.POSITIVE_INFINITY),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  );
  const shares = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  property("is the one of the README's words, whatever comes together", () =>
    fc.property(
      setbacks,
      attemptCounts,
      policies,
      lefts,
      shares,
      (setback, attempts, policy, leftMs, share) => {
        const decision = decide(setback, attempts, policy, leftMs, () => share);
        const mayRepeat = { safe: true, ambiguous: policy.mayRenderTwice, never: false }[setback.repeat];
        const asked = setback.retryAfterMs;
        const delayMs = asked ?? share * Math.min(8000, 500 * 2 ** (attempts - 1));
        if (setback.repeat === "never" || attempts > policy.limit) expect(decision).toEqual({ why: "" });
        else if (!mayRepeat) {
          expect(decision).toEqual({
            why: " Not tried again: it may have been rendered, and `retry.mayRenderTwice` is false.",
          });
        } else if (asked !== undefined && asked > 60_000) {
          expect(decision).toEqual({
            why: expect.stringMatching(/^ Not tried again: .* asks to wait .*60 s at most\.$/),
          });
        } else if (delayMs >= leftMs) {
          expect(decision).toEqual({
            why: expect.stringMatching(/^ Not tried again: after a wait of .*`timeouts\.total`\.$/),
          });
        } else expect(decision).toEqual({ delayMs });
      },
    ),
  );

  property("never has more attempts follow than the limit, nor a timer that fires at once", () =>
    fc.property(
      setbacks,
      fc.integer({ min: 1, max: 2000 }),
      policies,
      shares,
      (setback, attempts, policy, share) => {
        const decision = decide(setback, attempts, policy, Number.POSITIVE_INFINITY, () => share);
        if ("why" in decision) return;
        expect(attempts).toBeLessThanOrEqual(policy.limit);
        expect(decision.delayMs).toBeLessThanOrEqual(60_000);
      },
    ),
  );
});
