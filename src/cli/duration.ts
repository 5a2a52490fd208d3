import { longestTimerMs } from "../runtime/environment.ts";
import { Misuse } from "./failure.ts";

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Reads a duration such as `30s`, `500ms`, `1.5m` or `90`, which is in seconds.
 *
 * @param text - what the user wrote
 * @param option - where, for the message: `--timeout`
 * @returns milliseconds: at least 1, and no more than a timer takes
 * @throws {Misuse} when it is none
 */
export function parseDuration(text: string, option: string): number {
  const [, number = "", unit = "s"] = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h)?$/i.exec(text.trim()) ?? [];
  const durationMs = Math.round(Number(number) * (unitsMs[unit.toLowerCase()] ?? Number.NaN));
  if (durationMs >= 1 && durationMs <= longestTimerMs) return durationMs;
  throw new Misuse(
    `${option} takes a duration from 1ms to 596h, and got ${JSON.stringify(text)}. ` +
      "Write it as 30s, 500ms, 2m or 1h; a bare number is in seconds.",
  );
}

/** Writes a duration as people read it: `30 s`, `500 ms`. */
export function formatDuration(durationMs: number): string {
  return Math.round(durationMs) < 1000
    ? `${Math.round(durationMs)} ms`
    : `${Number((durationMs / 1000).toFixed(1))} s`;
}

/** Writes how long something takes, as people read it: `42 s`, `3 min 5 s`, `2 h 10 min`. */
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
