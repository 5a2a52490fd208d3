import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { formatRate, progressText, type RunProgress } from "../../../src/cli/bulk/progress-text.ts";
import { formatTimeSpan } from "../../../src/cli/duration.ts";
import { showLive } from "../../../src/cli/live-line.ts";
import { RecordedOutput } from "../fake-terminal.ts";

const progress: RunProgress = {
  made: 2097,
  failed: 3,
  total: 5000,
  perSecond: 152.4,
  inHand: 8,
  allowedPerSecond: Number.POSITIVE_INFINITY,
  pauseMs: 0,
  outageMs: 0,
  nextRequestMs: 0,
  isEnding: false,
};

const wide = 119;
const pipe = Number.POSITIVE_INFINITY;
const counts = "2,097 of 5,000  3 failed";
const pace = "152/s  20 s left  8 in flight";

const bar = "█".repeat(10) + "░".repeat(14);
const full = `${bar}  ${counts}`;
const outage = { outageMs: 119_400, nextRequestMs: 7100 };
const noResponse = "no response for 2 min, next request in 8 s";
const ending = { isEnding: true, pauseMs: 500, outageMs: 500 };
const slow = "4,990 of 5,000  3 failed  0.25/s  28 s left  8 in flight";

it.each<
  [
    title: string,
    row: { readonly columns: number; readonly text: string; readonly changed?: Partial<RunProgress> },
  ]
>([
  ["everything on a wide terminal", { columns: wide, text: `${full}  ${pace}` }],
  [
    "the allowed rate",
    { columns: wide, text: `${full}  ${pace}, at most 150/s`, changed: { allowedPerSecond: 149.6 } },
  ],
  [
    "a pause",
    {
      columns: wide,
      text: `${full}  paused for 12 s at the service's request  152/s`,
      changed: { pauseMs: 11_900 },
    },
  ],
  [
    "an outage instead of the rate",
    { columns: wide, text: `${full}  ${noResponse}`, changed: { ...outage, pauseMs: 7100 } },
  ],
  [
    "a request during an outage",
    { columns: pipe, text: `${counts}  no response for 2 s, requesting now`, changed: { outageMs: 1500 } },
  ],
  [
    "how many documents are still in progress",
    { columns: wide, text: `${full}  finishing 8  152/s`, changed: ending },
  ],
  ["a shorter bar on a narrower terminal", { columns: 79, text: `██████░░░░░░░░░░  ${counts}  ${pace}` }],
  ["only the counts and the rate on a narrow terminal", { columns: 39, text: `${counts}  152/s` }],
  ["only the document count on a very narrow terminal", { columns: 20, text: "2,097 of 5,000" }],
  ["a truncated document count if the full count does not fit", { columns: 5, text: "2,097" }],
  [
    "no remaining time at a rate of zero",
    { columns: pipe, text: `${counts}  0/s  8 in flight`, changed: { perSecond: 0 } },
  ],
  [
    "a slow rate with two decimal places",
    { columns: pipe, text: slow, changed: { perSecond: 0.25, made: 4990 } },
  ],
])("the progress line shows %s", (_title, { columns, text, changed = {} }) => {
  expect(progressText({ ...progress, ...changed }, columns)).toBe(text);
});

it.each([
  [1520.4, "1,520/s"],
  [9.96, "10/s"],
  [0.951, "0.95/s"],
  [0.001, "1 in 16 min 40 s"],
  [0, "0/s"],
])("a rate of %d per second is written as %s", (perSecond, text) => expect(formatRate(perSecond)).toBe(text));

it.each([
  [59_940, "59.9 s"],
  [59_950, "1 min"],
  [185_000, "3 min 5 s"],
  [3_599_600, "1 h"],
  [7_800_000, "2 h 10 min"],
])("a time span of %i ms is written as %s", (durationMs, text) =>
  expect(formatTimeSpan(durationMs)).toBe(text),
);

describe("the progress line", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const wipe = "\r\u001b[K";

  it("is redrawn at most ten times a second, and only if it has changed", () => {
    const output = Object.assign(new RecordedOutput(), { isTTY: true, columns: 10 });
    let text = "a";
    const requestedWidths: number[] = [];
    const live = showLive(output, {}, (columns) => {
      requestedWidths.push(columns);
      return text;
    });
    vi.advanceTimersByTime(1000);
    text = "b";
    vi.advanceTimersByTime(1000);
    live.say("one\ntwo");
    live.stop();
    vi.advanceTimersByTime(1000);
    expect(output.text).toBe(`${wipe}a${wipe}b${wipe}one two\n${wipe}b${wipe}`);
    // Ten times in each of two seconds, before the message and at the end.
    expect(requestedWidths.length).toBeGreaterThanOrEqual(20);
    expect(requestedWidths.length).toBeLessThanOrEqual(22);
    expect(new Set(requestedWidths)).toEqual(new Set([9]));
  });

  it.each([
    ["a pipe", { isTTY: false, TERM: "xterm" }],
    ["a terminal that cannot redraw a line", { isTTY: true, TERM: "dumb" }],
  ])("is written to %s as a new line with its time in UTC every five seconds", (_title, { isTTY, TERM }) => {
    const output = Object.assign(new RecordedOutput(), { isTTY });
    vi.setSystemTime("2026-11-30T23:59:56.5-02:00");
    const live = showLive(output, { TERM }, String);
    vi.advanceTimersByTime(4999);
    live.say("told");
    expect(output.text).toBe("2026-12-01T02:00:01.499Z told\n");
    vi.advanceTimersByTime(5001);
    live.stop();
    vi.advanceTimersByTime(50_000);
    const lines = ["01.499Z told", "01.500Z Infinity", "06.500Z Infinity"];
    expect(output.text).toBe(lines.map((line) => `2026-12-01T02:00:${line}\n`).join(""));
  });
});
