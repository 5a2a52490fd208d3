import { describe, expect, it } from "vitest";
import { compareChart } from "../../bench/compare/chart.mjs";
import { goalsOf } from "../../bench/compare/goals.mjs";
import { pageFilesOf, pageOf } from "../../bench/compare/page.mjs";
import { type CellResults, figuresOf, type Results, textOf } from "../../bench/compare/results.mjs";
import { readReport } from "../../bench/shared/reports.mjs";

/** A reading in which everything follows from the CPU time. */
const readingOf = (cpuMicroseconds: number) => ({
  cpuMicroseconds,
  perSecond: 1e6 / cpuMicroseconds,
  peakMegabytes: 100,
  p50Ms: 0.5,
  p99Ms: 1.25,
});

const cellOf = (cell: Omit<CellResults, "contenders">, times: Record<string, number[]>): CellResults => ({
  ...cell,
  contenders: Object.fromEntries(
    Object.entries(times).map(([name, rounds]) => [name, figuresOf(rounds.map(readingOf))]),
  ),
});

const results: Results = {
  date: "2026-11-21",
  kind: "full",
  machine: { node: "v20.20.2", platform: "linux x64", cores: 2, processor: "A Processor", loadBefore: 0.4 },
  server: "nginx 1.22.1, one process",
  savedTo: "a folder",
  versions: { "template-pdf": "0.1.0", undici: "7.30.2" },
  cells: [
    cellOf(
      { protocol: "http", bytes: 50_000, inFlight: 20 },
      {
        "undici dispatch": [100, 101, 99],
        "a <client> & co": [2_000],
        "template-pdf bytes()": [95],
        "template-pdf stream()": [400],
      },
    ),
    cellOf(
      { protocol: "http", bytes: 2_000, inFlight: 20 },
      {
        "undici dispatch": [20],
        "a <client> & co": [500],
        "template-pdf bytes()": [30.05],
        "template-pdf stream()": [40],
      },
    ),
    cellOf(
      { protocol: "tls", bytes: 2_000, inFlight: 200 },
      {
        "undici dispatch": [20],
        "a <client> & co": [500],
        "template-pdf bytes()": [31],
        "template-pdf stream()": [40],
      },
    ),
    cellOf(
      { protocol: "tls", bytes: 50_000, inFlight: 1 },
      { "undici dispatch": [100], "template-pdf bytes()": [90] },
    ),
  ],
};

it.each(["benchmarks.json", "benchmarks.md", "benchmarks.svg"])(
  "docs/reports/%s is what docs/reports/benchmarks.json makes: where it is stale, run `npm run bench -- --page`",
  (name) => {
    expect(readReport(name)).toBe(Object(pageFilesOf(JSON.parse(readReport("benchmarks.json"))))[name]);
  },
);

describe("the page", () => {
  const page = pageOf(results);

  it("tells where the figures come from, and that the machine was busy where it was", () => {
    expect(page).toContain("2026-11-21, Node v20.20.2, 2 cores (A Processor), linux x64; nginx 1.22.1");
    expect(page).toContain("Versions: template-pdf 0.1.0, undici 7.30.2.");
    const busy = pageOf({ ...results, machine: { ...results.machine, loadBefore: 2.1 } });
    expect(busy).toContain("load 2.1 before the start: **it was busy");
  });

  it("shows ratios to bare dispatch, by how many are in flight and then by size", () => {
    expect(page).toContain(
      [
        "| × bare | 2 kB, 20 | 50 kB, 20 |",
        "| --- | --: | --: |",
        "| undici dispatch, CPU time | 20.0 µs | 100 µs |",
        "| undici dispatch | 1.00 | 1.00 |",
        "| a <client> & co | 25.00 | 20.00 |",
        "| **template-pdf bytes()** | 1.50 | 0.95 |",
      ].join("\n"),
    );
    expect(page).toContain("**TLS**\n\n| × bare | 50 kB, 1 | 2 kB, 200 |");
  });

  it("has every figure of every cell", () => {
    expect(page).toContain("<summary>HTTP, 50 kB, 20 in flight</summary>");
    expect(page).toContain("| a <client> & co | 2,000 | 2,000 – 2,000 | 20.00 | 500 | 100 | 0.500 | 1.25 |");
  });

  it("says plainly what was reached, missed and not measured", () => {
    expect(page).toContain("| `bytes()`, 2 kB, 20 in flight, HTTP | ≤ 1.25 | 1.50 | **missed** |");
    expect(page).toContain("| `bytes()`, 50 kB, 20 in flight, HTTP | ≤ 0.95 | 0.95 | reached |");
    expect(page).toContain("| `bytes()`, 1 MB, 20 in flight, HTTP | ≤ 0.90 | – | not measured |");
    const worst = "the worst of all forms but `stream()`: template-pdf bytes(), TLS, 2 kB, 200 in flight";
    expect(page).toContain(`| ${worst} | ≤ 1.50 | 1.55 | **missed** |`);
  });

  it("says that it is no full run where it is none", () => {
    expect(page).toContain("A full run.");
    expect(pageOf({ ...results, kind: "quick" })).toContain("**A quick run**");
    expect(pageOf({ ...results, kind: "part" })).toContain("**A part**");
  });
});

describe("the goals", () => {
  it("hold what is shown to the limit, and leave out the web streams", () => {
    // 1.5025 is shown as 1.50, and what is shown counts.
    expect(goalsOf(results).map(({ reached }) => reached)).toEqual([false, true, false, false]);
  });
});

describe("the chart", () => {
  const chart = compareChart(results);
  const barsOf = (kind: string) => [
    ...chart.matchAll(new RegExp(`<rect class="${kind}".*? width="([\\d.]+)"`, "g")),
  ];

  it("draws a bar for each contender and size by HTTP with 20 in flight, and marks ours", () => {
    expect(["bare", "bar", "ours"].map((kind) => barsOf(kind).length)).toEqual([2, 2, 4]);
  });

  it("draws them as long as the ratios are", () => {
    const [small = 0, large = 0] = barsOf("bar").map(([, width]) => Number(width));
    expect(large).toBe(small);
    expect(barsOf("ours").map(([, width]) => Number(width) / small)).toEqual(
      [1.5025 / 25, 2 / 25, 0.95 / 20, 4 / 20].map((part) => expect.closeTo(part, 3)),
    );
  });

  it("escapes what XML would misread", () => {
    expect(chart).toContain(">a &lt;client> &amp; co</text>");
    expect(chart).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe("the file of the results", () => {
  it("is JSON, one contender a line", () => {
    expect(JSON.parse(textOf(results))).toEqual(results);
    const lines = textOf(results).split("\n");
    expect(lines.filter((line) => line.includes("cpuMicroseconds"))).toHaveLength(14);
  });

  it("holds the medians of the rounds, and each round's CPU time", () => {
    expect(figuresOf([30, 10, 20].map(readingOf))).toMatchObject({
      cpuMicroseconds: 20,
      rounds: [30, 10, 20],
    });
    expect(figuresOf([10, 20].map(readingOf))).toMatchObject({ cpuMicroseconds: 15 });
  });
});
