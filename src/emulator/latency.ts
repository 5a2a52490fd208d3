import { longestTimerMs } from "../runtime/environment.ts";
import { quote } from "./quote.ts";

/** How long calls wait, in milliseconds: each anything from `fromMs` to `toMs`. */
export interface Latency {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One time, or two with `..` between them. */
const form =
  /^(?<from>\d+(?:\.\d+)?) ?(?<fromUnit>ms|s)?(?: ?\.\. ?(?<to>\d+(?:\.\d+)?) ?(?<toUnit>ms|s)?)?$/;

const remedy = 'Write milliseconds or a range of them, such as "500", "1.5s", "200..800" or "1..2s".';

/**
 * Reads a latency: a number of milliseconds, or text such as `500`, `500ms`, `1.5s`, `200..800` or `1..2s`.
 *
 * The unit after a range is that of both numbers, unless the first has its own.
 *
 * @param name - the subject of a message
 * @throws {TypeError} if it does not have that form
 * @throws {RangeError} if a time is longer than a timer can hold (24.8 days), or a range is reversed
 */
export function parseLatency(latency: number | string, name: string): Latency {
  const subject = `${name} ${quote(String(latency))}`;
  const { fromMs, toMs } =
    typeof latency === "number" ? { fromMs: latency, toMs: latency } : parseText(String(latency), subject);
  // Written so that NaN fails, too.
  if (fromMs >= 0 && fromMs <= toMs && toMs <= longestTimerMs) return { fromMs, toMs };
  throw new RangeError(
    `${subject} is not between 0 and ${longestTimerMs} ms, or its longer time is first. ${remedy}`,
  );
}

function parseText(text: string, subject: string): Latency {
  const { from, fromUnit, to, toUnit } =
    form.exec(text.toLowerCase().replace(/\s+/g, " ").trim())?.groups ?? {};
  // Of `1s..1500` nobody can tell whether the second is 1.5 seconds or 25 minutes.
  const isAmbiguous = to !== undefined && fromUnit !== undefined && toUnit === undefined;
  if (from === undefined || isAmbiguous) {
    throw new TypeError(`${subject} cannot be read as a time. ${remedy}`);
  }
  const fromMs = Number(from) * unitMs(fromUnit ?? toUnit);
  return { fromMs, toMs: to === undefined ? fromMs : Number(to) * unitMs(toUnit) };
}

function unitMs(unit: string | undefined): number {
  return unit === "s" ? 1_000 : 1;
}
