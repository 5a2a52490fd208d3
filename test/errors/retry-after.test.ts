import { describe, expect, it, onTestFinished, vi } from "vitest";
import { inSeconds, retryAfterMs } from "../../src/errors/retry-after.ts";

describe("Retry-After in seconds", () => {
  it.each([
    ["120", 120_000],
    ["  7  ", 7_000],
    ["0.5", 500],
    ["0.0001", 1],
    ["9".repeat(309), Number.POSITIVE_INFINITY],
  ])("is converted to milliseconds: %j becomes %d", (header, ms) => {
    expect(retryAfterMs(header, 0)).toBe(ms);
  });
});

describe("Retry-After as a date", () => {
  const inRfc = Date.UTC(1994, 10, 6, 8, 49, 37);
  it.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT", inRfc],
    ["Sunday, 06-Nov-94 08:49:37 GMT", inRfc],
    ["Sun Nov  6 08:49:37 1994", inRfc],
    ["Wednesday, 01-Mar-28 00:00:00 GMT", Date.UTC(2028, 2, 1)],
    ["Tuesday, 29-Feb-28 00:00:00 GMT", Date.UTC(2028, 1, 29)],
  ])("is converted to the time until that date: %s", (header, time) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const zone of ["UTC", "America/New_York", "Asia/Kolkata"]) {
      vi.stubEnv("TZ", zone);
      expect(retryAfterMs(header, time - 60_000)).toBe(60_000);
      expect(retryAfterMs(header, time - 1)).toBe(1);
      expect(retryAfterMs(header, time)).toBeUndefined();
    }
  });

  it.each([
    ["Friday, 20-Nov-26 00:00:10 GMT", 10_000],
    ["Sunday, 20-Nov-94 00:00:10 GMT", undefined],
  ])("is at most 50 years in the future if the year has two digits (RFC 9110, 5.6.7): %s", (header, ms) => {
    expect(retryAfterMs(header, Date.UTC(2026, 10, 20))).toBe(ms);
  });
});

describe("An invalid Retry-After", () => {
  const noNumbers = ["", " ", ..."-1|Infinity|1e3|0x10|1.|.5|1,5|10s|٣|1\0".split("|")];
  const noDates = [
    "2099-11-20T00:00:00Z",
    "Thu, 31 Dec 2099 23:59:59 CET",
    "on Thu, 31 Dec 2099 23:59:59 GMT",
    "Thu, 31 Dec 2099 23:59:59 GMT(x)",
    "Thu, 31 Dec 20991 23:59:59 GMT",
    "Thurs, 31-Dec-49 23:59:59 GMT",
    "Wednesdays, 31-Dec-49 23:59:59 GMT",
    "Thursday, 31-Dec-2049 23:59:59 GMT",
    "Thu Dec 031 23:59:59 2099",
    "on Thu Dec 31 23:59:59 2099",
    "Thu Dec 31 23:59:59 2099 UTC",
    "Thu, 99 Dec 2099 23:59:59 GMT",
    "Thu, 31 Xyz 2099 23:59:59 GMT",
    "Thu, 31 Dec 2099 25:00:00 GMT",
  ];
  it.each([undefined, ...noNumbers, ...noDates])("is ignored: %j", (header) => {
    expect(retryAfterMs(header, 0)).toBeUndefined();
  });

  it.each([" ", "0", "1.", "Sun, ", "06 Nov "])(
    "is read in linear time even if it contains a million repetitions of %j",
    (run) => {
      expect(retryAfterMs(`${run.repeat(1_000_000)}x`, 0)).toBeUndefined();
    },
  );
});

it.each([
  [49, "0.1 s"],
  [60_040, "60.1 s"],
  [365 * 24 * 3_600_000, "31536000 s"],
  [365 * 24 * 3_600_000 + 1, "more than a year"],
])("An error message shows %d ms as %s", (ms, text) => {
  expect(inSeconds(ms)).toBe(text);
});
