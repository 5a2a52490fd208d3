import { type PendingPdf, SaveError, ServerError, template } from "template-pdf";
import { RunStoppedError } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { FailureGroups } from "../../src/bulk/failure-groups.ts";
import { SystematicFailures } from "../../src/bulk/systematic-failures.ts";
import { BadRequestError, ConfigurationError, NotFoundError } from "../../src/index.ts";
import { saying, withLength } from "../support/service.ts";
import { byNumber, generate, jobsOf, setUpRun, small } from "./many.ts";

describe("a run's failures", () => {
  const failed = (message: string) => new ServerError(message, { status: 500 });

  it("are grouped by message and sorted by frequency", () => {
    const groups = new FailureGroups();
    groups.add(new TypeError("no such bucket"), 0);
    for (let index = 1; index <= 12; index++) groups.add(failed(`${9 * index} bytes arrived`), index);
    for (const path of ["/out/a", "/out/b"]) groups.add(new SaveError(`"${path}" is full.`, { path }), 0);
    const indexes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(groups.all).toEqual([
      { code: "server_error", message: "9 bytes arrived", count: 12, indexes },
      { code: "not_saved", message: '"/out/a" is full.', count: 2, indexes: [0, 0] },
      { code: "TypeError", message: "no such bucket", count: 1, indexes: [0] },
    ]);
  });

  it("form at most 51 groups", () => {
    const groups = new FailureGroups();
    for (let index = 0; index < 200; index++) groups.add(failed(`${"x".repeat(index)} is down`), index);
    for (let again = 0; again < 5; again++) groups.add(failed("xx is down"), 1000);
    const [others, known, ...rest] = groups.all;
    expect(others).toMatchObject({ code: "others", message: "Other failures.", count: 150 });
    expect({ known, restCount: rest.length }).toMatchObject({
      known: { message: "xx is down", count: 6 },
      restCount: 49,
    });
  });

  it.each([
    ["disk full", "disk full"],
    [undefined, "undefined"],
    [Object.create(null), "an Object"],
  ])("can be values of any type: %j", (thrown, message) => {
    const groups = new FailureGroups();
    groups.add(thrown, 3);
    expect(groups.all).toEqual([{ code: "unknown", message, count: 1, indexes: [3] }]);
  });
});

describe("a run with rejected requests", () => {
  it.each([
    [401, 1, "with this API key, no job would succeed"],
    [403, 5, "with this API key, no job would succeed"],
    [404, 5, "with this uid and base URL, no job would succeed"],
    [422, 20, /^with values of this kind, no job would succeed: .* 422, saying "no total"$/],
  ])("stops if every response has status %i (jobs before the stop: %i)", async (status, count, why) => {
    const answer = saying(status, '{"detail":"no total"}');
    const { results, error, sent } = await generate(answer, jobsOf(100), { concurrency: 1 });
    expect({ resultCount: results.length, sent }).toEqual({ resultCount: count, sent: count });
    expect(error).toMatchObject({ fulfilled: 0, rejected: count, cause: { status } });
    expect(RunStoppedError.is(error) && error.why).toMatch(why);
  });

  it("ends without an error if no jobs are left", async () => {
    const { results, error } = await generate(saying(401), jobsOf(1));
    expect({ resultCount: results.length, error }).toEqual({ resultCount: 1, error: undefined });
  });

  it("continues if it has already generated a document", async () => {
    const answers = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [n + 1, saying(422)]));
    const { results, error } = await generate(byNumber(answers), jobsOf(31), { concurrency: 1 });
    expect({ resultCount: results.length, error }).toEqual({ resultCount: 31, error: undefined });
  });

  it("continues if its journal already lists a document from an earlier run", async () => {
    let answer = withLength(small);
    const { run } = await setUpRun((received) => answer(received));
    await run(jobsOf(1));
    answer = saying(404);
    expect(await run(jobsOf(9), { concurrency: 1 })).toMatchObject({ skipped: 1, rejected: 8 });
  });
});

describe("a run with `skipInvalid`", () => {
  const invoice = template("invoice", z.object({ total: z.string() }));
  const jobs = [1, 2, "£3", 4, "£5"].map((total) => ({ template: invoice, values: { total } as never }));
  const options = { concurrency: 1, stopAfter: 1 };

  it("does not count jobs with invalid values toward `stopAfter`", async () => {
    const { results, error } = await generate(withLength(small), jobs, { ...options, skipInvalid: true });
    const statuses = results.map(({ status }) => status);
    expect(statuses).toEqual(["rejected", "rejected", "fulfilled", "rejected", "fulfilled"]);
    expect(error).toBe(undefined);
    const stopped = await generate(withLength(small), jobs, options);
    expect({ error: stopped.error, sent: stopped.sent }).toMatchObject({
      error: { why: "`stopAfter: 1` was reached" },
      sent: 0,
    });
  });

  it("counts failures other than invalid values toward `stopAfter`", async () => {
    const once = { retry: { limit: 0 } };
    const two = { ...options, stopAfter: 2, skipInvalid: true };
    const other = await generate(saying(500), jobs, two, once);
    const one = await generate(saying(500), jobsOf(3), { stopAfter: 1, concurrency: 1 }, once);
    expect(String(one.error)).toContain("0 jobs were fulfilled and 1 was rejected.");
    expect({ error: other.error, sent: other.sent }).toMatchObject({
      error: { why: "`stopAfter: 2` was reached" },
      sent: 2,
    });
    const refused = Array.from({ length: 12 }, () => jobs).flat();
    const { error, sent } = await generate(saying(422), refused, { concurrency: 1, skipInvalid: true });
    expect({ isRunStopped: RunStoppedError.is(error), sent }).toEqual({ isRunStopped: true, sent: 20 });
  });

  it("reports the number of invalid jobs in its summary", async () => {
    const { run } = await setUpRun();
    const sink = { put: (_key: string, pdf: PendingPdf) => pdf.bytes() };
    const key = ({ values }: (typeof jobs)[number]) => String((values as { total: unknown }).total);
    const summary = await run(jobs as never, { skipInvalid: true, key, sink });
    expect(summary).toMatchObject({ fulfilled: 2, rejected: 3, invalid: 3 });
  });
});

describe("the check for systematic failures", () => {
  const fresh = { stored: 0, finishedBefore: 0 };
  const refused = (detail: string) =>
    new BadRequestError("Got 422.", { status: 422, rawBody: "", body: undefined, detail });

  const missing = new NotFoundError("Got 404.", { status: 404 });

  it("reports a configuration error immediately if no document has been stored", () => {
    const settings = new ConfigurationError("`apiKey` is wrong.");
    expect(new SystematicFailures().add(settings, fresh)).toMatchObject({ withWhat: "with these settings" });
    expect(new SystematicFailures().add(settings, { ...fresh, stored: 1 })).toBeUndefined();
    expect(new SystematicFailures().add(new Error(), fresh)).toBeUndefined();
  });

  it.each([
    [["row 0: no total", "row 19: no total"], ', saying "row 19: no total"'],
    [["no total", "no date"], ", for 2 different reasons"],
    // The service gave no reasons.
    [[], ""],
  ])("summarizes the reasons for the first 20 responses with status 422: %j", (details, common) => {
    const failures = new SystematicFailures();
    const results = Array.from({ length: 20 }, (_, row) =>
      failures.add(refused(details[row % 2] ?? ""), fresh),
    );
    expect(results.slice(0, -1)).toEqual(Array.from({ length: 19 }));
    expect(results.at(-1)).toEqual({
      withWhat: "with values of this kind",
      fix: "Fix the values or the template",
      common: `the service rejected all of them with 422${common}`,
    });
  });

  it.each<[what: string, errors: readonly Error[], counts: typeof fresh, withWhat: string | undefined]>([
    ["one 404", [missing], fresh, "with this uid and base URL"],
    ["three 404", [missing, missing, missing], fresh, "with this uid and base URL"],
    ["404 after documents of an earlier run", [missing], { stored: 0, finishedBefore: 1 }, undefined],
    ["404 after a document", [missing], { stored: 1, finishedBefore: 0 }, undefined],
    ["404 and another failure", [missing, new Error()], fresh, undefined],
    ["404 and 422", [missing, refused("no")], fresh, undefined],
    ["422", [refused("no")], fresh, undefined],
    ["another failure", [new Error()], fresh, undefined],
    ["nothing", [], fresh, undefined],
  ])("explains at the end of a short run why all jobs failed: %s", (_, errors, counts, withWhat) => {
    const failures = new SystematicFailures();
    for (const error of errors) failures.add(error, counts);
    expect(failures.atEnd(counts)?.withWhat).toBe(withWhat);
  });

  it("ignores rejected jobs if another job failed for a different reason", () => {
    const mixed = new SystematicFailures();
    mixed.add(new Error(), fresh);
    const again = new SystematicFailures();
    for (let row = 0; row < 30; row++) {
      expect(mixed.add(refused("no"), fresh)).toBeUndefined();
      expect(again.add(refused("no"), { stored: 0, finishedBefore: 1 })).toBeUndefined();
    }
  });
});
