import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TemplatePdf } from "template-pdf";
import {
  type BulkSummary,
  folder,
  type GenerateManyOptions,
  generateMany,
  type Job,
  type Result,
  runBulk,
} from "template-pdf/bulk";
import { onTestFinished } from "vitest";
import { type Answer, pdfOf, type Received, Service, withLength } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

/** A small whole PDF. */
export const small = pdfOf(1000);

/** Jobs `{ template: "t", values: { n } }` with `n` from 0. */
export function jobsOf(count: number): { template: string; values: { n: number } }[] {
  return Array.from({ length: count }, (_, n) => ({ template: "t", values: { n } }));
}

/** Which job a request is for. */
export function numberOf({ body }: Pick<Received, "body">): number {
  return (JSON.parse(body) as { n: number }).n;
}

/** Answers by the number of the job, and with a small PDF where nothing else is said. */
export function byNumber(answers: Readonly<Record<number, Answer>>): Answer {
  return (received) => (answers[numberOf(received)] ?? withLength(small))(received);
}

/** Answers the first times with these, and then with a small PDF. */
export function first(...answers: readonly Answer[]): Answer {
  const left = [...answers];
  return (received) => (left.shift() ?? withLength(small))(received);
}

/** All results of a run, and what it threw. */
export async function resultsOf<J extends Job, R = Uint8Array>(
  client: TemplatePdf,
  jobs: Iterable<J> | AsyncIterable<J>,
  options: GenerateManyOptions<J, R> = {},
): Promise<{ results: Result<J, R>[]; error: unknown }> {
  const results: Result<J, R>[] = [];
  try {
    for await (const result of generateMany(client, jobs as never, { concurrency: 8, ...options } as object))
      results.push(result as never);
    return { results, error: undefined };
  } catch (error) {
    return { results, error };
  }
}

export type Jobs = ReturnType<typeof jobsOf>;

/** A run of jobs into a folder of its own. */
export async function setUpRun(answer = withLength(small)) {
  const service = await Service.start(answer);
  const { path: at, remove } = makeTemporaryFolder("bulk");
  onTestFinished(remove);
  const client = service.client() as TemplatePdf;
  const run = (jobs: Jobs, options: object = {}): Promise<BulkSummary> =>
    runBulk({
      client,
      jobs,
      sink: folder("out/{{n}}.pdf", { root: at }),
      journal: join(at, "run.journal"),
      concurrency: 8,
      ...options,
    });
  const files = async (inner = "out") => (await readdir(join(at, inner))).sort();
  return { service, at, client, run, files };
}
