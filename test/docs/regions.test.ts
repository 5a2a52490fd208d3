import { describe, expect, it } from "vitest";
import { groups } from "../faults/rows/index.ts";
import { constantOf } from "./constant-of.ts";
import { inBinaryUnits, inWords } from "./in-words.ts";
import { written } from "./written.ts";

const region = (words: string) => written(`<!-- generated: ${words} -->\n<!-- end of generated -->\n`);

const rowsOf = (text: string) =>
  text.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));

describe("the regions of the guides to calls", () => {
  it("retry: says what the policy decides", async () => {
    const text = await region("retry");
    expect(text).toContain("| 408, 429, 500, 502, 503 and 504 |");
    expect(text).toContain("of up to 0.5 s before the second attempt, then of up to 1 s, 2 s, 4 s and 8 s,");
    expect(text).toContain("up to 60 s;");
  });

  it("faults: has a line for each kind, and counts them all", async () => {
    const rows = rowsOf(await region("faults")).slice(1);
    expect(rows).toHaveLength(groups.length);
    const counts = rows.map((row) => Number(row.split(" | ")[1]));
    expect(counts).toEqual(groups.map((group) => group.rows.length));
  });

  it("forms: has every form, and what is in memory by the constants that bound it", async () => {
    const text = await region("forms");
    expect(rowsOf(text)).toHaveLength(1 + 9);
    expect(text).toContain("| 64 KiB ahead of the reader | no |");
    expect(text).toContain("It may have 512 MiB at most");
  });

  it("limits: has every limit with its default", async () => {
    const text = await region("limits");
    expect(text).toContain("| `firstByte` | 120,000 |");
    expect(rowsOf(text)).toHaveLength(1 + 5);
  });

  it("help: is what the command prints", async () => {
    expect(await region("help types")).toContain(
      "```text\nUsage: template-pdf types [options] <samples...>\n",
    );
    await expect(region("help nothing")).rejects.toThrow("no command `nothing`");
  });
});

describe("what regions are made of", () => {
  it("is a constant of a source, which has to be there", () => {
    expect(constantOf("src/call/body.ts", "maxHeldBytes")).toBe(64 * 1024);
    expect(() => constantOf("src/call/body.ts", "noSuchBytes")).toThrow("no constant `noSuchBytes`");
  });

  it("is words in a row", () => {
    expect(inWords(["a"])).toBe("a");
    expect(inWords(["a", "b", "c"])).toBe("a, b and c");
    expect(inWords([])).toBe("");
  });

  it("is bytes in the unit that fits", () => {
    expect([100, 65_536, 2 ** 29].map(inBinaryUnits)).toEqual(["100 bytes", "64 KiB", "512 MiB"]);
  });
});
