import { formatTimeSpan } from "../duration.ts";
import { formatCount } from "../output.ts";

/** The progress of a run, as the live line shows it. */
export interface RunProgress {
  /** The number of rows whose documents exist, from this run or an earlier one. */
  readonly made: number;
  readonly failed: number;
  readonly total: number;
  /** The recent number of finished rows per second. */
  readonly perSecond: number;
  readonly inHand: number;
  /** The allowed number of requests per second; `Infinity` if no limit is known. */
  readonly allowedPerSecond: number;
  /** The remaining time of the pause that the service requested, in milliseconds. */
  readonly pauseMs: number;
  /** How long the service has been unavailable, in milliseconds; 0 if the service is available. */
  readonly outageMs: number;
  /** How long until the next request is sent, in milliseconds. */
  readonly nextRequestMs: number;
  /** Whether the run no longer starts new rows. */
  readonly isEnding: boolean;
}

/** A bar takes a fifth of a line. Lines narrower than this have no bar. */
const narrowColumns = 55;
const longestBar = 24;
const gap = "  ";

/** Formats the progress of a run on one line, in order of importance; parts that do not fit are omitted. */
export function progressText(progress: RunProgress, maxColumns: number): string {
  const parts = partsOf(progress);
  const [first = "", ...others] = parts;
  const bar = barOf(progress, maxColumns);
  // An outage matters more than the bar.
  const hasBar = progress.outageMs === 0 || bar.length + parts.join(gap).length <= maxColumns;
  let line = hasBar ? bar + first : first;
  for (const part of others) {
    if (line.length + gap.length + part.length > maxColumns) break;
    line += gap + part;
  }
  return line.slice(0, maxColumns);
}

function barOf({ made, failed, total }: RunProgress, maxColumns: number): string {
  if (maxColumns < narrowColumns || maxColumns === Number.POSITIVE_INFINITY) return "";
  const columns = Math.min(longestBar, Math.floor((maxColumns + 1) / 5));
  const filled = Math.min(columns, Math.floor((columns * (made + failed)) / Math.max(1, total)));
  return "█".repeat(filled).padEnd(columns, "░") + gap;
}

function partsOf(progress: RunProgress): string[] {
  const { made, failed, total, perSecond, pauseMs, isEnding } = progress;
  const left = total - made - failed;
  const isOutage = progress.outageMs > 0 && !isEnding;
  const isPaused = pauseMs > 0 && !isEnding && !isOutage;
  const leftMs = (left * 1000) / perSecond;
  const isKnown = !isEnding && !isPaused && !isOutage && left > 0 && Number.isFinite(leftMs);
  return [
    `${formatCount(made)} of ${formatCount(total)}`,
    `${formatCount(failed)} failed`,
    ...(isOutage ? [outageOf(progress)] : []),
    ...(isEnding ? [`finishing ${formatCount(progress.inHand)}`] : []),
    ...(isPaused ? [`paused for ${formatTimeSpan(wholeSeconds(pauseMs))} at the service's request`] : []),
    ...(isOutage ? [] : [formatRate(perSecond)]),
    ...(isKnown ? [`${formatTimeSpan(wholeSeconds(leftMs))} left`] : []),
    ...(isEnding || isPaused || isOutage ? [] : paceOf(progress)),
  ];
}

function outageOf({ outageMs, nextRequestMs }: RunProgress): string {
  const next =
    nextRequestMs > 0 ? `next request in ${formatTimeSpan(wholeSeconds(nextRequestMs))}` : "requesting now";
  return `no response for ${formatTimeSpan(wholeSeconds(outageMs))}, ${next}`;
}

function paceOf({ inHand, allowedPerSecond }: RunProgress): string[] {
  const limit =
    allowedPerSecond === Number.POSITIVE_INFINITY ? "" : `, at most ${formatRate(allowedPerSecond)}`;
  return [`${formatCount(inHand)} in flight${limit}`];
}

function wholeSeconds(durationMs: number): number {
  return Math.ceil(durationMs / 1000) * 1000;
}

/** Formats a number per second with at least two significant digits: `150/s`, `2.5/s`, `0.25/s`, `1 in 50 s`. */
export function formatRate(perSecond: number): string {
  if (perSecond >= 9.95) return `${formatCount(Math.round(perSecond))}/s`;
  if (perSecond >= 0.1 || perSecond === 0) return `${Number(perSecond.toPrecision(2))}/s`;
  return `1 in ${formatTimeSpan(1000 / perSecond)}`;
}
