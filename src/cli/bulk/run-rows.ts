import {
  type BulkProgress,
  type BulkResult,
  type BulkSummary,
  RunStoppedError,
  runBulk,
} from "../../bulk/index.ts";
import type { AnyTemplate, TemplatePdf } from "../../index.ts";
import { Failure } from "../failure.ts";
import { type LiveLine, showLive } from "../live-line.ts";
import { countOf, flush, inspected, printable } from "../output.ts";
import { lineOf } from "../report.ts";
import type { Session } from "../terminal.ts";
import { closingLines } from "./closing-lines.ts";
import { type Data, rowsUpTo } from "./data/row.ts";
import type { BulkFlags, BulkPlan, RowJob } from "./plan.ts";
import { progressText, RecentRate } from "./progress-text.ts";
import { ReportFile } from "./report-file.ts";
import { formatRowLocation, ordinalOf, problemText, unitOf } from "./row-location.ts";
import { documentOf, entryOf, Tally } from "./row-result.ts";
import { endingOf, startFailureOf } from "./run-ending.ts";
import { type SystematicFailure, SystematicFailures } from "./systematic-failures.ts";

/** How many failures are told as they happen. */
const maxTold = 5;

/** What a run is made of. */
export interface RowRunParts {
  readonly client: TemplatePdf;
  /** What `name` of the journal tells runs apart by. */
  readonly origin: string;
  readonly plan: BulkPlan;
  readonly flags: BulkFlags;
  readonly data: Data;
  /** What is asked for with every row. */
  readonly template: AnyTemplate;
  /** How many rows were checked. */
  readonly total: number;
  readonly session: Session;
}

/** The run over rows that were checked: shows how it goes, and says in the end how it went. */
export class RowRun {
  readonly #parts: RowRunParts;
  readonly #tally: Tally;
  readonly #systematicFailures = new SystematicFailures();
  /** Aborted with a {@link SystematicFailure}. */
  readonly #systematicFailure = new AbortController();
  readonly #startedAtMs = performance.now();
  #rate = new RecentRate(this.#startedAtMs);
  #ease: AbortSignal | undefined;
  #live: LiveLine | undefined;
  #report: ReportFile | undefined;
  /** Nothing until the run has begun. */
  #progress: BulkProgress | undefined;

  constructor(parts: RowRunParts) {
    this.#parts = parts;
    this.#tally = new Tally((job) => ordinalOf(job, parts.data.format));
  }

  /**
   * @throws {Misuse} when the journal, the folder or the report cannot be used; nothing was sent
   * @throws {Halted} when the run ended before its rows did
   * @throws {Failure} when the report could not be written, and all else is done
   * @throws {QuietEnd} when some rows failed
   * @throws the reason of the session's signals
   */
  async perform(): Promise<void> {
    const { session } = this.#parts;
    const { terminal, signal } = session;
    signal.throwIfAborted();
    this.#report = await this.#openReport();
    const ease = session.endInSteps();
    this.#ease = ease;
    ease.addEventListener("abort", this.#onEase, { once: true });
    let summary: BulkSummary | undefined;
    let failure: unknown;
    try {
      summary = await this.#run(AbortSignal.any([ease, this.#systematicFailure.signal]));
    } catch (error) {
      failure = error;
      if (RunStoppedError.is(error)) summary = error.summary;
    } finally {
      ease.removeEventListener("abort", this.#onEase);
      this.#live?.stop();
    }
    if (this.#progress === undefined) {
      await this.#report?.discard();
      throw startFailureOf(failure);
    }
    const reportFailure = await this.#finishReport();
    const ending = this.#endingAfter(failure, reportFailure);
    // Else it is what the command ends with.
    if (reportFailure !== undefined && (signal.aborted || (ending as Error).cause !== reportFailure)) {
      terminal.stderr.write(`template-pdf: ${printable(lineOf(reportFailure))}\n`);
    }
    for (const line of this.#closing(summary)) terminal.stdout.write(`${printable(line)}\n`);
    await flush(terminal.stdout);
    signal.throwIfAborted();
    if (ending !== undefined) throw ending;
  }

  async #openReport(): Promise<ReportFile | undefined> {
    const { report } = this.#parts.plan;
    if (report === undefined) return undefined;
    return ReportFile.open(report.path, report.format).catch((error) => {
      throw startFailureOf(error);
    });
  }

  #run(drain: AbortSignal): Promise<BulkSummary> {
    const { client, origin, plan, flags, session } = this.#parts;
    return runBulk({
      client,
      jobs: this.#jobs(),
      sink: plan.sink,
      journal: plan.journal,
      fresh: flags.fresh ?? false,
      name: `${plan.uid} at ${origin}`,
      concurrency: plan.concurrency,
      perSecond: plan.perSecond,
      retry: flags.retry ? {} : false,
      stopAfter: plan.stopAfter,
      signal: session.signal,
      drain,
      onBegin: (progress) => this.#begin(progress),
      onResult: (result: BulkResult<RowJob>) => this.#take(result),
    });
  }

  async *#jobs(): AsyncGenerator<RowJob, void, undefined> {
    const { data, plan, template } = this.#parts;
    for await (const each of rowsUpTo(plan.limit, data)) {
      if ("problem" in each) throw new Failure(`${problemText(each.problem, data)}.`);
      const { values, number, line } = each;
      await this.#report?.room();
      yield { template, values, number, line };
    }
  }

  #begin(progress: BulkProgress): void {
    const { plan, session, total } = this.#parts;
    const { stderr, env } = session.terminal;
    const { finishedBefore, damagedLines } = progress;
    this.#progress = progress;
    this.#live = showLive(stderr, env, (maxColumns) => this.#textOf(progress, maxColumns));
    if (finishedBefore > 0) {
      const done = `${countOf(finishedBefore, "document")} ${finishedBefore === 1 ? "is" : "are"} noted as made`;
      this.#live.say(`going on with ${plan.journal}: ${done}; ${countOf(total, "row")} to go through`);
    }
    if (damagedLines > 0) {
      this.#live.say(
        `${plan.journal}: ${countOf(damagedLines, "damaged line")} cannot be read; their documents are made again`,
      );
    }
    // What is there already when it is told of, such as a Ctrl-C while the journal was read.
    if (this.#ease?.aborted) this.#onEase();
  }

  #textOf(progress: BulkProgress, maxColumns: number): string {
    const { made, madeBefore, failed } = this.#tally;
    const { inHand, perSecond, pauseMs } = progress;
    const shown = {
      made: made + madeBefore,
      failed,
      total: this.#parts.total,
      perSecond: this.#rate.at(performance.now(), made + failed),
      inHand,
      allowedPerSecond: perSecond,
      pauseMs,
      isEnding: this.#ease?.aborted || this.#systematicFailure.signal.aborted,
    };
    return progressText(shown, maxColumns);
  }

  #take(result: BulkResult<RowJob>): void {
    const { plan } = this.#parts;
    this.#tally.add(result);
    this.#report?.add(entryOf(result, plan));
    if (result.status !== "rejected") return;
    this.#tell(result);
    const systematicFailure = this.#progress && this.#systematicFailures.add(result.error, this.#progress);
    if (systematicFailure) this.#systematicFailure.abort(systematicFailure);
  }

  #tell({ job, key, error }: BulkResult<RowJob> & { readonly status: "rejected" }): void {
    const { plan, data, session } = this.#parts;
    const { failed } = this.#tally;
    if (failed > maxTold + 1) return;
    if (failed > maxTold) return this.#live?.say("further failures are only counted, until the end");
    const document = documentOf(key, plan);
    const what = document === undefined ? lineOf(error) : `${document}: ${lineOf(error)}`;
    this.#live?.say(`${formatRowLocation(job, data)}: ${what}`);
    if (session.isDebug) for (const line of inspected(error).split("\n")) this.#live?.say(line);
  }

  #onEase = (): void => {
    const inHand = this.#progress?.inHand ?? 0;
    const what = inHand === 0 ? "stopping" : `finishing ${countOf(inHand, "document")}`;
    this.#live?.say(`${what}; Ctrl-C again stops now`);
  };

  /** Gives what has kept the report from being written. */
  async #finishReport(): Promise<unknown> {
    try {
      await this.#report?.finish();
      return undefined;
    } catch (error) {
      this.#report = undefined;
      return error;
    }
  }

  #endingAfter(failure: unknown, reportFailure: unknown): unknown {
    const { made, failed } = this.#tally;
    const { stopAfter } = this.#parts.plan;
    const systematicFailure = this.#systematicFailure.signal.reason as SystematicFailure | undefined;
    const counts = { made, failed, left: this.#left, stopAfter };
    return endingOf({ ...counts, failure, reportFailure, systematicFailure, easeReason: this.#ease?.reason });
  }

  /** Rows that nothing has become of. */
  get #left(): number {
    const { made, madeBefore, failed } = this.#tally;
    return this.#parts.total - made - madeBefore - failed;
  }

  #closing(summary: BulkSummary | undefined): string[] {
    const { plan, flags, data, total } = this.#parts;
    const { made, madeBefore, failed, failures } = this.#tally;
    const isLimited = plan.limit !== Number.POSITIVE_INFINITY;
    return closingLines({
      ...{ made, madeBefore, failed, failures, total },
      changed: summary?.changed,
      // Of rows that were not looked at nobody knows whether they are there.
      missing: isLimited ? undefined : summary?.missing,
      durationMs: performance.now() - this.#startedAtMs,
      unit: unitOf(data.format),
      data: data.name,
      folder: plan.folder,
      journal: plan.journal,
      report: this.#report?.path,
      isFresh: flags.fresh ?? false,
      // Where some did fare better the run may just go on.
      systematicFailure: made === 0 ? this.#systematicFailure.signal.reason : undefined,
    });
  }
}
