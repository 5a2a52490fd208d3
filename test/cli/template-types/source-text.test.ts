import { describe, expect, it } from "vitest";
import { docComment } from "../../../src/cli/template-types/source-text.ts";

describe("a comment", () => {
  it("has no empty line at its start and its end", () => {
    expect(docComment("\n \r\n")).toEqual([]);
    expect(docComment("\n\na\n\n")).toEqual(["/** a */"]);
    expect(docComment("\na\n\n b\n")).toEqual(["/**", " * a", " *", " * b", " */"]);
  });

  it("of 2,000,000 empty lines is written at once", () => {
    const lines = "\n".repeat(1_000_000);
    expect(docComment(`${lines}a${lines}`)).toEqual(["/** a */"]);
  });
});
