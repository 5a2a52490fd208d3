import { join } from "node:path";
import { TemplatePdf } from "template-pdf";
import { generateMany, RunStoppedError, runBulk } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { pdfFrom, rejectionOf } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

/** Far more jobs than a run pulls before it lets timers run. A run that never does fails here, and does not hang. */
const mostJobs = 300_000;

function* endless(job: unknown) {
  for (let count = 0; count < mostJobs; count++) yield job as { template: string; values: object };
  throw new Error("Timers did not run.");
}

async function* endlessAsync(job: unknown) {
  yield* endless(job);
}

/** A client whose requests a function serves from memory. Every promise resolves immediately. */
const client = new TemplatePdf({
  baseUrl: "https://pdf.example.com",
  apiKey: "key-of-the-tests",
  fetch: async () => {
    const chunks = [new TextEncoder().encode(pdfFrom("memory"))];
    const read = async () => ({ done: chunks.length === 0, value: chunks.pop() });
    const cancel = async () => {};
    const body = { getReader: () => ({ read, cancel }), cancel };
    return { status: 200, type: "default", headers: new Headers(), body };
  },
});

const valid = { template: "t", values: {} };
const jobs = [
  ["invalid", endless({ template: "t", values: null })],
  ["invalid, from an asynchronous source", endlessAsync({ template: "t", values: null })],
  ["no objects", endless(undefined)],
  ["served from memory", endless(valid)],
  ["served from memory, from an asynchronous source", endlessAsync(valid)],
] as const;

describe("a run of endless jobs that are all available immediately", () => {
  it.each(jobs)("is aborted by its signal if the jobs are %s", async (_what, source) => {
    const run = generateMany(client, source, { concurrency: 8, signal: AbortSignal.timeout(5) });
    const error = await rejectionOf(
      (async () => {
        for await (const _result of run);
      })(),
    );
    expect(error).toMatchObject({ name: "TimeoutError" });
  });

  it("with a journal, is aborted by its signal if all jobs have the same key", async () => {
    const { path } = makeTemporaryFolder("endless-jobs");
    const sink = {
      put: async (_key: string, pdf: { bytes(): Promise<unknown> }) => void (await pdf.bytes()),
    };
    const run = runBulk({
      client,
      sink,
      journal: join(path, "a.journal"),
      key: () => "the same",
      jobs: endless(valid),
      signal: AbortSignal.timeout(20),
    });
    expect(await rejectionOf(run)).toMatchObject({ name: "TimeoutError" });
  });

  it("stops after `stopAfter` failures", async () => {
    const run = generateMany(client, endless({ template: "t", values: null }), { stopAfter: 2_000 });
    const error = await rejectionOf(
      (async () => {
        for await (const _result of run);
      })(),
    );
    expect(error).toBeInstanceOf(RunStoppedError);
    expect(error).toMatchObject({ rejected: 2_000 });
  });
});
