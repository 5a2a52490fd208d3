import type { QueueProgress } from "../../queue/index.ts";
import { formatRate } from "../bulk/progress-text.ts";
import { formatTimeSpan } from "../duration.ts";
import { formatCount, printable } from "../output.ts";

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
    ? [...progresses].sort((one, other) => Number(isDone(one)) - Number(isDone(other)))
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

function cellsOf(progress: QueueProgress): string[] {
  const { run, total, fulfilled, rejected, waiting, active, perSecond, isAdded } = progress;
  return [
    printable(run),
    // More jobs may still be added.
    `${formatCount(total)}${isAdded ? "" : "+"}`,
    ...[fulfilled, rejected, waiting, active].map(formatCount),
    isDone(progress) ? "-" : formatRate(perSecond),
    timeLeft(progress),
  ];
}

function timeLeft(progress: QueueProgress): string {
  if (isDone(progress)) return "done";
  const { leftMs, paused } = progress;
  if (paused !== undefined) return paused;
  return leftMs === undefined ? "-" : formatTimeSpan(Math.ceil(leftMs / 1000) * 1000);
}

function isDone({ total, fulfilled, rejected, cancelled, isAdded }: QueueProgress): boolean {
  return (isAdded || cancelled > 0) && fulfilled + rejected + cancelled === total;
}
