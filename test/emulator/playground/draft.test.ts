import { describe, expect, it } from "vitest";
import {
  canRedo,
  canUndo,
  type Draft,
  describeNumber,
  filledIn,
  followed,
  objectionTo,
  openDraft,
  parseValues,
  redone,
  replaced,
  textIn,
  undone,
  unfinishedAt,
} from "../../../src/emulator/playground/page/draft.ts";

const valuesOf = (draft: Draft) => JSON.parse(textIn(draft));
const sample = { number: "2026-0117", count: 2 };

describe("the values of a template in the playground", () => {
  it("begin with the sample, before which nothing can be undone", () => {
    const draft = openDraft(sample);
    expect({ values: valuesOf(draft), canUndo: canUndo(draft) }).toEqual({ values: sample, canUndo: false });
    expect(valuesOf(undone(draft))).toEqual(sample);
  });

  it("can be restored after each change, by form, editor, file and request", () => {
    const typed = filledIn(openDraft(sample), { number: "a", count: 2 }, "number");
    const used = replaced(typed, '{"number":"from elsewhere"}');
    expect(valuesOf(undone(used))).toEqual({ number: "a", count: 2 });
    expect(valuesOf(undone(undone(used)))).toEqual(sample);
    expect(valuesOf(redone(undone(used)))).toEqual({ number: "from elsewhere" });
    expect(canRedo(used)).toBe(false);
  });

  it("keep the last valid values while the text is invalid", () => {
    const draft = replaced(openDraft(sample), '{"number": }');
    expect(draft.lastValues).toEqual(sample);
    expect(objectionTo(draft)).toBe("Line 1, column 12: expected a value.");
    expect(objectionTo(undone(draft))).toBeUndefined();
  });

  it.each([
    ['{"a": 1e400}', /^Line 1, column 7: this number is too large; write it as a string/],
    ['{\n"a": 12345678901234567890}', /^Line 2, column 6: this number has more digits than JavaScript/],
    ['{"a": 1, "a": 2}', /^Line 1, column 10: this object already has a property with this name/],
    ["[1]", /^The values must be one JSON object/],
    ["", /^Line 1, column 1: the JSON is empty/],
  ])("are not sent if JavaScript would change them: %s", (text, reason) => {
    const parsed = parseValues(text);
    expect(parsed).toEqual({ kind: "invalid", reason: expect.stringMatching(reason) });
  });

  it("are not sent while a field for numbers contains something else, until it is finished", () => {
    const typed = unfinishedAt(openDraft(sample), "count", "12,5");
    expect(objectionTo(typed)).toBe(
      "The field count is not a number. Use a point for decimals, such as 12.5.",
    );
    expect(valuesOf(typed)).toEqual(sample);
    const other = filledIn(typed, { number: "b", count: 2 }, "number");
    expect(other.unfinished).toEqual({ count: "12,5" });
    const finished = filledIn(other, { number: "b", count: 12.5 }, "count");
    expect(objectionTo(finished)).toBeUndefined();
    // Fields have other paths after an item was removed.
    expect(filledIn(typed, { count: 1 }).unfinished).toEqual({});
  });

  it.each([
    ["12.5", undefined],
    [" -1. ", undefined],
    ["1e3", undefined],
    ["12,5", /not a number/],
    ["abc", /not a number/],
    ["0x10", /not a number/],
    ["-", /not a number/],
    ["1e400", /too large/],
    ["12345678901234567890", /more digits/],
  ])("accept `%s` as a number: %s", (text, reason) => {
    const objection = describeNumber(text);
    expect(objection).toEqual(reason && expect.stringMatching(reason));
  });

  it("follow the sample of the file, unless they were changed", () => {
    const next = { number: "2", count: 3 };
    expect(valuesOf(followed(openDraft(sample), next))).toEqual(next);
    const changed = filledIn(openDraft(sample), { number: "mine" }, "number");
    expect(valuesOf(followed(changed, next))).toEqual({ number: "mine" });
    const same = openDraft(sample);
    expect(followed(same, { ...sample }).editor).toBe(same.editor);
  });
});
