import { describe, expect, it } from "vitest";
import { userFrames } from "../../../src/emulator/renderer/error-location.ts";
import { parseText } from "../../../src/emulator/renderer/json/placeholders.ts";

/** Each of these took minutes with a regular expression that restarts at every character. */
const length = 500_000;

describe("a text of 500,000 characters", () => {
  it("is parsed quickly in a template: backslashes without braces", () => {
    const text = "\\".repeat(length);
    const fault = (problem: string) => new Error(problem);
    expect(parseText(text, fault)).toEqual([text]);
    expect(parseText(`${text}{{a}}`, fault)[0]).toBe("\\".repeat(length / 2));
  });

  it("is parsed quickly in the stack of an error: brackets without a location", () => {
    const error = new Error("told");
    error.stack = `Error: told\n    at ${"(/".repeat(length / 2)}x\n    at f (/home/me/a (1)/b.mjs:3:14)`;
    expect(userFrames(error)).toMatchObject([{ path: "/home/me/a (1)/b.mjs", line: "3", column: "14" }]);
  });
});
