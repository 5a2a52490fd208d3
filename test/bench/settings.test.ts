import { describe, expect, it } from "vitest";
import { cells, nameOf } from "../../bench/compare/cells.mjs";
import { allContenders } from "../../bench/compare/contenders.mjs";
import { readSettings } from "../../bench/compare/settings.mjs";
import { medianOf, percentileOf } from "../../bench/shared/statistics.mjs";

describe("the settings", () => {
  it("are everything by default, which writes the page", () => {
    expect(readSettings([])).toMatchObject({ kind: "full", contenders: allContenders, cells, write: true });
  });

  it("are one part of the cells with --quick, which writes nothing unless told to", () => {
    const quick = readSettings(["--quick"]);
    expect(quick).toMatchObject({ kind: "quick", contenders: allContenders, write: false });
    expect(quick.cells.map(nameOf)).toEqual(
      ["2 kB", "50 kB", "1 MB"].map((size) => `HTTP, ${size}, 20 in flight`),
    );
    expect(readSettings(["--quick", "--write"]).write).toBe(true);
  });

  it("leave the page alone where not everything is measured", () => {
    for (const args of [
      ["--only", "ky"],
      ["--cells", "tls"],
      ["--rounds", "1"],
    ]) {
      expect(readSettings(args)).toMatchObject({ kind: "part", write: false });
    }
  });

  it("keep bare dispatch whoever else is named", () => {
    expect(readSettings(["--only", "bytes\\(\\)$|KY"]).contenders).toEqual([
      "undici dispatch",
      "ky",
      "template-pdf bytes()",
    ]);
  });

  it("find cells by their names, among all of them with --quick, too", () => {
    const { cells } = readSettings(["--quick", "--cells", "tls, 1 MB, 20 in"]);
    expect(cells.map(nameOf)).toEqual(["TLS, 1 MB, 20 in flight"]);
  });

  it.each([
    [["--only", "curl"], /--only matches none of undici dispatch/],
    [["--cells", "quic"], /--cells matches none of HTTP, 2 kB/],
    [["--rounds", "0"], /--rounds is a whole number above 0/],
    [["--server", "apache"], /--server is nginx or node/],
    [["--fast"], /--fast/],
  ])("refuse %j", (args, message) => {
    expect(() => readSettings(args)).toThrow(message);
  });
});

describe("the statistics", () => {
  it("take the middle", () => {
    expect([[3, 1, 2], [4, 1, 2, 3], [7]].map(medianOf)).toEqual([2, 2.5, 7]);
  });

  it("take the number that so many do not exceed", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0.5, 0.99, 1].map((part) => percentileOf(hundred, part))).toEqual([50, 99, 100]);
    expect(percentileOf([5], 0.99)).toBe(5);
  });
});
