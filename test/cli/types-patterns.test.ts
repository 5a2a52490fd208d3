import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expandPattern } from "../../src/cli/types/expand-pattern.ts";
import { folderOf, runTypes } from "./types-command.ts";

const files = {
  "samples/order.json": '{"a":1}',
  "samples/invoice.1.json": '{"a":1}',
  "samples/invoice.2.json": '{"a":1,"b":1}',
  "samples/.hidden.json": "no JSON",
  "samples/notes.txt": "",
};

/** Which templates the types are of, and from how many samples. */
async function sourcesOf(word: string) {
  const { code, stderr, written } = await runTypes(folderOf(files), word);
  const sources = [...written.matchAll(/\bsamples\/[\w.]+\w/g)].map(([path]) => path);
  return { code, stderr, sources: [...new Set(sources)] };
}

describe("a pattern that no shell has put files in for", () => {
  it.each([
    ["samples/*.json", ["samples/invoice.1.json", "samples/invoice.2.json", "samples/order.json"]],
    ["samples/invoice.?.json", ["samples/invoice.1.json", "samples/invoice.2.json"]],
    ["order=samples/o*.json", ["samples/order.json"]],
  ])("%s stands for what is like it", async (word, sources) => {
    expect(await sourcesOf(word)).toEqual({ code: 0, stderr: "", sources });
  });

  it.each([
    ["a*", ["ab.json", "abc.json"]],
    ["*b*.json", ["ab.json", "abc.json", "b.json", "é.b.json"]],
    ["*?b.json", ["ab.json", "é.b.json"]],
    ["**b.j*n", ["ab.json", "b.json", "é.b.json"]],
    ["?.b.json", ["é.b.json"]],
    ["a?.json*", ["ab.json"]],
    [".*", [".b.json"]],
    ["a+.json", ["a+.json"]],
    ["(ab|b)*", ["(ab|b)*"]],
  ])("is like names as in a shell: %s", async (pattern, names) => {
    const folder = folderOf({ "ab.json": "", "abc.json": "", "b.json": "", ".b.json": "", "é.b.json": "" });
    const found = names.map((name) => join(folder, name));
    expect(await expandPattern(join(folder, pattern), "linux")).toEqual(found);
  });

  it("with many stars is compared with a long name at once", async () => {
    const folder = folderOf({ [`${"a".repeat(200)}.json`]: "" });
    const pattern = join(folder, `${"*a".repeat(60)}*b`);
    expect(await expandPattern(pattern, "linux")).toEqual([pattern]);
  });

  it.each([
    ["win32", ["ORDER.JSON", "invoice.json"]],
    ["linux", ["invoice.json"]],
  ])("stands on %s for what that takes for like it", async (platform, names) => {
    const folder = folderOf({ "ORDER.JSON": "", "invoice.json": "" });
    const found = names.map((name) => join(folder, name));
    expect(await expandPattern(join(folder, "*.json"), platform)).toEqual(found);
  });

  it("stands for itself where nothing is like it", async () => {
    const { code, stderr } = await runTypes(folderOf(files), "samples/x*.json");
    expect(code).toBe(2);
    expect(stderr).toContain("Could not read samples/x*.json");
  });
});
