import { describe, expect, it, onTestFinished, vi } from "vitest";
import { retryAfterMs } from "../src/errors/retry-after.ts";

/** RFC 9110's own example, and a minute before it. */
const examples = [
  "Sun, 06 Nov 1994 08:49:37 GMT",
  "Sunday, 06-Nov-94 08:49:37 GMT",
  "Sun Nov  6 08:49:37 1994",
];
const itsTime = Date.UTC(1994, 10, 6, 8, 49, 37);

describe("Retry-After in seconds", () => {
  it.each([
    ["0", 0],
    ["1", 1_000],
    ["120", 120_000],
    ["  7  ", 7_000],
    ["007", 7_000],
    ["0.5", 500],
    ["1.25", 1_250],
    ["0.0001", 1],
    ["2.0", 2_000],
    ["86400", 86_400_000],
    ["99999999999", 99_999_999_999_000],
  ])("%j is %d ms", (header, ms) => {
    expect(retryAfterMs(header, 0)).toBe(ms);
  });

  it("of a thousand digits is as long as it gets", () => {
    expect(retryAfterMs("9".repeat(1_000), 0)).toBe(Number.POSITIVE_INFINITY);
  });

  it("is never told shorter than it is", () => {
    for (let tenths = 0; tenths < 1_000; tenths++) {
      expect(retryAfterMs(`${Math.floor(tenths / 10)}.${tenths % 10}`, 0)).toBeGreaterThanOrEqual(
        tenths * 100,
      );
    }
  });
});

describe("Retry-After as a date", () => {
  it.each(examples)("%s is that time", (header) => {
    expect(retryAfterMs(header, itsTime - 60_000)).toBe(60_000);
    expect(retryAfterMs(header, itsTime - 1)).toBe(1);
  });

  it.each(examples)("%s says nothing once it has come", (header) => {
    expect(retryAfterMs(header, itsTime)).toBeUndefined();
    expect(retryAfterMs(header, itsTime + 60_000)).toBeUndefined();
  });

  it.each([
    ["Sun Nov 16 08:49:37 1994", Date.UTC(1994, 10, 16, 8, 49, 37)],
    ["Thu, 31 Dec 2099 23:59:59 GMT", Date.UTC(2099, 11, 31, 23, 59, 59)],
    ["Tuesday, 29-Feb-28 00:00:00 GMT", Date.UTC(2028, 1, 29)],
  ])("%s is that time, in any zone", (header, time) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const zone of ["UTC", "America/New_York", "Asia/Kolkata"]) {
      vi.stubEnv("TZ", zone);
      expect(retryAfterMs(header, time - 5_000)).toBe(5_000);
    }
  });

  it("with two digits for the year lies no more than 50 years ahead (RFC 9110, 5.6.7)", () => {
    const now = Date.UTC(2026, 10, 20);
    expect(retryAfterMs("Friday, 20-Nov-26 00:00:10 GMT", now)).toBe(10_000);
    expect(retryAfterMs("Sunday, 20-Nov-94 00:00:10 GMT", now)).toBeUndefined();
  });
});

describe("Retry-After that says nothing", () => {
  it.each([
    [undefined],
    [""],
    [" "],
    ["-1"],
    ["-0"],
    ["+1"],
    ["NaN"],
    ["Infinity"],
    ["null"],
    ["1e3"],
    ["0x10"],
    ["1."],
    [".5"],
    ["1,5"],
    ["1 000"],
    ["10s"],
    ["10, 20"],
    ["10, Sun, 06 Nov 1994 08:49:37 GMT"],
    ["Sun, 06 Nov 1994 08:49:37 GMT, 10"],
    ["soon"],
    ["tomorrow"],
    ["2099-11-20T00:00:00Z"],
    ["Thu, 31 Dec 2099 23:59:59"],
    ["Thu, 31 Dec 2099 23:59:59 CET"],
    ["Thu, 31 Dec 2099 23:59:59 +0000"],
    ["31 Dec 2099 23:59:59 GMT"],
    ["on Thu, 31 Dec 2099 23:59:59 GMT"],
    ["Thu, 31 Dec 99 23:59:59 GMT"],
    ["Thu, 99 Dec 2099 23:59:59 GMT"],
    ["Thu, 31 Xyz 2099 23:59:59 GMT"],
    ["Thu, 31 Dec 2099 25:00:00 GMT"],
    ["Thu, 31 Dec 2099 23:61:00 GMT"],
    ["thu, 31 dec 2099 23:59:59 gmt"],
    ["٣"],
    ["1\u0000"],
  ])("%j", (header) => {
    expect(retryAfterMs(header, 0)).toBeUndefined();
  });

  it("is told in linear time, however long it is", () => {
    for (const header of [
      `${"1".repeat(1_000_000)}x`,
      `1.${"1".repeat(1_000_000)}.`,
      `${" ".repeat(1_000_000)}x`,
    ]) {
      expect(retryAfterMs(header, 0)).toBeUndefined();
    }
  });
});
