import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError, SaveError, ValuesError } from "template-pdf";
import { type BulkResult, folder, JournalError } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { saying } from "../support/service.ts";
import { byNumber, type Jobs, jobsOf, setUpRun } from "./many.ts";

describe("runBulk", () => {
  it("refuses a second job of the same path, and keeps the first document", async () => {
    const { run, service } = await setUpRun();
    const jobs = [...jobsOf(2), { template: "t", values: { n: 0, other: true } }] as unknown as Jobs;
    const told: BulkResult<unknown>[] = [];
    const summary = await run(jobs, { onResult: (result: BulkResult<unknown>) => told.push(result) });
    expect(summary).toMatchObject({ fulfilled: 2, rejected: 1 });
    expect(service.requests.length).toBe(2);
    const error = told.find(({ index }) => index === 2) as { error?: unknown };
    expect(SaveError.is(error.error) && error.error.message).toMatch(
      /: its path is that of job 0, too, which job 2 would overwrite\. Nothing was sent for it\.$/,
    );
  });

  it("refuses a second job of the same key", async () => {
    const { run, service } = await setUpRun();
    const { failures } = await run(jobsOf(3), { key: () => "same" });
    expect(failures).toEqual([
      {
        code: "invalid_configuration",
        count: 2,
        indexes: [1, 2],
        message:
          "Job 1 has the same key as job 0, and a key identifies one document. Nothing was sent for it.",
      },
    ]);
    expect(service.requests.length).toBe(1);
  });

  it.each([
    [{}, "is missing"],
    [{ name: "" }, "is empty"],
    [{ name: null }, "is null"],
    [{ name: { a: 1 } }, "is a value of type object"],
  ])("refuses values that make no path: %j", async (values, why) => {
    const { run, at } = await setUpRun();
    const told: BulkResult<unknown>[] = [];
    await run([{ template: "t", values }] as unknown as Jobs, {
      sink: folder("out/{{name}}.pdf", { root: at }),
      onResult: (result: BulkResult<unknown>) => told.push(result),
    });
    const [result] = told;
    expect(result?.status === "rejected" && ValuesError.is(result.error) && result.error.message).toBe(
      `The values for template "t" make no path: "name" ${why}, and the path of the document is made of it. Nothing was sent for it.`,
    );
  });

  it.each([
    [
      () => folder("{{a}}.pdf", { rot: "/srv" } as never),
      "Unknown folder option `rot`. Did you mean `root`?",
    ],
    [() => folder("{{a}}.pdf", { root: 5 } as never), "Expected `root` to be a text that is not empty"],
    [
      () => folder(undefined as never),
      "A folder needs to know the path of each document, and got a value of type",
    ],
    [
      () => folder(42 as never),
      "A folder needs to know the path of each document, and got a value of type number.",
    ],
  ])("refuses invalid options of a folder: %#", (make, message) => {
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  it.each([
    ["out/invoice.pdf", "has no placeholder"],
    ["out/{{}}.pdf", "has braces that are no placeholder"],
    ["out/{{a}}{{.pdf", "has braces that are no placeholder"],
  ])("refuses a path pattern that makes no paths: %s", (text, why) => {
    expect(() => folder(text)).toThrow(
      new ConfigurationError(
        `The path ${JSON.stringify(text)} ${why}, and every document needs a path of its own. Name a member of the values in it, as in "out/{{invoice_no}}.pdf".`,
      ),
    );
  });

  it("refuses the journal of another run, and leaves it as it is", async () => {
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
    await expect(run(jobsOf(1), { sink })).rejects.toThrow(
      /cannot be written to: there is a file of that name\. Nothing was sent\.$/,
    );
    expect(service.requests).toEqual([]);
  });

  it.each([
    [{ sink: undefined }, "A run needs a `sink`"],
    [{ sink: {} }, "A run needs a `sink`"],
    [{ journal: undefined }, "A run needs a `journal`"],
    [{ journal: 5 }, "Expected `journal` to be a text that is not empty, got `5` (number)."],
    [{ journal: "" }, "Expected `journal`"],
    [{ sink: { put: async () => {} } }, "A run needs a `key`"],
    [{ jurnal: "x" }, "Unknown run option `jurnal`. Did you mean `journal`?"],
    [{ client: undefined }, "A run needs a client"],
    [{ jobs: 5 }, "The jobs of a run have to be"],
  ])("refuses the options %o", async (options, message) => {
    const { run } = await setUpRun();
    await expect(run(jobsOf(1), options)).rejects.toThrow(message);
  });

  it.each([
    [undefined, "a value of type undefined"],
    ["", "empty"],
    [Number.NaN, "a value of type number"],
    [{}, "a value of type object"],
  ])("rejects a job whose key is neither text nor number: %o", async (key, what) => {
    const { run, service } = await setUpRun();
    const { failures } = await run(jobsOf(1), { key: () => key });
    expect(failures[0]?.message).toBe(
      `The key of job 0 is ${what}; it has to be a text or a number. Nothing was sent for it.`,
    );
    expect(service.requests).toEqual([]);
  });
});
