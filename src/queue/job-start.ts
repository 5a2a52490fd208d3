import type { Job as BullJob } from "bullmq";
import type { Job, Sink } from "../bulk/index.ts";
import { QueueError } from "./queue-error.ts";
import type { JobCodec, QueuedContent, RunReference } from "./queued-job.ts";
import { readJob, unreadable } from "./read-job.ts";
import type { RunRecords } from "./run-records.ts";

/** A document is not retried after this number of workers have died while generating it. */
const mostInterruptions = 10;

/** What BullMQ keeps for a job between its attempts. */
interface JobProgress {
  /** BullMQ's count of dead workers when the job was last rejected because of them. */
  readonly stalls?: number;
  /** The number of successes of all workers when this job last failed. */
  readonly passed?: number;
  /** The number of attempts that did not count, because no other request succeeded. */
  readonly doubts?: number;
}

/** Whether a job is generated, and if not, why. */
type StartState = "begun" | "done" | "removed" | "paused" | "rejected" | "unreadable";

/** The beginning of a job: what is known before its request. */
export class JobStart {
  readonly state: StartState;
  readonly run: RunReference;
  readonly digest: string;
  readonly input: string;
  /** Why the job is rejected or unreadable. */
  readonly error: unknown;
  /** The epoch of the workers' state in which the request is sent. */
  readonly epoch: number;
  readonly content: QueuedContent | undefined;
  readonly #passed: number;
  readonly #place: string | undefined;
  readonly #bullJob: BullJob;

  private constructor(bullJob: BullJob, known: Partial<JobStart> & Known) {
    const { state, run, digest, input = "", error, epoch = 0, content, passed = 0, place } = known;
    this.#bullJob = bullJob;
    this.state = state;
    this.run = run;
    this.digest = digest;
    this.input = input;
    this.error = error;
    this.epoch = epoch;
    this.content = content;
    this.#passed = passed;
    this.#place = place;
  }

  /**
   * Reads a job and records that a worker begins it.
   *
   * @param insist - repeats a command until Redis accepts it
   * @throws {QueueError} (rejects) if this worker cannot read any job of the run
   */
  static async of(bullJob: BullJob, { codec, runs, sink, insist }: StartParts): Promise<JobStart> {
    const taken = await readJob(codec, bullJob, (id) => insist(() => runs.formatOf(id)));
    if (taken === undefined) return new JobStart(bullJob, { ...nothing, state: "removed" });
    const { run, digest } = taken;
    if ("error" in taken)
      return new JobStart(bullJob, { run, digest, state: "unreadable", error: taken.error });
    const { content, input, isSealed } = taken;
    let place: string | undefined;
    try {
      place = sink.keyOf?.(content.job as never);
    } catch (error) {
      return new JobStart(bullJob, { run, digest, input, content, state: "rejected", error });
    }
    const known = { run, digest, input, content, place };
    const beginning = {
      format: codec.formatOf(run, isSealed),
      input,
      place: place && codec.digestOf(run, "place", place, isSealed),
    };
    const { state, epoch, passed } = await insist(() => runs.beginJob(run.id, digest, beginning));
    switch (state) {
      case "another format":
      case "other values": {
        const error = unreadable(run, bullJob.id as string, `its run has ${state} for it`);
        return new JobStart(bullJob, { ...known, state: "unreadable", error });
      }
      case "place is taken":
        return new JobStart(bullJob, { ...known, state: "rejected", error: placeError(content.index) });
      case "cancelled":
        return new JobStart(bullJob, { ...known, state: "removed" });
      default:
        return new JobStart(bullJob, { ...known, state, epoch, passed });
    }
  }

  get job(): Job {
    return this.content?.job as Job;
  }

  get index(): number {
    return this.content?.index ?? 0;
  }

  get key(): string {
    return this.content?.key ?? this.#place ?? this.digest;
  }

  get progress(): JobProgress {
    return Object(this.#bullJob.progress) as JobProgress;
  }

  /** The attempts that did not count, and the number of successes when this job last failed or began. */
  get doubts(): { readonly count: number; readonly passed: number } {
    const { doubts = 0, passed = this.#passed } = this.progress;
    return { count: Number(doubts) || 0, passed: Number(passed) || 0 };
  }

  /** A job is not retried if workers died while generating its document. Returns nothing if it is retried. */
  interruption(mayRenderTwice: boolean): QueueError | undefined {
    const interruptions = this.#bullJob.stalledCounter - (Number(this.progress.stalls) || 0);
    // Not a number if the record in Redis was changed.
    if (!(interruptions > 0)) return undefined;
    if (!mayRenderTwice) {
      return new QueueError(
        "A worker stopped while generating this document, which may have been rendered. Not retried: `retry.mayRenderTwice` is false.",
      );
    }
    if (interruptions < mostInterruptions) return undefined;
    return new QueueError(`${interruptions} workers stopped while generating this document.`);
  }
}

interface StartParts {
  readonly codec: JobCodec;
  readonly runs: RunRecords;
  readonly sink: Sink<never>;
  readonly insist: <T>(command: () => Promise<T>) => Promise<T>;
}

interface Known {
  readonly state: StartState;
  readonly run: RunReference;
  readonly digest: string;
  readonly passed?: number;
  readonly place?: string | undefined;
}

const nothing = { run: { name: "", id: "" }, digest: "" };

function placeError(index: number): QueueError {
  return new QueueError(
    `Job ${index} has the same path as another job in its run, and would replace that job's document. No request was sent for job ${index}.`,
  );
}
