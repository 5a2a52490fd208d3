import { SaveError, TemplatePdfError } from "template-pdf";
import { JournalError, RunStoppedError } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";

describe.each([
  [
    "JournalError",
    "journal_failed",
    JournalError as typeof TemplatePdfError,
    new JournalError("x", { path: "p" }),
  ],
  [
    "RunStoppedError",
    "run_stopped",
    RunStoppedError as typeof TemplatePdfError,
    new RunStoppedError("x", facts()),
  ],
] as const)("a %s", (name, code, Kind, error) => {
  it("is one of the family, by its name, its code and its brand", () => {
    expect([error.name, error.code, String(error)]).toEqual([name, code, `${name}: x`]);
    expect([Kind.is(error), TemplatePdfError.is(error), SaveError.is(error)]).toEqual([true, true, false]);
    expect(Kind.is(new SaveError("x", { path: "p" }))).toBe(false);
    expect(error.toJSON()).toMatchObject({ name, code, message: "x", attempts: 0 });
  });
});

function facts() {
  return { fulfilled: 1, rejected: 2, why: "enough" };
}
