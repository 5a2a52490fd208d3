import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError, SaveError, ValuesError } from "template-pdf";
import { type BulkResult, folder, JournalError } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { saying } from "../support/service.ts";
import { byNumber, type Jobs, jobsOf, setUpRun } from "./many.ts";

describe("runBulk", () => {
  it("refuses a second job with the same path, and keeps the first document", async () => {
    const { run, service } = await setUpRun();
    const jobs = [...jobsOf(2), { template: "t", values: { n: 0, other: true } }] as unknown as Jobs;
    const results: BulkResult<unknown>[] = [];
    const onResult = (result: BulkResult<unknown>) => results.push(result);
    expect(await run(jobs, { onResult })).toMatchObject({ fulfilled: 2, rejected: 1 });
    expect(service.requests.length).toBe(2);
    const { error } = results.find(({ index }) => index === 2) as { error?: unknown };
    expect(SaveError.is(error) && error.message).toMatch(
      /: its path is also the path of job 0; job 2 would overwrite its document\. No request was sent for it\.$/,
    );
  });

  it("refuses a second job with the same key", async () => {
    const { run, service } = await setUpRun();
    const { failures } = await run(jobsOf(3), { key: () => "same" });
    const message =
      "Job 1 has the same key as job 0. Give each job a unique key; no request was sent for this job.";
    expect(failures).toEqual([{ code: "invalid_configuration", count: 2, indexes: [1, 2], message }]);
    expect(service.requests.length).toBe(1);
  });

  it.each([
    [undefined, "undefined"],
    ["", "empty"],
    [Number.NaN, "a number"],
    [{}, "an Object"],
  ])("rejects a job whose key is neither a string nor a number: %o", async (key, what) => {
    const { run, service } = await setUpRun();
    const { failures } = await run(jobsOf(1), { key: () => key });
    expect(failures[0]?.message).toBe(
      `The key of job 0 is ${what}. Return a string or a number; no request was sent for this job.`,
    );
    expect(service.requests).toEqual([]);
  });

  it.each([
    [{}, "is missing"],
    [{ name: "" }, "is empty"],
    [{ name: null }, "is null"],
    [{ name: { a: 1 } }, "is an Object"],
  ])("rejects a job whose values do not form a path: %j", async (values, why) => {
    const { run, at } = await setUpRun();
    let error: unknown;
    const onResult = (result: BulkResult<unknown>) => {
      error = result.error;
    };
    const sink = folder("out/{{name}}.pdf", { root: at });
    await run([{ template: "t", values }] as unknown as Jobs, { sink, onResult });
    expect(ValuesError.is(error) && error.message).toBe(
      `The values for template "t" do not produce a valid path: "name" ${why}, but the path of the document needs it. No request was sent for it.`,
    );
  });

  it("refuses the journal of another run, and does not change it", async () => {
    const { run, at, service } = await setUpRun();
    await run(jobsOf(1), { name: "payslips of October" });
    const before = await readFile(join(at, "run.journal"), "utf8");
    const error = await run(jobsOf(1), { name: "payslips of November" }).catch((thrown: unknown) => thrown);
    expect(JournalError.is(error) && error.message).toMatch(/October/);
    expect(await readFile(join(at, "run.journal"), "utf8")).toBe(before);
    expect(service.requests.length).toBe(1);
  });

  it("takes over the journal of another run that finished nothing", async () => {
    const { run } = await setUpRun(byNumber({ 0: saying(400) }));
    expect(await run(jobsOf(1), { name: "at a wrong address" })).toMatchObject({ rejected: 1 });
    expect(await run(jobsOf(2), { name: "at the right one" })).toMatchObject({ fulfilled: 1, rejected: 1 });
  });

  it("refuses a journal whose run had another folder", async () => {
    const { run, at } = await setUpRun();
    await run(jobsOf(1));
    const sink = folder("out/{{n}}.pdf", { root: join(at, "elsewhere") });
    await expect(run(jobsOf(1), { sink })).rejects.toThrow(JournalError);
  });

  it("refuses a folder that is a file before it sends a request", async () => {
    const { run, at, service } = await setUpRun();
    await writeFile(join(at, "file"), "");
    const sink = folder("{{n}}.pdf", { root: join(at, "file") });
    const message = /is not writable: a file with this name exists\. No request was sent\.$/;
    await expect(run(jobsOf(1), { sink })).rejects.toThrow(message);
    expect(service.requests).toEqual([]);
  });

  it("does not open the source of the jobs if its journal cannot be opened", async () => {
    const { run, at } = await setUpRun();
    await writeFile(join(at, "run.journal"), "%PDF-1.7 no journal");
    let opened = 0;
    const jobs = { [Symbol.iterator]: () => jobsOf(++opened)[Symbol.iterator]() };
    await expect(run(jobs as never)).rejects.toThrow(JournalError);
    expect(opened).toBe(0);
  });

  it.each([
    [{ sink: undefined }, "`sink` is required"],
    [{ sink: {} }, "`sink` is required"],
    [{ journal: undefined }, "A run needs a `journal`"],
    [{ journal: 5 }, "Expected `journal` to be a non-empty string, got `5` (number)."],
    [{ journal: "" }, "Expected `journal`"],
    [
      { giveUpAfter: -1 },
      "Expected `giveUpAfter` to be a number of milliseconds, 0 or more, or Infinity, got `-1`",
    ],
    [{ giveUpAfter: Number.NaN }, "Expected `giveUpAfter`"],
    [{ onOutage: true }, "Expected `onOutage` to be a function"],
    [{ sink: { put: async () => {} } }, "`key` is required"],
    [{ jurnal: "x" }, "Unknown run option `jurnal`. Known options: concurrency, "],
    [{ client: undefined }, "`client` is required"],
    [{ jobs: 5 }, "Expected `jobs` to be"],
  ])("refuses the options %o", async (options, message) => {
    const { run } = await setUpRun();
    await expect(run(jobsOf(1), options)).rejects.toThrow(message);
  });
});

const unknownPath = "Expected the path of each document, got ";
const hint =
  'but every document needs a unique path. Add a placeholder for a value, for example "out/{{invoice_no}}.pdf".';

it.each<[unknown, object | undefined, string]>([
  ["{{a}}.pdf", { rot: "/srv" }, "Unknown folder option `rot`. Known options: root."],
  ["{{a}}.pdf", { root: 5 }, "Expected `root` to be a non-empty string"],
  [undefined, undefined, unknownPath],
  [42, undefined, `${unknownPath}a number.`],
  ["out/invoice.pdf", undefined, `The path "out/invoice.pdf" has no placeholder, ${hint}`],
  ["out/{{}}.pdf", undefined, `The path "out/{{}}.pdf" has stray braces, ${hint}`],
  ["out/{{a}}{{.pdf", undefined, `The path "out/{{a}}{{.pdf" has stray braces, ${hint}`],
])("a folder refuses the path %j with the options %j", (path, options, message) => {
  const make = () => folder(path as never, options as never);
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(message);
});
