import { expect, it } from "vitest";
import { RecentRate } from "../../src/bulk/recent-rate.ts";

it("the recent rate covers the last ten seconds", () => {
  const rate = new RecentRate(0);
  for (let atMs = 0; atMs <= 20_000; atMs += 100) rate.at(atMs, atMs / 10);
  expect(rate.at(20_000, 2000)).toBeCloseTo(100, 0);
  // No more documents finish.
  for (let atMs = 20_100; atMs <= 25_000; atMs += 100) rate.at(atMs, 2000);
  expect(rate.at(25_000, 2000)).toBeCloseTo(50, -1);
  for (let atMs = 25_100; atMs <= 31_000; atMs += 100) rate.at(atMs, 2000);
  expect(rate.at(31_000, 2000)).toBe(0);
});

it("the recent rate is not negative after jobs are retried", () => {
  const rate = new RecentRate(0, 100);
  expect(rate.at(1000, 20)).toBe(0);
});
