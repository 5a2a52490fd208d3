import { SaveError, ServerError, TemplatePdfError } from "template-pdf";
import { JournalError, RunStoppedError } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { FailureGroups } from "../../src/bulk/failure-groups.ts";

const failed = (message: string) => new ServerError(message, { status: 500 });

describe("the failures of a run", () => {
  it("are counted by kind, the most frequent first, with the indexes of their first ten jobs", () => {
    const groups = new FailureGroups();
    groups.add(new TypeError("no such bucket"), 0);
    for (let index = 1; index <= 12; index++) groups.add(failed("down"), index);
    expect(groups.all).toEqual([
      { code: "server_error", message: "down", count: 12, indexes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
      { code: "TypeError", message: "no such bucket", count: 1, indexes: [0] },
    ]);
  });

  it("are of one kind if they differ only in numbers", () => {
    const groups = new FailureGroups();
    for (const count of [12, 3456]) groups.add(failed(`${count} bytes arrived`), count);
    const message = "12 bytes arrived";
    expect(groups.all).toEqual([{ code: "server_error", message, count: 2, indexes: [12, 3456] }]);
  });

  it("have at most 51 kinds", () => {
    const groups = new FailureGroups();
    for (let index = 0; index < 200; index++) groups.add(failed(`${"x".repeat(index)} is down`), index);
    for (let again = 0; again < 5; again++) groups.add(failed("xx is down"), 1000);
    const [others, known, ...rest] = groups.all;
    expect([others, known]).toMatchObject([
      { code: "others", count: 150 },
      { message: "xx is down", count: 6 },
    ]);
    expect(rest.length).toBe(49);
  });

  it.each([
    ["a text", { code: "unknown", message: "a text" }],
    [undefined, { code: "unknown", message: "undefined" }],
    [Object.create(null), { code: "unknown", message: "an Object" }],
  ])("may be any thrown value: %j", (thrown, kind) => {
    const groups = new FailureGroups();
    groups.add(thrown, 3);
    expect(groups.all).toEqual([{ ...kind, count: 1, indexes: [3] }]);
  });
});

it.each([
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
    new RunStoppedError("x", { fulfilled: 1, rejected: 2, why: "enough" }),
  ],
] as const)("a %s is a TemplatePdfError with its own name, code and brand", (name, code, Kind, error) => {
  expect([error.name, error.code, String(error)]).toEqual([name, code, `${name}: x`]);
  expect([Kind.is(error), TemplatePdfError.is(error), SaveError.is(error)]).toEqual([true, true, false]);
  expect(Kind.is(new SaveError("x", { path: "p" }))).toBe(false);
  expect(error.toJSON()).toMatchObject({ name, code, message: "x", attempts: 0 });
});
