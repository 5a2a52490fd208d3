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

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Reads a time in ISO 8601 with a time zone. Returns `undefined` if the text is something else, or the day does not exist. */
export function readTime(text: string): Date | undefined {
  const time = new Date(isoTime.test(text) ? text : Number.NaN);
  const day = text.slice(0, 10);
  // JavaScript reads 31 February as 3 March.
  const isDay = !Number.isNaN(time.getTime()) && new Date(day).toISOString().startsWith(day);
  return isDay ? time : undefined;
}

/**
 * Parses a time in ISO 8601. It needs a time zone, because machines may have different ones.
 *
 * @throws {Misuse} if the text is not a time
 */
export function parseTime(text: string, option: string): Date {
  const time = readTime(text);
  if (time) return time;
  throw new Misuse(
    `${option} must be a time with a time zone, such as 2026-11-30T06:00Z or 2026-11-30T07:00+01:00, but got ${JSON.stringify(text)}.`,
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
