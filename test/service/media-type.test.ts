import { describe, expect, it } from "vitest";
import { readMediaType } from "../../src/service/media-type.ts";
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
    expect([read.type, Object.fromEntries(read.parameters)]).toEqual([type, parameters]);
  });

  it.each(["c", "c = d", "=d", 'c="d', 'c="d"e', "c=d e", "c=d, a/b", 'c="d"e"'])(
    "is read without a malformed parameter: %j",
    (malformed) => {
      for (const text of [`a/b; ${malformed}`, `a/b; e=f; ${malformed}`, `a/b; ${malformed}; e=f`]) {
        const { type, parameters } = readMediaType(text);
        const expected = text.includes("e=f") ? { e: "f" } : {};
        expect([text, type, Object.fromEntries(parameters)]).toEqual([text, "a/b", expected]);
      }
    },
  );
});

describe("an endpoint", () => {
  it.each([
    ["application/json; utf-8", 200],
    ["application/json; charset = utf-8", 200],
    ["application/json; foo", 200],
    ["application/json; foo; charset=utf-8", 200],
    ["application/json; foo; charset=utf-16", 415],
    ["application/json; charset=utf-16; foo", 415],
    ['application/json; charset=""', 415],
  ])("skips malformed parameters and refuses a wrong charset: %s", async (type, status) => {
    const response = await endpoint(request({ headers: { ...json, "content-type": type } }));
    expect(response.status).toBe(status);
  });

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
    ["quotes that do not end", `application/json${';x="\\'.repeat(size / 5)}`],
    ["quotes that end in the next parameter", `application/json${';x="'.repeat(size / 4)}`],
  ])("reads a content type of 256 KiB in linear time: %s", async (_what, type) => {
    const headers = { ...json, "content-type": `${type};charset=utf-16` };
    const startedAt = performance.now();
    expect((await endpoint(request({ headers }))).status).toBe(415);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
