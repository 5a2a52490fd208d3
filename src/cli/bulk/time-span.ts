import { formatDuration } from "../duration.ts";

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
