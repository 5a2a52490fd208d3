import { describe, expect, it } from "vitest";
import { contentLengthOf, expectedLengthOf } from "../../src/transport/transport.ts";
import { headOf } from "../support/facts.ts";

describe("the length of a response", () => {
  it.each([
    ["007", 7],
    ["9999999999999999", undefined],
    ["", undefined],
    ["-5", undefined],
    ["a5", undefined],
    ["5a", undefined],
  ])("is parsed from %j as %s", (text, length) => {
    expect(contentLengthOf(headOf(200, { "content-length": text }))).toBe(length);
  });

  it.each([
    [false, { contentLength: 5, expectedLength: 5 }],
    [true, { contentLength: undefined, expectedLength: undefined }],
    [undefined, { contentLength: undefined, expectedLength: 5 }],
  ])("is known only if the body was not decoded (isDecoded: %s)", (isDecoded, lengths) => {
    const head = headOf(200, { "content-length": "5" }, { isDecoded });
    const found = { contentLength: contentLengthOf(head), expectedLength: expectedLengthOf(head) };
    expect(found).toEqual(lengths);
  });
});
