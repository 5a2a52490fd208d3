import { longestTimerMs } from "../runtime/timers.ts";
import { Misuse } from "./failure.ts";

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Parses a duration such as `30s`, `500ms` or `1.5m`. A bare number is in seconds.
 *
 * @param text - the text that the user entered
 * @param option - the option's name for the error message, for example `--timeout`
 * @returns milliseconds, from 1 to the longest delay of a timer
 * @throws {Misuse} if the text is not a duration in that range
 */
export function parseDuration(text: string, option: string): number {
  const [, number = "", unit = "s"] = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h)?$/i.exec(text.trim()) ?? [];
  const durationMs = Math.round(Number(number) * (unitsMs[unit.toLowerCase()] ?? Number.NaN));
  if (durationMs >= 1 && durationMs <= longestTimerMs) return durationMs;
  throw new Misuse(
    `${option} must be a duration from 1ms to 596h, but got ${JSON.stringify(text)}. ` +
      "Write it as 30s, 500ms, 2m or 1h; a bare number is in seconds.",
  );
}

/** Formats a duration for messages: `30 s`, `500 ms`. */
export function formatDuration(durationMs: number): string {
  return Math.round(durationMs) < 1000
    ? `${Math.round(durationMs)} ms`
    : `${Number((durationMs / 1000).toFixed(1))} s`;
}

/** Formats a longer duration for messages: `42 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatTimeSpan(durationMs: number): string {
  if (durationMs < 59_950) return formatDuration(durationMs);
  const seconds = Math.round(durationMs / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? join([minutes, "min"], [seconds % 60, "s"])
    : join([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
}

function join(large: readonly [number, string], small: readonly [number, string]): string {
  return [large, small].flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(" ");
}
