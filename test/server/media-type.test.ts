import { describe, expect, it } from "vitest";
import { readMediaType } from "../../src/server/media-type.ts";
import { endpoint, json, request } from "./endpoint-call.ts";

describe("a media type", () => {
  it.each([
    ["", "", {}],
    [" Text/HTML ", "text/html", {}],
    ["a/b;", "a/b", {}],
    ["a/b ; ;; c=d", "a/b", { c: "d" }],
    ["a/b;c=d;e=f", "a/b", { c: "d", e: "f" }],
    ['a/b; C="d;e"\t;f=G', "a/b", { c: "d;e", f: "G" }],
    [String.raw`a/b; c="\"d\\"`, "a/b", { c: String.raw`"d\ `.trim() }],
    ["a/b; c=d; c=e", "a/b", { c: "d" }],
  ])("is read from %j", (text, type, parameters) => {
    const read = readMediaType(text);
    expect([read?.type, Object.fromEntries(read?.parameters ?? [])]).toEqual([type, parameters]);
  });

  it.each(["a/b; c", "a/b; c = d", "a/b; =d", 'a/b; c="d', 'a/b; c="d"e', "a/b; c=d e", "a/b; c=d, a/b"])(
    "is refused if its parameters are malformed: %j",
    (text) => {
      expect(readMediaType(text)).toBeUndefined();
    },
  );
});

describe("an endpoint", () => {
  const size = 262_144;

  // It took 11 s for 100,000 characters, and four times as long for twice as many.
  it.each([
    ["blanks behind the charset", `application/json; charset=${" ".repeat(size)}"x"y`],
    ["blanks before the charset", `application/json;${" ".repeat(size)}x`],
    ["a quoted value that does not end", `application/json; charset="${"x".repeat(size)}`],
    ["backslashes in a quoted value", `application/json; charset="${"\\".repeat(size)}`],
    ["empty parameters", `application/json${";".repeat(size)}x`],
    ["parameters without a value", `application/json${";x".repeat(size / 2)}`],
    ["a long name", `application/json;${"x".repeat(size)}`],
  ])("refuses a content type of 256 KiB at once: %s", async (_what, type) => {
    const response = await endpoint(request({ headers: { ...json, "content-type": type } }));
    expect(response.status).toBe(415);
  });
});
