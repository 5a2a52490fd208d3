import { longestTimerMs } from "../../json/longest-timer.ts";
import { quote } from "../quote.ts";

/** How long calls wait, in milliseconds: each anything from `fromMs` to `toMs`. */
export interface Latency {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The request header by which a single call asks to wait. */
export const latencyHeader = "x-emulator-latency";

/** One time, or two with `..` between them; of white space, single blanks. */
const form =
  /^(?<from>-?\d+(?:\.\d+)?) ?(?<fromUnit>ms|s)?(?: ?\.\. ?(?<to>-?\d+(?:\.\d+)?) ?(?<toUnit>ms|s)?)?$/;

const remedy = 'Write milliseconds or a range of them, such as "500", "1.5s", "200..800" or "1..2s".';

/**
 * Reads a latency: a number of milliseconds, or text such as `500`, `500ms`, `1.5s`, `200..800` or `1..2s`.
 *
 * Where only the second number of a range has a unit, it is that of both.
 *
 * @param latency - the number or the text
 * @param name - how to call it in a message
 * @throws {TypeError} when it is neither, or not of that form.
 * @throws {RangeError} when a time is negative or longer than a timer can hold (24.8 days), or a range is reversed.
 */
export function parseLatency(latency: number | string, name: string): Latency {
  if (typeof latency === "number") {
    checkTime(latency, `${name} ${latency}`);
    return { fromMs: latency, toMs: latency };
  }
  if (typeof latency !== "string") {
    throw new TypeError(`${name} is to be a number or text, got ${typeof latency}. ${remedy}`);
  }
  const subject = `${name} ${quote(latency)}`;
  const { from, fromUnit, to, toUnit } = form.exec(normalize(latency))?.groups ?? {};
  if (from === undefined) throw new TypeError(`${subject} cannot be read as a time. ${remedy}`);
  // Of `1s..1500` nobody can tell whether the second is 1.5 seconds or 25 minutes.
  if (to !== undefined && fromUnit !== undefined && toUnit === undefined) {
    throw new TypeError(
      `${subject} has a unit after its first number only. Write one after both, such as "1s..2s".`,
    );
  }
  const fromMs = toMilliseconds(from, fromUnit ?? toUnit);
  const toMs = to === undefined ? fromMs : toMilliseconds(to, toUnit);
  checkTime(fromMs, subject);
  checkTime(toMs, subject);
  if (fromMs > toMs) {
    throw new RangeError(
      `${subject} runs from ${fromMs} ms down to ${toMs} ms. Write the shorter time first.`,
    );
  }
  return { fromMs, toMs };
}

/**
 * Draws how long one call waits, in milliseconds.
 *
 * @param random - gives a number from 0 to less than 1; asked only for a range
 */
export function drawLatency({ fromMs, toMs }: Latency, random: () => number): number {
  return fromMs === toMs ? fromMs : fromMs + (toMs - fromMs) * random();
}

function normalize(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}

function toMilliseconds(number: string, unit: string | undefined): number {
  return Number(number) * (unit === "s" ? 1_000 : 1);
}

function checkTime(timeMs: number, subject: string): void {
  // Written so that NaN fails, too.
  if (timeMs >= 0 && timeMs <= longestTimerMs) return;
  throw new RangeError(`${subject} is not between 0 and ${longestTimerMs} ms. ${remedy}`);
}
