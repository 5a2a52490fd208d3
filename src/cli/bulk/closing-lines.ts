import type { FailureGroup } from "../../bulk/index.ts";
import { formatTimeSpan } from "../duration.ts";
import { countOf, formatCount } from "../output.ts";
import { inWordsOfTerminal } from "../report.ts";
import { formatRate } from "./progress-text.ts";
import type { SystematicFailure } from "./systematic-failures.ts";

/** How a run went. */
export interface Outcome {
  readonly made: number;
  readonly madeBefore: number;
  readonly failed: number;
  readonly total: number;
  /** Rows among those made or failed that had changed since an earlier run; nothing where that is not known. */
  readonly changed: number | undefined;
  /** Documents of earlier runs whose rows are gone; nothing where that is not known. */
  readonly missing: number | undefined;
  readonly durationMs: number;
  readonly failures: readonly FailureGroup[];
  /** What the indexes of the failures count. */
  readonly unit: "line" | "row";
  readonly data: string;
  readonly folder: string;
  readonly journal: string;
  readonly report: string | undefined;
  readonly isFresh: boolean;
  /** Why no row would fare better; nothing where the run may just go on. */
  readonly systematicFailure: SystematicFailure | undefined;
}

/** Says in the end how a run went, where everything is, what failed and why, and what to do next. */
export function closingLines(outcome: Outcome): string[] {
  const { made, madeBefore, failed, total, durationMs, folder, journal, report } = outcome;
  const left = total - made - madeBefore - failed;
  const counts = [
    `${countOf(made, "document")} made`,
    ...(madeBefore > 0 ? [`${formatCount(madeBefore)} made before`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(left > 0 ? [`${formatCount(left)} left`] : []),
  ];
  const rate = made > 0 ? `, ${formatRate((made * 1000) / durationMs)}` : "";
  return [
    `${counts.join(", ")}, in ${formatTimeSpan(durationMs)}${rate}`,
    `folder ${folder}, journal ${journal}${report === undefined ? "" : `, report ${report}`}`,
    ...failureLines(outcome),
    ...noteLines(outcome),
    ...nextLines(outcome, left),
  ];
}

function failureLines({ failures, unit, data }: Outcome): string[] {
  return failures.map(({ count, message, indexes }) => {
    const shown = [...indexes].sort((one, other) => one - other).map(formatCount);
    const more = count > shown.length ? ", …" : "";
    const where = `${data}, ${unit}${count === 1 ? "" : "s"} ${shown.join(", ")}${more}`;
    return `${formatCount(count)} failed: ${inWordsOfTerminal(message)} (${where})`;
  });
}

function noteLines({ changed = 0, missing = 0 }: Outcome): string[] {
  const lines: string[] = [];
  if (changed > 0) {
    const were = changed === 1 ? "was" : "were";
    lines.push(`${countOf(changed, "row")} had changed since an earlier run, and ${were} asked for again.`);
  }
  if (missing > 0) {
    const stay =
      missing === 1
        ? "has no row any more, and stays where it is"
        : "have no row any more, and stay where they are";
    lines.push(`${countOf(missing, "document")} of earlier runs ${stay}.`);
  }
  return lines;
}

function nextLines({ failed, isFresh, systematicFailure }: Outcome, left: number): string[] {
  if (failed === 0 && left === 0) return [];
  const how = isFresh ? "without --fresh" : "again";
  const what = failed > 0 ? (left > 0 ? "what failed and what is left" : "what failed") : "what is left";
  if (!systematicFailure)
    return [`Run the same command ${how} for ${what}: what is made is not asked for again.`];
  return [`${systematicFailure.fix} first, then run the command ${how}.`];
}
