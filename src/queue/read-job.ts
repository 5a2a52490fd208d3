import type { Job as BullJob } from "bullmq";
import { QueueError } from "./queue-error.ts";
import { type JobCodec, Objection, type ReadJob, type RunReference, splitId } from "./queued-job.ts";

/** A job that a worker has taken from the queue: its content, or why it cannot be read. */
export type TakenJob = { readonly run: RunReference; readonly digest: string } & (
  | ReadJob
  | { readonly error: QueueError }
);

/**
 * Reads a job. Returns nothing if its run was removed.
 *
 * @param formatOf - returns the format of a run, or nothing if the run was removed
 * @throws {QueueError} (rejects) if this worker cannot read any job of the run
 */
export async function readJob(
  codec: JobCodec,
  { id = "", name, data }: BullJob,
  formatOf: (runId: string) => Promise<string | undefined>,
): Promise<TakenJob | undefined> {
  const ids = splitId(id);
  const run = { name, id: ids?.runId ?? "" };
  if (ids === undefined) return { run, digest: "", error: foreignJob(id) };
  const { digest } = ids;
  try {
    return { run, digest, ...(await codec.decode(run, id, data)) };
  } catch (error) {
    if (!(error instanceof Objection)) throw error;
    const format = await formatOf(run.id);
    if (format === undefined) return undefined;
    const objection = codec.objectionTo(run, format);
    if (objection === undefined) return { run, digest, error: unreadable(run, id, error.message) };
    throw unusableRun(run, `${objection}; its jobs are still in the queue`);
  }
}

export function unusableRun({ name }: RunReference, objection: string): QueueError {
  return new QueueError(`The run ${JSON.stringify(name)} ${objection}.`);
}

/** The error contains nothing of the job. */
export function unreadable({ name }: RunReference, id: string, why: string): QueueError {
  // BullMQ returns no name for a job whose record is gone.
  const ofRun = name === undefined ? "" : ` of run ${JSON.stringify(name)}`;
  return new QueueError(
    `Job ${JSON.stringify(id)}${ofRun} cannot be read: ${why}. Add the same jobs again to replace it.`,
  );
}

function foreignJob(id: string): QueueError {
  return new QueueError(
    `Job ${JSON.stringify(id)} was not added by template-pdf. Use another queue name for jobs of other programs.`,
  );
}
