import { join } from "node:path";
import { folder } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { parsePattern } from "../../../src/bulk/folder/placeholders.ts";
import { ConfigurationError } from "../../../src/index.ts";
import { type Jobs, jobsOf, setUpRun } from "../many.ts";

describe("the pattern of a path", () => {
  it("trims white space around a name in braces", () => {
    const pattern = parsePattern("out/{{ \t a b\u00a0}}/{{c}}.pdf");
    expect(pattern.names).toEqual(["a b", "c"]);
    expect(pattern.fill({ "a b": "x", c: "y" }, "uid")).toBe("out/x/y.pdf");
  });

  it.each([
    ["braces that stay open", "{{ ".repeat(200_000)],
    ["white space in braces that stay open", `{{${" ".repeat(500_000)}`],
    ["white space in braces that close too late", `{{${" ".repeat(500_000)}x{}}`],
  ])("refuses 500 kB of %s at once", (_, text) => {
    expect(() => parsePattern(text)).toThrow(ConfigurationError);
  });
});

describe("a folder sink", () => {
  it("takes a function that returns a relative or absolute path within the folder", async () => {
    const { run, at, files } = await setUpRun();
    const relativePath = folder(({ values }: Jobs[number]) => `a/${values.n}.pdf`, { root: at });
    await run(jobsOf(1), { sink: relativePath });
    const absolutePath = folder(({ values }: Jobs[number]) => join(at, "a", `${values.n}.pdf`), { root: at });
    await run(jobsOf(2), { sink: absolutePath });
    expect(await files("a")).toEqual(["0.pdf", "1.pdf"]);
    const outside = folder(({ values }: Jobs[number]) => join(at, "..", `${values.n}.pdf`), { root: at });
    expect(await run(jobsOf(1), { sink: outside })).toMatchObject({ rejected: 1 });
    const nothing = folder(() => undefined as never, { root: at });
    expect((await run(jobsOf(1), { sink: nothing })).failures[0]?.message).toBe(
      "The path of a document has to be a text, and is a value of type undefined.",
    );
  });

  it("resolves a dotted placeholder by nested or literal properties", async () => {
    const { run, at, files } = await setUpRun();
    const jobs = [
      { template: "t", values: { customer: { no: 7 } } },
      { template: "t", values: { "customer.no": 8 } },
    ] as unknown as Jobs;
    await run(jobs, { sink: folder("out/{{customer.no}}.pdf", { root: at }) });
    expect(await files()).toEqual(["7.pdf", "8.pdf"]);
  });
});
