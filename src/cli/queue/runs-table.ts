import type { QueueProgress } from "../../queue/index.ts";
import { formatRate } from "../bulk/progress-text.ts";
import { formatTimeSpan } from "../duration.ts";
import { countOf, formatCount, printable } from "../output.ts";
import { inWordsOfTerminal } from "../report.ts";

const titles = ["run", "total", "fulfilled", "rejected", "waiting", "active", "rate", "time left"];

/**
 * Formats a table of runs, with one line each.
 *
 * @param name - the queue name
 * @param isLeftFirst - whether unfinished runs come first, for a terminal that cannot show all runs
 */
export function runsTable(progresses: readonly QueueProgress[], name: string, isLeftFirst = false): string[] {
  if (progresses.length === 0) return [`the ${name} queue has no runs`];
  const sorted = isLeftFirst
    ? [...progresses].sort((one, other) => Number(leftOf(one) === 0) - Number(leftOf(other) === 0))
    : progresses;
  const rows = [titles, ...sorted.map(cellsOf)];
  const widths = titles.map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? "").length)));
  return rows.map((cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}

/** Formats what is too long for the table: the workers of the queue, and why runs are not finished. */
export function runsNotes(progresses: readonly QueueProgress[]): string[] {
  const [first] = progresses;
  if (!first) return [];
  const limit = first.limit === undefined ? "" : `, at most ${formatRate(first.limit)}`;
  const runsByReason = new Map<string, string[]>();
  for (const progress of progresses) {
    for (const reason of reasonsOf(progress)) {
      runsByReason.set(reason, [...(runsByReason.get(reason) ?? []), progress.run]);
    }
  }
  // An outage or a pause of the queue concerns all runs.
  const notes = [...runsByReason].map(([reason, runs]) => {
    const [run = ""] = runs;
    return `${runs.length === 1 ? run : countOf(runs.length, "run")}: ${reason}`;
  });
  return [countOf(first.workers, "worker") + limit, ...notes].map(printable);
}

function reasonsOf({ paused, cancelled, addError }: QueueProgress): string[] {
  const reasons = [
    paused,
    cancelled > 0 ? `${countOf(cancelled, "job")} cancelled` : undefined,
    addError === undefined ? undefined : `not all jobs were added: ${addError}`,
  ];
  return reasons.filter((reason) => reason !== undefined).map((reason) => inWordsOfTerminal(reason));
}

function cellsOf(progress: QueueProgress): string[] {
  const { run, total, fulfilled, rejected, waiting, active, perSecond, isAdded, addError } = progress;
  const mayGrow = !isAdded && addError === undefined && progress.cancelled === 0;
  return [
    printable(run),
    `${formatCount(total)}${mayGrow ? "+" : ""}`,
    ...[fulfilled, rejected, waiting, active].map(formatCount),
    leftOf(progress) === 0 ? "-" : formatRate(perSecond),
    timeLeft(progress),
  ];
}

function timeLeft(progress: QueueProgress): string {
  const { cancelled, isAdded, addError, paused, leftMs } = progress;
  if (cancelled > 0) return "cancelled";
  if (leftOf(progress) === 0) {
    if (isAdded) return "done";
    return addError === undefined ? "-" : "incomplete";
  }
  if (paused !== undefined) return "paused";
  return leftMs === undefined ? "-" : formatTimeSpan(Math.ceil(leftMs / 1000) * 1000);
}

/** The number of unfinished jobs. */
function leftOf({ waiting, active }: QueueProgress): number {
  return waiting + active;
}
