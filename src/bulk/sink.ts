import type { PendingPdf } from "../index.ts";
import type { UseContext } from "./job.ts";

/** What a sink hears beside the document. */
export interface PutContext<J> extends UseContext {
  /** The job whose document it is. */
  readonly job: J;
}

/** What a sink hears of the run that begins. */
export interface SinkRun {
  /** Names the journal: while it is open, no other run has it. */
  readonly id: string;
  /** Names the journal that stood there before, be it this one; `undefined` where there was none. */
  readonly before: string | undefined;
  /** The path of the journal: absolute, links followed. Beside it are its lock, `.lock`, and the one before it, `.old`. */
  readonly journal: string;
}

/**
 * Where the documents of a run go. One method is enough; the others are for sinks that can do more.
 *
 * @example
 * ```ts
 * import { Upload } from "@aws-sdk/lib-storage";
 *
 * const sink: Sink = {
 *   async put(key, pdf) {
 *     const params = { Bucket: "payslips", Key: `${key}.pdf`, Body: await pdf.nodeStream(), ContentType: "application/pdf" };
 *     await new Upload({ client: s3, params }).done(); // fails with the document, and removes its parts
 *   },
 * };
 * ```
 */
export interface Sink<J = unknown> {
  /**
   * Stores a document under its key, in place of an earlier one. It has to read the document to its end, and to be done only when it is
   * stored. It is called anew for every attempt: what a failed one has left must be gone, or be replaced by the next.
   */
  put(key: string, pdf: PendingPdf, context: PutContext<J>): Promise<unknown>;
  /** Tells two places apart, such as `s3://payslips`: a journal that was begun for another one is refused. */
  readonly place?: string | undefined;
  /** The key of a job, for a run that was given no `key`. What it throws rejects the job; nothing is sent for it. */
  keyOf?(job: J): string;
  /** Called once before the first job: what it throws ends the run before anything is sent. */
  open?(): Promise<void>;
  /**
   * Called once after `open`, when the journal is open: until the run ends, no other has its `id`.
   *
   * @param run - `journal`, the absolute path of its journal, links followed; the `id` of that; and `before`, the id of the run it goes
   * on with or starts over: what that has left unfinished may be removed
   */
  begin?(run: SinkRun): void;
  /**
   * Called for every job, also for those that earlier runs have finished, before it is asked for. What it throws rejects the job;
   * nothing is sent for it.
   */
  claim?(key: string, job: J, index: number): void;
  /** Makes durable what was put until now. Called before the journal records it. */
  sync?(): Promise<void>;
}
