import { longestTimerMs } from "../runtime/timers.ts";
import {
  cutOff,
  decodedAsText,
  loginPage,
  refusal,
  reset,
  type ScriptedFault,
  stall,
} from "../service/faults/faults.ts";
import { quote } from "./quote.ts";

/** A fault and the calls that it applies to: all, unless `every`, `first` or `percent` is set. */
interface FaultRule {
  /** A status from 400 to 599, `text`, `html`, `cut`, `stall` or `reset`. */
  readonly what: string;
  /** In seconds. */
  readonly retryAfter?: string;
  readonly every?: string;
  readonly first?: string;
  readonly percent?: string;
}

/** The latency of calls, a random time from `fromMs` to `toMs`. */
interface Latency {
  readonly fromMs: number;
  readonly toMs: number;
}

const faultForm =
  /^(?:(?<status>[45]\d\d)(?: retry-after (?<retryAfter>\d+))?|(?<kind>text|html|cut|stall|reset))(?: (?:every (?<every>[1-9]\d*)|first (?<first>[1-9]\d*)|(?<percent>\d\d?(?:\.\d+)?|100) ?%))?$/;

/**
 * Parses `<what> [retry-after <seconds>] [every <n> | first <n> | <p>%]`, ignoring case and extra white space.
 *
 * @param name - the subject of error messages
 * @throws {TypeError} if the text is malformed, or a number is out of range
 */
export function parseFaultRule(text: string, name: string): FaultRule {
  const { status, kind, ...rest } = partsOf(text, faultForm) ?? {};
  const what = status ?? kind;
  if (what !== undefined) return { what, ...rest };
  throw new TypeError(
    `${name} ${quote(text)} is not a fault rule. Write <what> [retry-after <seconds>] [every <n> | first <n> | <p>%], ` +
      'where <what> is a status from 400 to 599, text, html, cut, stall or reset, such as "429 retry-after 2 every 10".',
  );
}

/** Whether a rule applies to a call, counted from 1. */
export function isHit({ every = "1", first, percent }: FaultRule, call: number): boolean {
  if (percent !== undefined) return Math.random() * 100 < Number(percent);
  return first === undefined ? call % Number(every) === 0 : call <= Number(first);
}

/** Creates the fault for a rule. `reason` is the text of a refusal or a page. */
export function faultFor({ what, retryAfter }: FaultRule, reason: string): ScriptedFault {
  if (what === "text") return decodedAsText();
  if (what === "html") return loginPage(reason);
  if (what === "cut") return cutOff();
  if (what === "stall") return stall();
  return what === "reset" ? reset() : refusal(Number(what), reason, retryAfter);
}

const latencyForm =
  /^(?<from>\d+(?:\.\d+)?) ?(?<fromUnit>ms|s)?(?: ?\.\. ?(?<to>\d+(?:\.\d+)?) ?(?<toUnit>ms|s)?)?$/;

const remedy = 'Specify a delay or a range of delays, such as "500", "1.5s", "200..800" or "1..2s".';

/**
 * Parses a latency: a number of milliseconds, or a string such as `500`, `500ms`, `1.5s`, `200..800` or `1..2s`.
 *
 * The unit after a range applies to both numbers, unless the first has its own.
 *
 * @param name - the subject of error messages
 * @throws {TypeError} if the latency is malformed
 * @throws {RangeError} if a time exceeds 24.8 days, the limit of timers, or a range is reversed
 */
export function parseLatency(latency: number | string, name: string): Latency {
  const subject = `${name} ${quote(String(latency))}`;
  const { fromMs, toMs } =
    typeof latency === "number" ? { fromMs: latency, toMs: latency } : parseTimes(String(latency), subject);
  // Also fails for NaN.
  if (fromMs >= 0 && fromMs <= toMs && toMs <= longestTimerMs) return { fromMs, toMs };
  throw new RangeError(
    `${subject} is not between 0 and ${longestTimerMs} ms, or its range is reversed. ${remedy}`,
  );
}

function parseTimes(text: string, subject: string): Latency {
  const { from, fromUnit, to, toUnit } = partsOf(text, latencyForm) ?? {};
  // In `1s..1500`, the second number could mean milliseconds or seconds.
  const isAmbiguous = to !== undefined && fromUnit !== undefined && toUnit === undefined;
  if (from === undefined || isAmbiguous) {
    throw new TypeError(`${subject} is not a time. ${remedy}`);
  }
  const fromMs = Number(from) * unitMs(fromUnit ?? toUnit);
  return { fromMs, toMs: to === undefined ? fromMs : Number(to) * unitMs(toUnit) };
}

function unitMs(unit: string | undefined): number {
  return unit === "s" ? 1_000 : 1;
}

function partsOf(text: string, form: RegExp): { readonly [name: string]: string | undefined } | undefined {
  return form.exec(text.toLowerCase().replace(/\s+/g, " ").trim())?.groups;
}
