import { ServerError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { FailureGroups } from "../../src/bulk/failure-groups.ts";

const failed = (message: string) => new ServerError(message, { status: 500 });

describe("failures by what went wrong", () => {
  it("are counted, the most frequent first, with the first ten of their jobs", () => {
    const groups = new FailureGroups();
    groups.add(new TypeError("no such bucket"), 0);
    for (let index = 1; index <= 12; index++) groups.add(failed("down"), index);
    expect(groups.all).toEqual([
      { code: "server_error", message: "down", count: 12, indexes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
      { code: "TypeError", message: "no such bucket", count: 1, indexes: [0] },
    ]);
  });

  it("are one kind where nothing but numbers differs", () => {
    const groups = new FailureGroups();
    for (const count of [12, 3456]) groups.add(failed(`${count} bytes arrived`), count);
    expect(groups.all).toEqual([
      { code: "server_error", message: "12 bytes arrived", count: 2, indexes: [12, 3456] },
    ]);
  });

  it("are no more than fifty-one kinds", () => {
    const groups = new FailureGroups();
    for (let index = 0; index < 200; index++) groups.add(failed(`${"x".repeat(index)} is down`), index);
    for (let again = 0; again < 5; again++) groups.add(failed("xx is down"), 1000);
    const [others, known, ...rest] = groups.all;
    expect([others?.code, others?.count, known?.message, known?.count]).toEqual([
      "others",
      150,
      "xx is down",
      6,
    ]);
    expect(rest.length).toBe(49);
  });

  it.each([
    ["a text", { code: "unknown", message: "a text" }],
    [undefined, { code: "unknown", message: "undefined" }],
    [Object.create(null), { code: "unknown", message: "a value of type object" }],
  ])("may be anything that was thrown: %j", (thrown, kind) => {
    const groups = new FailureGroups();
    groups.add(thrown, 3);
    expect(groups.all).toEqual([{ ...kind, count: 1, indexes: [3] }]);
  });
});
