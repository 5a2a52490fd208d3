import { describe, expect, it } from "vitest";
import { pageFilesOf, pageOf } from "../../bench/bulk/page.mjs";
import { readReport } from "../../bench/shared/reports.mjs";

const circumstances = {
  date: "2026-11-21",
  machine: { node: "v20.20.2", platform: "linux x64", cores: 2, processor: "A Processor", loadBefore: 0.4 },
};
const ramp = Array.from({ length: 100 }, (_, index) => 80 + index);
const memory = {
  ...circumstances,
  documents: 1_000_000,
  bytes: 2_000,
  inFlight: 20,
  runs: {
    "a flat run": {
      cpuMicroseconds: 30,
      perSecond: 25_000,
      rssMegabytes: new Array<number>(100).fill(100),
      heapMegabytes: [40, 41],
    },
    "a run that grows": { cpuMicroseconds: 50, perSecond: 9_876.5, rssMegabytes: ramp, heapMegabytes: [60] },
  },
};
const contenders = {
  "undici dispatch": { cpuMicroseconds: 20, perSecond: 30_000 },
  "undici request": { cpuMicroseconds: 30, perSecond: 20_000 },
  "template-pdf generateMany": { cpuMicroseconds: 25, perSecond: 24_000 },
};
const results = {
  memory,
  speed: {
    ...circumstances,
    server: "nginx",
    rounds: 5,
    cells: [{ inFlight: 20, bytes: 2_000, contenders }],
  },
  folder: {
    ...circumstances,
    server: "nginx",
    rounds: 3,
    inFlight: 20,
    cells: [
      { medium: "disk", bytes: 2_000, writers: { "a writer": { cpuMicroseconds: 500, perSecond: 600 } } },
    ],
  },
  start: { ...circumstances, server: "nginx", rounds: 3, bytes: 2_000, perSecond: { auto: [60, 295] } },
};

it.each(["bulk-benchmarks.json", "bulk-benchmarks.md", "bulk-benchmarks.svg"])(
  "docs/reports/%s is what docs/reports/bulk-benchmarks.json makes: where it is stale, run `npm run bench -- bulk --page`",
  (name) => {
    expect(readReport(name)).toBe(Object(pageFilesOf(JSON.parse(readReport("bulk-benchmarks.json"))))[name]);
  },
);

describe("the page of the runs", () => {
  const page = pageOf(results);

  it("compares the memory at a tenth of a run with that at its end", () => {
    expect(page).toContain("## Memory over 1,000,000 documents");
    expect(page).toContain("| a flat run | 100.0 | 100.0 | 1.00 | 100.0 | 41.0 | 25,000 | 30.0 |");
    expect(page).toContain("| a run that grows | 89.0 | 179.0 | 2.01 | 179.0 | 60.0 | 9,877 | 50.0 |");
  });

  it("compares a run with both bare loops, and says where it misses the goal", () => {
    expect(page).toContain("a pool of `undici request`**: 0.9 or more in 1 of 1 cells");
    expect(page).toContain("| 2 kB, 20 in flight | 1.20 | 1.20 | reached |");
    expect(page).toContain("a pool of `undici dispatch`**: 0.9 or more in 0 of 1 cells");
    expect(page).toContain("| 2 kB, 20 in flight | 0.80 | 0.80 | **missed** |");
  });

  it("has the folder and the first seconds", () => {
    expect(page).toContain("| a writer | 600 | 500 |");
    expect(page).toContain("| auto | 60.0 | 295 |");
  });

  it("tells of every part where and when it was measured, and that the machine was busy where it was", () => {
    const words = "2026-11-21, Node v20.20.2, 2 cores (A Processor), linux x64";
    expect(page.split(words)).toHaveLength(5);
    expect(page).not.toContain("busy");
    const busy = { ...memory, machine: { ...memory.machine, loadBefore: 2.1 } };
    expect(pageOf({ memory: busy })).toContain("load 2.1 before the start: **it was busy");
  });

  it("leaves out what was not measured", () => {
    const { speed: _, ...others } = results;
    expect(pageOf(others)).not.toContain("Documents per second\n");
    expect(pageOf(others)).toContain("## Into a folder");
  });
});

describe("the chart of the memory", () => {
  it("draws a line for every run, flat if the run was flat", () => {
    const chart = pageFilesOf(results)["bulk-benchmarks.svg"] ?? "";
    const lines = [...chart.matchAll(/class="values" d="M([^"]+)"/g)].map(([, points = ""]) =>
      points.split("L").map((point) => Number(point.split(" ")[1])),
    );
    expect(lines).toHaveLength(2);
    expect(new Set(lines[0]).size).toBe(1);
    expect(lines[1]).toEqual([...(lines[1] ?? [])].sort((one, other) => other - one));
  });
});
