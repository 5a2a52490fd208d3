import { dirname, isAbsolute, relative, resolve } from "node:path";
import { addCaller } from "../errors/caller-stack.ts";
import { type BulkSummary, checkBulkOptions, type RunBulkOptions } from "./bulk-options.ts";
import { BulkRun } from "./bulk-run.ts";
import { realPathOf } from "./folder/document-paths.ts";
import type { Job, JobOf, Jobs } from "./job.ts";
import { JobSource } from "./job-source.ts";
import { openJournal } from "./journal/journal.ts";

/**
 * Generates a document for every job and stores it, and survives: started again after a crash, it goes on where it was.
 *
 * A job is finished when its document is stored and its line is written to the journal. What is finished is not asked for again,
 * unless its template or values have changed; what was in flight when the process ended is, and takes the place of what it may have left.
 * A `SIGKILL` loses nothing that is finished, and a power cut nothing that was synced: lines are written and synced in groups, at most
 * 20 ms apart, after the documents they speak of.
 *
 * @param options - see `RunBulkOptions`
 * @returns how many jobs were fulfilled, skipped and rejected, and why
 * @throws {ConfigurationError} (rejects) when an option is unknown or wrong, or `jobs` cannot be gone through
 * @throws {JournalError} (rejects) when the journal is in use, of another run, no journal, or cannot be read or written
 * @throws {SaveError} (rejects) when the folder cannot be written to
 * @throws {RunStoppedError} (rejects) at the end of a run that `stopAfter`, `drain`, a full disk or the service ended before its jobs did;
 * its `summary` tells how far it came
 * @throws the reason of `signal` (rejects) when that is aborted
 * @throws what the source of the jobs, the sink's `open` or `onResult` throws (rejects)
 *
 * @example
 * ```ts
 * import { folder, runBulk } from "template-pdf/bulk";
 *
 * const jobs = rows.map((values) => ({ template: "payslip", values }));
 * const summary = await runBulk({
 *   client: pdfs,
 *   jobs,
 *   sink: folder("payslips/{{employee}}.pdf"),
 *   journal: "payslips/run.journal",
 * });
 * console.log(`${summary.fulfilled} made, ${summary.skipped} made before, ${summary.rejected} failed`);
 * ```
 */
export async function runBulk<T extends { [K in keyof T]: object }, J extends JobOf<T, J>>(
  options: RunBulkOptions<T, J>,
): Promise<BulkSummary> {
  checkBulkOptions(options);
  const { sink, journal: path, fresh = false, name = "" } = options;
  const source = new JobSource(options.jobs as Jobs<Job>);
  try {
    await sink.open?.();
    const journal = await openJournal({
      path,
      run: { name, place: placeOf(sink.place, path) },
      fresh,
      beforeLines: async () => sink.sync?.(),
    });
    try {
      sink.begin?.({ id: journal.id, before: journal.idBefore, journal: realPathOf(resolve(path)) });
      return await new BulkRun(options as unknown as RunBulkOptions<T, Job>, source, journal).perform();
    } finally {
      await journal.close();
    }
  } catch (error) {
    throw addCaller(error);
  }
}

/** How the journal knows a place: a folder by where it is seen from the journal, so that both can be moved together. */
function placeOf(place: string | undefined, journal: string): string {
  if (place === undefined || !isAbsolute(place)) return place ?? "";
  return relative(dirname(resolve(journal)), place) || ".";
}
