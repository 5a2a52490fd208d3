import { describe, expect, it } from "vitest";
import { parsePattern } from "../../../src/bulk/folder/placeholders.ts";
import { ConfigurationError } from "../../../src/index.ts";

describe("the pattern of a path", () => {
  it("leaves white space in braces out of names", () => {
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
