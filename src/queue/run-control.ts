import type { Queue } from "bullmq";
import type { BullMqRecords } from "./bullmq-records.ts";
import type { Repair } from "./queue-results.ts";
import { jobIdOf, type RunReference, splitId } from "./queued-job.ts";
import { unusableRun } from "./read-job.ts";
import type { RunRecords } from "./run-records.ts";

/** How long a removal waits for documents that workers are storing. */
const longestStoringMs = 30_000;
const pollMs = 20;

/** Acts on all jobs of a run. */
export class RunControl {
  readonly #queue: Queue;
  readonly #runs: RunRecords;
  readonly #records: BullMqRecords;

  constructor(queue: Queue, runs: RunRecords, records: BullMqRecords) {
    this.#queue = queue;
    this.#runs = runs;
    this.#records = records;
  }

  /**
   * Keeps the jobs of a run from workers.
   *
   * @throws {QueueError} (rejects) if the run was cancelled
   */
  async pause(run: RunReference): Promise<void> {
    await this.#checkUncancelled(run);
    await this.hold(run, "");
  }

  /** Pauses a run for a reason that a worker has found. */
  async hold(run: RunReference, reason: string): Promise<void> {
    if (!(await this.#runs.setState(run.id, "paused", reason))) return;
    for await (const ids of idsOf(run.id, this.#runs.unfinished(run.id))) await this.#records.hold(ids);
  }

  async resume(run: RunReference): Promise<void> {
    await this.#runs.setState(run.id, undefined);
    for await (const ids of idsOf(run.id, this.#runs.unfinished(run.id))) await this.#records.release(ids);
  }

  /** Deletes the jobs of a run that are not finished. Its counts and failures remain. */
  async cancel(run: RunReference): Promise<void> {
    if (!(await this.#runs.setState(run.id, "cancelled"))) return;
    for await (const digests of this.#runs.pending(run.id)) {
      if (digests.length === 0) continue;
      await this.#records.remove(digests.map((digest) => jobIdOf(run.id, digest)));
      await this.#runs.cancelJobs(run.id, digests);
    }
  }

  /** Deletes a run with its jobs. Waits for the documents that workers are storing at this moment. */
  async remove(run: RunReference): Promise<void> {
    await this.#runs.close(run.id);
    for await (const ids of idsOf(run.id, this.#runs.unfinished(run.id))) await this.#records.remove(ids);
    const endMs = performance.now() + longestStoringMs;
    // Otherwise, such a document could replace one of a new run.
    while ((await this.#runs.storing(run.id)) > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    // Done last, so that an interrupted removal can be repeated.
    await this.#runs.forget(run.name, run.id);
  }

  /**
   * Queues jobs again that are in none of BullMQ's lists, and fails those whose values are gone.
   *
   * @param failureOf - returns the failure of a job whose values are gone
   */
  async repair(run: RunReference, failureOf: (digest: string) => Promise<string>): Promise<Repair> {
    let queued = 0;
    let deleted = 0;
    // The values of failed jobs are deleted after some time.
    for await (const ids of idsOf(run.id, this.#runs.pending(run.id))) {
      const found = await this.#records.repair(ids);
      queued += found.queued;
      for (const id of found.missing) {
        const digest = splitId(id)?.digest ?? "";
        // It may have finished meanwhile.
        const { recorded } = await this.#runs.reject(run.id, digest, await failureOf(digest));
        if (recorded === "new") deleted++;
      }
    }
    return { queued, deleted };
  }

  /**
   * Retries the failed jobs of a run whose values are not deleted. Returns their number.
   *
   * @throws {QueueError} (rejects) if the run was cancelled, because workers would delete the jobs
   */
  async retry(run: RunReference): Promise<number> {
    await this.#checkUncancelled(run);
    let count = 0;
    for await (const failures of this.#runs.failures(run.id)) {
      for (const [digest, failure] of failures) {
        const job = await this.#queue.getJob(jobIdOf(run.id, digest));
        if (!job) continue;
        await this.#runs.forgetFailure(run.id, digest);
        try {
          await job.updateProgress({ stalls: job.stalledCounter });
          await job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true });
          count++;
        } catch {
          // It is failing at this moment, so it stays failed.
          await this.#runs.reject(run.id, digest, failure);
        }
      }
    }
    return count;
  }

  async #checkUncancelled(run: RunReference): Promise<void> {
    const state = await this.#runs.stateOf(run.id);
    if (state === "cancelled") throw unusableRun(run, "was cancelled. Resume it first");
  }
}

/** Yields the ids of jobs in BullMQ. Empty batches are left out. */
async function* idsOf(
  runId: string,
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<string[], void, undefined> {
  for await (const digests of batches) {
    if (digests.length > 0) yield digests.map((digest) => jobIdOf(runId, digest));
  }
}
