import { join } from "node:path";
import { type BulkResult, folder, generateMany, type Job, RunStoppedError, runBulk } from "template-pdf/bulk";
import { expect, it } from "vitest";
import { expectCallersLine } from "../client/stacks/expect-stack.ts";
import { saying } from "../support/service.ts";
import { byNumber, jobsOf, setUpRun } from "./many.ts";

/** The service has no template for job 1. */
const answer = byNumber({ 1: saying(404, "There is no such template.") });

it("the stack of a job's error contains the line of the loop that reads the result", async () => {
  const { client } = await setUpRun(answer);
  let error: unknown;
  const { stack: marker = "" } = new Error();
  for await (const result of generateMany(client, jobsOf(2).slice(1))) error = result.error;
  expectCallersLine({ error: error as Error, marker });
});

it("the stacks of a run's error and a job's error contain the line that awaits the run", async () => {
  const { client, at } = await setUpRun(answer);
  const errors: unknown[] = [];
  const onResult = ({ error }: BulkResult<Job>) => void (error && errors.push(error));
  const paths = { sink: folder(join(at, "{{n}}.pdf")), journal: join(at, "run.journal") };
  const options = { client, jobs: jobsOf(3), stopAfter: 1, concurrency: 1, onResult, ...paths };
  let marker = "";
  try {
    marker = new Error().stack ?? "";
    await runBulk(options);
  } catch (error) {
    errors.push(error);
  }
  expect({ errorCount: errors.length, isRunStopped: RunStoppedError.is(errors[1]) }).toEqual({
    errorCount: 2,
    isRunStopped: true,
  });
  for (const error of errors) expectCallersLine({ error: error as Error, marker });
});
