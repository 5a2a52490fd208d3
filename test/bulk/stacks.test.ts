import { join } from "node:path";
import { ConfigurationError, type PendingPdf } from "template-pdf";
import { type BulkResult, folder, generateMany, type Job, RunStoppedError, runBulk } from "template-pdf/bulk";
import { expect, it } from "vitest";
import { expectCallersLine, type Seen } from "../client/stacks/expect-stack.ts";
import { saying, turns } from "../support/service.ts";
import { byNumber, generate, jobsOf, setUpRun } from "./many.ts";

/** The service has no template for job 1. */
const answer = byNumber({ 1: saying(404, "There is no such template.") });
const failing = jobsOf(2).slice(1);

type Here = (marker: Error) => void;

/** The error that a caller throws or returns, and the line before it. */
async function failureOf(caller: (here: Here) => Promise<unknown>): Promise<Seen> {
  let marker = "";
  const here = ({ stack = "" }: Error) => {
    marker = stack;
  };
  const error = await caller(here).catch((thrown: unknown) => thrown);
  return { error: error as Error, marker };
}

it.each([
  ["without `use`", {}],
  ["with a `use` that returns the promise of an output method", { use: (pdf: PendingPdf) => pdf.bytes() }],
])("the error of a job shows the loop that reads its result, %s", async (_, options) => {
  const { client } = await setUpRun(answer);
  const seen = await failureOf(async (here) => {
    let error: unknown;
    here(new Error());
    for await (const result of generateMany(client, failing, options as object)) error = result.error;
    return error;
  });
  expectCallersLine(seen);
});

it("the error of a job shows the line of an async `use` that awaits the document", async () => {
  const { client } = await setUpRun(answer);
  const seen = await failureOf(async (here) => {
    let error: unknown;
    const use = async (pdf: PendingPdf) => {
      here(new Error());
      await pdf.bytes();
    };
    for await (const result of generateMany(client, failing, { use })) error = result.error;
    return error;
  });
  expectCallersLine(seen);
});

it("the error of a job that failed before its result was read shows the loop", async () => {
  const { service } = await setUpRun(answer);
  let onFailed = () => {};
  const failed = new Promise<void>((resolve) => {
    onFailed = resolve;
  });
  const client = service.client({ hooks: { error: onFailed } });
  const seen = await failureOf(async (here) => {
    let error: unknown;
    const results = generateMany(client, jobsOf(2), { ordered: true });
    await results.next();
    await failed;
    await turns();
    here(new Error());
    for await (const result of results) error = result.error;
    return error;
  });
  expectCallersLine(seen);
});

it("an error that `use` throws keeps its stack", async () => {
  const own = new ConfigurationError("No printer is configured.");
  const { stack } = own;
  const { result } = await generate(answer, jobsOf(1), { use: () => Promise.reject(own) });
  expect([result?.error, own.stack]).toEqual([own, stack]);
});

it("the errors of a run with a journal, and of its jobs, show the line that awaits the run", async () => {
  const { client, at } = await setUpRun(answer);
  const results: BulkResult<Job>[] = [];
  const seen = await failureOf(async (here) => {
    const paths = { sink: folder(join(at, "{{n}}.pdf")), journal: join(at, "run.journal") };
    const onResult = (result: BulkResult<Job>) => void results.push(result);
    const options = { client, jobs: jobsOf(3), stopAfter: 1, concurrency: 1, onResult };
    here(new Error());
    await runBulk({ ...options, ...paths });
  });
  expect(RunStoppedError.is(seen.error)).toBe(true);
  expectCallersLine(seen);
  const failed = results.find((result) => result.status === "rejected");
  expectCallersLine({ ...seen, error: failed?.error as Error });
});

it("the error of a run whose journal cannot be opened shows the line that awaits the run", async () => {
  const { client, at } = await setUpRun(answer);
  const seen = await failureOf(async (here) => {
    const options = { client, jobs: jobsOf(1), sink: folder(join(at, "{{n}}.pdf")), journal: at };
    here(new Error());
    await runBulk(options);
  });
  expect(seen.error.name).toBe("JournalError");
  expectCallersLine(seen);
});
