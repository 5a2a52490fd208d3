import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ClientOptions, TemplatePdf } from "template-pdf";
import { type BulkSummary, folder, generateMany, type Result, runBulk } from "template-pdf/bulk";
import { type Answer, pdfOf, type Received, Service, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A small complete PDF. */
export const small = pdfOf(1000);

/** Jobs `{ template: "t", values: { n } }` with `n` from 0. */
export function jobsOf(count: number): { template: string; values: { n: number } }[] {
  return Array.from({ length: count }, (_, n) => ({ template: "t", values: { n } }));
}

/** Returns the job number in a request. */
export function numberOf({ body }: Pick<Received, "body">): number {
  return (JSON.parse(body) as { n: number }).n;
}

/** Responds by job number, and with a small PDF by default. */
export function byNumber(answers: Readonly<Record<number, Answer>>): Answer {
  return (received) => (answers[numberOf(received)] ?? withLength(small))(received);
}

/** The part of the argument of `use` that tests read. */
export interface Readable {
  bytes(): Promise<Uint8Array>;
}

/** Runs `generateMany` with its own service, and returns all results and the error that it threw. */
export async function generate<R = Uint8Array>(
  answer: Answer,
  jobs: Iterable<unknown> | AsyncIterable<unknown>,
  options: object = {},
  clientOptions: ClientOptions = {},
) {
  const service = await Service.start(answer);
  const results: Result<ReturnType<typeof jobsOf>[number], R>[] = [];
  let error: unknown;
  try {
    const run = generateMany(service.client(clientOptions), jobs as never, { concurrency: 8, ...options });
    for await (const result of run) results.push(result as never);
  } catch (thrown) {
    error = thrown;
  }
  return { service, results, error, result: results[0], sent: service.requests.length };
}

export type Jobs = ReturnType<typeof jobsOf>;

/** Runs jobs into a separate folder. */
export async function setUpRun(answer = withLength(small)) {
  const service = await Service.start(answer);
  const at = temporaryFolder();
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
