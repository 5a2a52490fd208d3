import { template } from "../../index.ts";
import type { BulkQueue } from "../../queue/index.ts";
import { untilAborted } from "../../runtime/until-aborted.ts";
import { type Check, checkData, checkedRows } from "../bulk/check-data.ts";
import { dryRunLine, type RowFlags, withRows } from "../bulk/open-rows.ts";
import { type BulkFlags, formatOf, parseCount, parseNames, type RowJob } from "../bulk/plan.ts";
import { parseTime } from "../duration.ts";
import { exitCodes } from "../exit-codes.ts";
import { Misuse, QuietEnd } from "../failure.ts";
import { showLive } from "../live-line.ts";
import { countOf, formatCount, printable } from "../output.ts";
import { inWordsOfTerminal } from "../report.ts";
import type { Session } from "../terminal.ts";
import { openQueue, type QueueFlags, readQueueAccess, sameQueueOptions } from "./queue-settings.ts";

/** Command-line options for `bulk --queue`. */
export interface AddRowsFlags
  extends QueueFlags,
    RowFlags,
    Pick<BulkFlags, "format" | "limit" | "required" | "dryRun" | "skipInvalid"> {
  readonly run?: string;
  readonly notBefore?: string;
}

/**
 * For each row of a file, adds a job to a run in a queue.
 *
 * @throws {Misuse} if the command line or the data is invalid; nothing was added
 * @throws {QuietEnd} if rows were skipped
 * @throws any error that the queue throws, or the abort reason of the session's signal
 */
export async function addRows(
  uid: string,
  file: string,
  flags: AddRowsFlags,
  session: Session,
): Promise<void> {
  const { terminal, signal } = session;
  const { run, limit, format, skipInvalid = false, dryRun = false } = flags;
  if (!run) throw new Misuse("--queue needs a run name. Specify one, for example --run 2026-11.");
  const notBefore = flags.notBefore === undefined ? undefined : parseTime(flags.notBefore, "--not-before");
  const access = readQueueAccess(flags, terminal.env);
  const plan = {
    ...{ uid, file, template: template(uid) },
    format: format === undefined ? undefined : formatOf(format),
    required: parseNames(flags.required),
    limit: limit === undefined ? Number.POSITIVE_INFINITY : parseCount(limit, "--limit"),
  };
  const queue = dryRun ? undefined : openQueue(access);
  try {
    // Connects first, so that a mistake is reported before all rows are read.
    if (queue) await untilAborted(queue.runs(), signal);
    await withRows(plan, flags, session, async ({ data, schema }) => {
      const check: Check = { data, plan, schema };
      const { good, invalid } = await checkData(check, terminal, {
        isDryRun: dryRun,
        skipsInvalid: skipInvalid,
      });
      if (!queue) return void terminal.stdout.write(dryRunLine(data, good, plan.limit));
      const jobs = jobsOf(check, schema?.template ?? plan.template);
      const isWhole = await addJobs(queue, { run, notBefore }, jobs, good, session);
      for (const line of nextLines(flags)) terminal.stdout.write(`${line}\n`);
      if (invalid > 0 || !isWhole) throw new QuietEnd(exitCodes.failed);
    });
  } finally {
    // Not awaited: the process exits and closes every connection.
    queue?.close().catch(() => {});
  }
}

async function* jobsOf(
  check: Check,
  jobTemplate: RowJob["template"],
): AsyncGenerator<RowJob, void, undefined> {
  for await (const { row } of checkedRows(check)) if (row) yield { template: jobTemplate, ...row };
}

/** Returns whether all jobs are in the queue. */
async function addJobs(
  queue: BulkQueue,
  { run, notBefore }: { readonly run: string; readonly notBefore: Date | undefined },
  jobs: AsyncGenerator<RowJob, void, undefined>,
  total: number,
  { terminal, signal }: Session,
): Promise<boolean> {
  const { stdout, stderr, env } = terminal;
  let counts = { added: 0, known: 0, invalid: 0 };
  const text = () => {
    const parts = [`${formatCount(counts.added)} added`, `${formatCount(counts.known)} known`];
    return parts.concat(counts.invalid > 0 ? [`${formatCount(counts.invalid)} invalid`] : []).join(", ");
  };
  const live = showLive(stderr, env, () => `adding ${countOf(total, "row")} to run ${run}: ${text()}`);
  let isDone = false;
  try {
    const onProgress = (progress: typeof counts) => {
      counts = progress;
    };
    const adding = queue.add(run, jobs, { onProgress, notBefore, signal });
    const { failures, ...summary } = await untilAborted(adding, signal);
    counts = summary;
    for (const { count, message } of failures) {
      live.say(`${formatCount(count)} invalid: ${inWordsOfTerminal(message)}`);
    }
    isDone = true;
  } finally {
    live.stop();
    if (!isDone) stderr.write(`${printable(`run ${run}: ${text()} so far`)}\n`);
  }
  stdout.write(`${printable(`run ${run}: ${text()}`)}\n`);
  return counts.invalid === 0;
}

/** What to do next. */
function nextLines(flags: AddRowsFlags): string[] {
  const options = sameQueueOptions(flags);
  return [
    `generate the documents: template-pdf work${options} --out <pattern>`,
    `watch the runs: template-pdf runs${options}`,
  ].map(printable);
}
