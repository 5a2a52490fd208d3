import { type PendingPdf, template } from "template-pdf";
import { RunStoppedError } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { SystematicFailures } from "../../src/bulk/systematic-failures.ts";
import { BadRequestError, ConfigurationError } from "../../src/index.ts";
import { saying, withLength } from "../support/service.ts";
import { byNumber, generate, jobsOf, setUpRun, small } from "./many.ts";

describe("a run that the service refuses", () => {
  it.each([
    [401, 1, "with this API key, no job would succeed"],
    [403, 5, "with this API key, no job would succeed"],
    [404, 5, "with this uid and base URL, no job would succeed"],
  ])("stops with %i after %i jobs, each of which was rejected", async (status, count, why) => {
    const { results, error, sent } = await generate(saying(status), jobsOf(100), { concurrency: 1 });
    expect([results.length, sent]).toEqual([count, count]);
    expect(error).toMatchObject({ why, fulfilled: 0, rejected: count, cause: { status } });
    expect(RunStoppedError.is(error)).toBe(true);
  });

  it("stops after 20 responses of 422, and reports what they have in common", async () => {
    const refused = saying(422, '{"detail":"total has no value"}');
    const { error, sent } = await generate(refused, jobsOf(100), { concurrency: 1 });
    expect(sent).toBe(20);
    expect(error).toMatchObject({
      why: 'with values of this kind, no job would succeed: the service rejected all of them with 422, saying "total has no value"',
    });
  });

  it("ends normally if no job is left", async () => {
    const { results, error } = await generate(saying(401), jobsOf(1));
    expect([results.length, error]).toEqual([1, undefined]);
  });

  it("continues if a document was generated before", async () => {
    const answers = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [n + 1, saying(422)]));
    const { results, error } = await generate(byNumber(answers), jobsOf(31), { concurrency: 1 });
    expect([results.length, error]).toEqual([31, undefined]);
  });

  it("continues if its journal records documents of an earlier run", async () => {
    let answer = withLength(small);
    const { run } = await setUpRun((received) => answer(received));
    await run(jobsOf(1));
    answer = saying(404);
    expect(await run(jobsOf(9), { concurrency: 1 })).toMatchObject({ skipped: 1, rejected: 8 });
  });
});

describe("`skipInvalid`", () => {
  const invoice = template("invoice", z.object({ total: z.string() }));
  const readBytes = (_key: string, pdf: PendingPdf) => pdf.bytes();
  const jobs = [1, 2, "£3", 4, "£5"].map((total) => ({ template: invoice, values: { total } as never }));

  it("does not count jobs with invalid values for `stopAfter`", async () => {
    const options = { concurrency: 1, stopAfter: 1 };
    const { results, error, sent } = await generate(withLength(small), jobs, {
      ...options,
      skipInvalid: true,
    });
    expect([results.map(({ status }) => status), error, sent]).toEqual([
      ["rejected", "rejected", "fulfilled", "rejected", "fulfilled"],
      undefined,
      2,
    ]);
    const stopped = await generate(withLength(small), jobs, options);
    expect([stopped.error, stopped.sent]).toMatchObject([{ why: "`stopAfter: 1` was reached" }, 0]);
  });

  it("still stops after 20 responses of 422 with invalid jobs between them", async () => {
    const refused = Array.from({ length: 30 }, () => ({ template: invoice, values: { total: "£3" } }));
    const options = { concurrency: 1, skipInvalid: true };
    const { error, sent } = await generate(saying(422), [...jobs.slice(0, 2), ...refused], options);
    expect([RunStoppedError.is(error), sent]).toEqual([true, 20]);
  });

  it("does not affect the count of other failures", async () => {
    const options = { concurrency: 1, stopAfter: 2, skipInvalid: true };
    const { error, sent } = await generate(saying(500), jobs, options, { retry: { limit: 0 } });
    expect([error, sent]).toMatchObject([{ why: "`stopAfter: 2` was reached" }, 2]);
  });

  it("counts them in the summary", async () => {
    const { run } = await setUpRun();
    const numbered = jobs.map((job, n) => ({ ...job, n }));
    const options = {
      skipInvalid: true,
      key: ({ n }: (typeof numbered)[number]) => n,
      sink: { put: readBytes },
    };
    const summary = await run(numbered as never, options);
    expect(summary).toMatchObject({ fulfilled: 2, rejected: 3, invalid: 3 });
  });
});

describe("the check whether other jobs can succeed", () => {
  const fresh = { stored: 0, finishedBefore: 0 };
  const settings = new ConfigurationError("`apiKey` is wrong.");

  it("fails at once with settings that prevent every request, but not with other failures", () => {
    expect(new SystematicFailures().add(settings, fresh)).toMatchObject({ withWhat: "with these settings" });
    expect(new SystematicFailures().add(new Error(), fresh)).toBeUndefined();
  });

  const refused = (detail: string) =>
    new BadRequestError("Got 422.", { status: 422, rawBody: "", body: undefined, detail });

  it("fails if the service refuses each of the first 20 jobs with 422, and reports what they have in common", () => {
    const same = new SystematicFailures();
    const told = Array.from({ length: 20 }, (_, row) =>
      same.add(refused(`row ${row}: total has no value`), fresh),
    );
    expect(told.slice(0, -1)).toEqual(Array.from({ length: 19 }));
    expect(told.at(-1)).toEqual({
      withWhat: "with values of this kind",
      fix: "Fix the values or the template",
      common: 'the service rejected all of them with 422, saying "row 19: total has no value"',
    });
    const different = new SystematicFailures();
    const details = ["total has no value", "date has no value"];
    const last = Array.from({ length: 20 }, (_, row) =>
      different.add(refused(details[row % 2] ?? ""), fresh),
    ).at(-1);
    expect(last?.common).toBe("the service rejected all of them with 422, for 2 different reasons");
  });

  it("passes after 20 refused jobs if another job failed differently or succeeded before", () => {
    const mixed = new SystematicFailures();
    mixed.add(new Error(), fresh);
    const again = new SystematicFailures();
    for (let row = 0; row < 30; row++) {
      expect(mixed.add(refused("no"), fresh)).toBeUndefined();
      expect(again.add(refused("no"), { stored: 0, finishedBefore: 1 })).toBeUndefined();
    }
  });

  it("passes once a document is stored", () => {
    expect(new SystematicFailures().add(settings, { stored: 1, finishedBefore: 0 })).toBeUndefined();
  });
});
