import { describe, expect, it } from "vitest";
import { cells, nameOf, readSettings } from "../../bench/compare/settings.mjs";
import { allContenders } from "../../bench/measure/contenders.mjs";
import { medianOf, percentileOf } from "../../bench/shared/figures.mjs";

describe("The settings of the comparison", () => {
  it("are everything by default, which is a full run", () => {
    expect(readSettings({})).toMatchObject({ kind: "full", contenders: allContenders, cells });
  });

  it("are one part of the cells with --quick", () => {
    const quick = readSettings({ quick: true });
    expect(quick).toMatchObject({ kind: "quick", contenders: allContenders });
    expect(quick.cells.map(nameOf)).toEqual(
      ["2 kB", "50 kB", "1 MB"].map((size) => `HTTP, ${size}, 20 in flight`),
    );
  });

  it.each([{ only: "ky" }, { cells: "tls" }, { rounds: 1 }])("are a part with %j", (options) => {
    expect(readSettings(options).kind).toBe("part");
  });

  it("keep bare dispatch whoever else is named", () => {
    expect(readSettings({ only: "bytes\\(\\)$|KY" }).contenders).toEqual([
      "undici dispatch",
      "ky",
      "template-pdf bytes()",
    ]);
  });

  it("find cells by their names among all of them, with --quick, too", () => {
    const found = readSettings({ quick: true, cells: "tls, 1 MB, 20 in" });
    expect(found.cells.map(nameOf)).toEqual(["TLS, 1 MB, 20 in flight"]);
  });
});

describe("The statistics", () => {
  it("take the middle", () => {
    expect([[3, 1, 2], [4, 1, 2, 3], [7]].map(medianOf)).toEqual([2, 2.5, 7]);
  });

  it("take the number that a part does not exceed", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0.5, 0.99, 1].map((part) => percentileOf(hundred, part))).toEqual([50, 99, 100]);
    expect(percentileOf([5], 0.99)).toBe(5);
  });
});
