import { join } from "node:path";
import { FailureGroups } from "../../bulk/failure-groups.ts";
import {
  type BulkOutage,
  type BulkProgress,
  type BulkResult,
  type BulkSummary,
  RunStoppedError,
  runBulk,
} from "../../bulk/index.ts";
import { RecentRate } from "../../bulk/recent-rate.ts";
import { type SystematicFailure, SystematicFailures } from "../../bulk/systematic-failures.ts";
import type { AnyTemplate, TemplatePdf } from "../../index.ts";
import { formatTimeSpan } from "../duration.ts";
import { Failure } from "../failure.ts";
import { type LiveLine, showLive } from "../live-line.ts";
import { areOf, countOf, flush, inspected, printable } from "../output.ts";
import { lineOf } from "../report.ts";
import type { Session } from "../terminal.ts";
import { type Check, checkedRows, typedRow } from "./check-data.ts";
import { formatRowLocation, ordinalOf, problemText, rowsUpTo } from "./data/row.ts";
import { fullNames } from "./empty-cells.ts";
import { OutageLog } from "./outage-log.ts";
import type { BulkPlan, RowJob } from "./plan.ts";
import { progressText } from "./progress-text.ts";
import { entryOf, invalidEntryOf, leftEntryOf, type ReportEntry, ReportFile } from "./report-file.ts";
import { closingLines, endingOf, type RunOutcome, startFailureOf } from "./run-outcome.ts";

/** The maximum number of failures that are printed immediately. */
const maxTold = 5;

/** The maximum number of outages whose beginning and end are printed. */
const maxOutagesTold = 5;

/** The counter for each status. */
const counters = { fulfilled: "made", skipped: "madeBefore", rejected: "failed" } as const;

/** The parts of a run. */
export interface RowRunParts {
  readonly client: TemplatePdf;
  /** The origin in the `name` of the journal, which distinguishes runs. */
  readonly origin: string;
  readonly plan: BulkPlan;
  /** The check that the rows have passed. */
  readonly check: Check;
  /** The template for every row. */
  readonly template: AnyTemplate;
  /** The number of valid rows. */
  readonly total: number;
  /** The number of invalid rows, which are skipped. */
  readonly invalid: number;
  /** The names of columns whose empty cells are in the report. */
  readonly emptyColumns: readonly string[];
  readonly session: Session;
}

/** Processes checked rows, shows the progress, and prints a summary at the end. */
export class RowRun {
  readonly #parts: RowRunParts;
  readonly #counts = { made: 0, madeBefore: 0, failed: 0 };
  /** The failures of rows; the `indexes` are the ordinals of the rows. */
  readonly #failures = new FailureGroups();
  readonly #systematicFailures = new SystematicFailures();
  /** Aborted with a {@link SystematicFailure}. */
  readonly #systematicFailure = new AbortController();
  /** One bit for each record of the data. It is set if the record's outcome is in the report. */
  readonly #reported: Uint8Array;
  readonly #startedAtMs = performance.now();
  readonly #rate = new RecentRate(this.#startedAtMs);
  /** Aborted by the first Ctrl-C. */
  readonly #ease: AbortSignal;
  #live: LiveLine | undefined;
  #report: ReportFile | undefined;
  readonly #outages = new OutageLog();
  /** `undefined` until the run has started. */
  #progress: BulkProgress | undefined;

  constructor(parts: RowRunParts) {
    this.#parts = parts;
    this.#reported = new Uint8Array(Math.ceil((parts.total + parts.invalid + 1) / 8));
    this.#ease = parts.session.endInSteps();
  }

  /** Runs, and throws the result of {@link endingOf} or {@link startFailureOf}. */
  async perform(): Promise<void> {
    const { session, plan, check } = this.#parts;
    const { terminal, signal } = session;
    signal.throwIfAborted();
    const outcome = await this.#run();
    const { reportFailure } = outcome;
    const ending = endingOf(outcome, plan.stopAfter);
    // Otherwise, the command ends with the report's failure.
    if (reportFailure !== undefined && (signal.aborted || (ending as Error).cause !== reportFailure)) {
      terminal.stderr.write(`template-pdf: ${printable(lineOf(reportFailure))}\n`);
    }
    for (const line of closingLines(outcome, plan, check.data)) terminal.stdout.write(`${printable(line)}\n`);
    await flush(terminal.stdout);
    signal.throwIfAborted();
    if (ending !== undefined) throw ending;
  }

  /** @throws the result of {@link startFailureOf} if the run cannot start */
  async #run(): Promise<RunOutcome> {
    const { plan, session, origin, client, total, invalid } = this.#parts;
    let failure: unknown;
    let summary: BulkSummary | undefined;
    try {
      if (plan.report) this.#report = await ReportFile.open(plan.report.path, plan.report.format);
      this.#ease.addEventListener("abort", this.#onEase);
      summary = await runBulk({
        client,
        jobs: this.#jobs(),
        sink: plan.sink,
        journal: plan.journal,
        fresh: plan.isFresh,
        name: `${plan.uid} at ${origin}`,
        concurrency: plan.concurrency,
        perSecond: plan.perSecond,
        retry: plan.isRetried ? {} : false,
        stopAfter: plan.stopAfter,
        giveUpAfter: plan.giveUpAfterMs,
        signal: session.signal,
        drain: AbortSignal.any([this.#ease, this.#systematicFailure.signal]),
        onBegin: (progress) => this.#begin(progress),
        onResult: (result: BulkResult<RowJob>) => this.#take(result),
        onOutage: (outage) => this.#takeOutage(outage),
      });
    } catch (error) {
      failure = error;
      if (RunStoppedError.is(error)) summary = error.summary;
    }
    this.#ease.removeEventListener("abort", this.#onEase);
    this.#live?.stop();
    if (this.#progress === undefined) {
      await this.#report?.discard();
      throw startFailureOf(failure);
    }
    const { made, madeBefore, failed } = this.#counts;
    const left = total - made - madeBefore - failed;
    const reportFailure = await this.#finishReport(left > 0).catch((error: unknown) => error);
    return {
      ...{ made, madeBefore, failed, left, invalid, failure, reportFailure },
      changed: summary?.changed,
      // The state of rows that were not checked is unknown.
      missing: plan.limit === Number.POSITIVE_INFINITY && invalid === 0 ? summary?.missing : undefined,
      durationMs: performance.now() - this.#startedAtMs,
      failures: this.#failures.all,
      systematicFailure:
        this.#systematicFailure.signal.reason ??
        (left === 0
          ? this.#systematicFailures.atEnd({ stored: made, finishedBefore: madeBefore })
          : undefined),
      easeReason: this.#ease.reason,
      outages: this.#outages.summaryAt(performance.now()),
    };
  }

  async *#jobs(): AsyncGenerator<RowJob, void, undefined> {
    const { check, plan, template } = this.#parts;
    if (plan.skipsInvalid) return yield* this.#goodJobs();
    for await (const each of rowsUpTo(plan.limit, check.data)) {
      if ("problem" in each) throw new Failure(`${problemText(each.problem, check.data)}.`);
      await this.#report?.room();
      yield { template, ...(await typedRow(each, check)) };
    }
  }

  /** Yields the jobs of the valid rows, and adds the other rows to the report. */
  async *#goodJobs(): AsyncGenerator<RowJob, void, undefined> {
    const { check, template } = this.#parts;
    for await (const checked of checkedRows(check)) {
      await this.#report?.room();
      if (checked.row) yield { template, ...checked.row };
      else this.#reportRow(invalidEntryOf(checked));
    }
  }

  /** Adds the outcome of a row to the report. */
  #reportRow(entry: ReportEntry): void {
    this.#report?.add(entry);
    this.#reported[entry.row >> 3] = (this.#reported[entry.row >> 3] ?? 0) | (1 << (entry.row & 7));
  }

  /** Returns the names of unexpectedly empty values for the report, or `undefined`. */
  #emptyIn(values: RowJob["values"]): string | undefined {
    const { emptyColumns } = this.#parts;
    if (this.#report === undefined || emptyColumns.length === 0) return undefined;
    const full = fullNames(values);
    return emptyColumns.filter((name) => !full.has(name)).join(", ") || undefined;
  }

  /** Adds the rows that were not reached, and saves the report. */
  async #finishReport(hasLeft: boolean): Promise<void> {
    const report = this.#report;
    if (!report) return;
    const { check, plan, session } = this.#parts;
    if (hasLeft && !session.signal.aborted) {
      for await (const each of rowsUpTo(plan.limit, check.data)) {
        // The report already contains the problems of such rows.
        if ("problem" in each) continue;
        const isReported = (this.#reported[each.number >> 3] ?? 0) & (1 << (each.number & 7));
        if (isReported) continue;
        await report.room();
        const row = await typedRow(each, check);
        const key = plan.sink.keyOf({ ...row, template: plan.template });
        const empty = this.#emptyIn(row.values);
        report.add({ ...leftEntryOf(row, join(plan.folder, key)), empty });
      }
    }
    await report.finish();
  }

  #begin(progress: BulkProgress): void {
    const { plan, session, total } = this.#parts;
    const { stderr, env } = session.terminal;
    const { finishedBefore, damagedLines } = progress;
    this.#progress = progress;
    this.#live = showLive(stderr, env, (maxColumns) => this.#textOf(progress, maxColumns));
    if (finishedBefore > 0) {
      const done = `${countOf(finishedBefore, "document")} ${areOf(finishedBefore)} recorded as finished and will be skipped`;
      this.#live.say(`resuming ${plan.journal}: ${done}; ${countOf(total, "row")} in total`);
    }
    if (damagedLines > 0) {
      this.#live.say(
        `${plan.journal}: ${countOf(damagedLines, "damaged line")} cannot be read; the affected documents will be generated again`,
      );
    }
    // A signal may already be aborted, for example by Ctrl-C while the journal was read.
    if (this.#ease.aborted) this.#onEase();
  }

  #textOf(progress: BulkProgress, maxColumns: number): string {
    const { made, madeBefore, failed } = this.#counts;
    const { inHand, perSecond, pauseMs, outageMs, nextRequestMs } = progress;
    const shown = {
      made: made + madeBefore,
      failed,
      total: this.#parts.total,
      perSecond: this.#rate.at(performance.now(), made + failed),
      inHand,
      allowedPerSecond: perSecond,
      ...{ pauseMs, outageMs, nextRequestMs },
      isEnding: this.#ease.aborted || this.#systematicFailure.signal.aborted,
    };
    return progressText(shown, maxColumns);
  }

  #take(result: BulkResult<RowJob>): void {
    const { plan, check } = this.#parts;
    const { job, key, status, error } = result;
    const path = key === undefined ? undefined : join(plan.folder, key);
    this.#counts[counters[status]]++;
    if (status === "rejected") this.#failures.add(error, ordinalOf(job, check.data.format));
    this.#reportRow({ ...entryOf(result, path), empty: this.#emptyIn(job.values) });
    if (status !== "rejected") return;
    this.#tell(job, path, error);
    const systematicFailure = this.#progress && this.#systematicFailures.add(error, this.#progress);
    if (systematicFailure) this.#systematicFailure.abort(systematicFailure);
  }

  #tell(job: RowJob, path: string | undefined, error: unknown): void {
    const { check, session } = this.#parts;
    const { failed } = this.#counts;
    if (failed > maxTold + 1) return;
    if (failed > maxTold) return this.#live?.say("further failures are not shown; the summary counts them");
    const what = path === undefined ? lineOf(error) : `${path}: ${lineOf(error)}`;
    this.#live?.say(`${formatRowLocation(job, check.data)}: ${what}`);
    if (session.isDebug) for (const line of inspected(error).split("\n")) this.#live?.say(line);
  }

  #takeOutage(outage: BulkOutage): void {
    const { plan, session } = this.#parts;
    const { isOver, error, durationMs } = outage;
    this.#outages.take(outage, performance.now());
    if (this.#outages.count > maxOutagesTold) return;
    if (isOver) return this.#live?.say(`the service is available again after ${formatTimeSpan(durationMs)}`);
    const most = formatTimeSpan(plan.giveUpAfterMs);
    this.#live?.say(`waiting for the service for up to ${most}: ${lineOf(error)}`);
    if (session.isDebug) for (const line of inspected(error).split("\n")) this.#live?.say(line);
  }

  #onEase = (): void => {
    const { inHand = 0, outageMs = 0 } = this.#progress ?? {};
    const what = inHand === 0 || outageMs > 0 ? "stopping" : `finishing ${countOf(inHand, "document")}`;
    this.#live?.say(`${what}; press Ctrl-C again to stop now`);
  };
}
