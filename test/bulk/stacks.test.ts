import { join } from "node:path";
import { type ClientOptions, ConfigurationError, type PendingPdf, type TemplatePdf } from "template-pdf";
import { type BulkResult, folder, generateMany, type Job, RunStoppedError, runBulk } from "template-pdf/bulk";
import { expect, it, onTestFinished } from "vitest";
import { expectCallersLine, type Seen } from "../client/stacks/expect-stack.ts";
import { Service, saying, turns } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { byNumber, jobsOf } from "./many.ts";

/** A client of a service that has no template for job 1. */
async function startClient(options: ClientOptions = {}): Promise<TemplatePdf> {
  const service = await Service.start(byNumber({ 1: saying(404, "There is no such template.") }));
  return service.client(options);
}

function temporaryFolder(): string {
  const { path, remove } = makeTemporaryFolder("stacks");
  onTestFinished(remove);
  return path;
}

type Here = (marker: Error) => void;

/** What a caller throws or returns as an error, and the line after which it does. */
async function failureOf(caller: (here: Here) => Promise<unknown>): Promise<Seen> {
  let marker = "";
  const here = ({ stack = "" }: Error) => {
    marker = stack;
  };
  const error = await caller(here).catch((thrown: unknown) => thrown);
  return { error: error as Error, marker };
}

it.each([
  ["of its own", {}],
  ["that returns the promise of an output method", { use: (pdf: PendingPdf) => pdf.bytes() }],
])("the error of a job shows the loop that takes its result, with a `use` %s", async (_, options) => {
  const client = await startClient();
  const seen = await failureOf(async (here) => {
    let error: unknown;
    const jobs = jobsOf(2).slice(1);
    here(new Error());
    for await (const result of generateMany(client, jobs, options as object)) error = result.error;
    return error;
  });
  expectCallersLine(seen);
});

it.each<[what: string, use: (pdf: PendingPdf, here: Here) => Promise<unknown>]>([
  [
    "an output method",
    async (pdf, here) => {
      here(new Error());
      await pdf.bytes();
    },
  ],
  [
    "the document",
    async (pdf, here) => {
      here(new Error());
      await pdf;
    },
  ],
])("the error of a job shows the line of an async `use` that awaits %s", async (_, use) => {
  const client = await startClient();
  const seen = await failureOf(async (here) => {
    let error: unknown;
    const options = { use: (pdf: PendingPdf) => use(pdf, here) };
    for await (const result of generateMany(client, jobsOf(2).slice(1), options)) error = result.error;
    return error;
  });
  expectCallersLine(seen);
});

it("the error of a job that failed before its result was taken shows the loop", async () => {
  let onFailed!: () => void;
  const failed = new Promise<void>((resolve) => {
    onFailed = resolve;
  });
  const client = await startClient({ hooks: { error: onFailed } });
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
  const client = await startClient();
  const own = new ConfigurationError("No printer is configured.");
  const { stack } = own;
  const { error } = await failureOf(async () => {
    let error: unknown;
    const use = () => Promise.reject(own);
    for await (const result of generateMany(client, jobsOf(1), { use })) error = result.error;
    return error;
  });
  expect(error).toBe(own);
  expect(own.stack).toBe(stack);
});

it("the errors of a run with a journal, and of its jobs, show the line that awaits the run", async () => {
  const client = await startClient();
  const place = temporaryFolder();
  const results: BulkResult<Job>[] = [];
  const seen = await failureOf(async (here) => {
    const paths = { sink: folder(join(place, "{{n}}.pdf")), journal: join(place, "run.journal") };
    const jobs = jobsOf(3);
    const options = {
      client,
      jobs,
      stopAfter: 1,
      onResult: (result: BulkResult<Job>) => void results.push(result),
    };
    here(new Error());
    await runBulk({ ...options, ...paths, concurrency: 1 });
  });
  expect(RunStoppedError.is(seen.error)).toBe(true);
  expectCallersLine(seen);
  const failed = results.find((result) => result.status === "rejected");
  expectCallersLine({ ...seen, error: failed?.error as Error });
});

it("the error of a run whose journal cannot be opened shows the line that awaits the run", async () => {
  const client = await startClient();
  const place = temporaryFolder();
  const seen = await failureOf(async (here) => {
    const sink = folder(join(place, "{{n}}.pdf"));
    here(new Error());
    await runBulk({ client, jobs: jobsOf(1), sink, journal: place });
  });
  expect(seen.error.name).toBe("JournalError");
  expectCallersLine(seen);
});
