import { describe, expect, it } from "vitest";
import { contentLengthOf, expectedLengthOf } from "../../src/transport/response-head.ts";
import { headOf } from "../support/facts.ts";

describe("the length that an answer promises", () => {
  it.each([
    ["0", 0],
    ["5", 5],
    ["007", 7],
    ["999999999999999", 999_999_999_999_999],
    ["9999999999999999", undefined],
    ["", undefined],
    ["-5", undefined],
    ["5.5", undefined],
    ["5, 5", undefined],
    ["a5", undefined],
    ["5a", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["NaN", undefined],
  ])("told as %j is %s", (text, length) => {
    expect(contentLengthOf(headOf(200, { "content-length": text }))).toBe(length);
  });

  it("is unknown where none is told, or it is that of the encoded bytes", () => {
    expect(contentLengthOf(headOf(200))).toBeUndefined();
    expect(contentLengthOf(headOf(200, { "content-length": "5" }, { decoded: true }))).toBeUndefined();
  });

  it("is expected, and not promised, where nobody can see whether it is that of encoded bytes", () => {
    const hidden = headOf(200, { "content-length": "5" }, { decoded: undefined });
    expect([contentLengthOf(hidden), expectedLengthOf(hidden)]).toEqual([undefined, 5]);
    expect(expectedLengthOf(headOf(200, { "content-length": "5" }))).toBe(5);
    expect(expectedLengthOf(headOf(200, { "content-length": "5" }, { decoded: true }))).toBeUndefined();
  });
});
