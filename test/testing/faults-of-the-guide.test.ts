import { readFileSync } from "node:fs";
import { type ClientOptions, TemplatePdf, TemplatePdfError } from "template-pdf";
import { type Fault, fakeService, faults } from "template-pdf/testing";
import { afterEach, describe, expect, it, vi } from "vitest";

/** The table of faults in docs/guides/testing.md, row by row. */
const guide = readFileSync(new URL("../../docs/guides/testing.md", import.meta.url), "utf8");
const rows = [...guide.matchAll(/^\| `(\w+)\(.*?\)` \| (.*?) \| ?(.*?) ?\|$/gm)].map(
  ([, kind = "", outcome = "", again = ""]) => ({ kind: kind as keyof typeof faults, outcome, again }),
);

afterEach(() => vi.restoreAllMocks());

async function play(fault: Fault, options: ClientOptions) {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const service = fakeService().fail(fault);
  const { baseUrl, apiKey, fetch } = service;
  const pdfs = new TemplatePdf({ baseUrl, apiKey, fetch, timeouts: { stall: 50 }, ...options });
  const result = await pdfs
    .generate("inv_2024", {})
    .bytes()
    .catch((error: unknown) => error);
  return { result, tries: service.calls.length };
}

describe("the guide's table of faults", () => {
  it("has every fault", () => {
    expect(rows.map(({ kind }) => kind).sort()).toEqual(Object.keys(faults).sort());
  });

  it.each(rows)("tells what $kind ends in", async ({ kind, outcome, again }) => {
    const { result, tries } = await play(faults[kind](), {});
    if (outcome.startsWith("a whole document")) {
      expect([result, tries, again]).toEqual([expect.any(Uint8Array), 1, ""]);
      return;
    }
    if (!TemplatePdfError.is(result)) throw result;
    expect(outcome).toMatch(new RegExp(`^\`${result.name}\``));
    expect(tries).toBe(again === "no" ? 1 : 3);
    const { result: first } = await play(faults[kind](), { retry: false });
    expect(first).toMatchObject({ name: result.name, attempts: 1 });
  });

  it("tells after which errors of the service it is asked again", async () => {
    const told = rows
      .find(({ kind }) => kind === "serverError")
      ?.again.match(/\d+/g)
      ?.map(Number);
    const statuses = Array.from({ length: 12 }, (_, index) => 500 + index);
    const tried = [];
    for (const status of statuses) {
      const { tries } = await play(faults.serverError({ status }), {});
      if (tries > 1) tried.push(status);
    }
    expect(tried).toEqual(told);
  });
});
