import {
  cutOff,
  loginPage,
  refusal,
  reset,
  type ScriptedFault,
  stall,
} from "../service/faults/fault-script.ts";
import { quote } from "./quote.ts";

/** What goes wrong with one call. */
export interface EmulatedFault {
  /** A status from 400 to 599, `html`, `cut`, `stall` or `reset`. */
  readonly what: string;
  /** The value of the header `retry-after`, in seconds. */
  readonly retryAfter: string | undefined;
}

/** A fault, and the calls it is for. */
export interface FaultRule extends EmulatedFault {
  /** Whether the rule hits a call, counted from 1. */
  readonly hits: (call: number) => boolean;
}

/** The request header by which a single call asks for a fault. */
export const faultHeader = "x-emulator-fault";

const fault = String.raw`(?:(?<status>[45]\d\d)(?: retry-after (?<retryAfter>\d+))?|(?<kind>html|cut|stall|reset))`;
const calls = String.raw`(?:(?<word>every|first) (?<count>[1-9]\d*)|(?<percent>\d\d?(?:\.\d+)?|100) ?%)`;
const ruleForm = new RegExp(`^${fault}(?: ${calls})?$`);
const headerForm = new RegExp(`^${fault}$`);

const faultGrammar = "where <what> is a status from 400 to 599, html, cut, stall or reset, such as";

/**
 * Reads `<what> [retry-after <seconds>] [every <n> | first <n> | <p>%]`, in any case and with any white space.
 *
 * @throws {TypeError} if the text does not have that form, or a number is out of range
 * @example
 * parseFaultRule("429 retry-after 2 every 10"); // the 10th, 20th, 30th … call
 * parseFaultRule("cut first 3");
 * parseFaultRule("503 2.5%");
 * parseFaultRule("reset"); // every call
 */
export function parseFaultRule(text: string): FaultRule {
  const parts = partsOf(text, ruleForm);
  if (!parts) {
    throw new TypeError(
      `The fault ${quote(text)} cannot be read. Write <what> [retry-after <seconds>] [every <n> | first <n> | <p>%], ${faultGrammar} "429 retry-after 2 every 10".`,
    );
  }
  return { ...faultOf(parts), hits: hitsOf(parts) };
}

/**
 * Reads `<what> [retry-after <seconds>]`: the value of the header {@link faultHeader}.
 *
 * @throws {TypeError} if the text does not have that form, or a number is out of range
 */
export function parseFaultHeader(text: string): EmulatedFault {
  const parts = partsOf(text, headerForm);
  if (parts) return faultOf(parts);
  throw new TypeError(
    `The header ${faultHeader} ${quote(text)} cannot be read. Write <what> [retry-after <seconds>], ${faultGrammar} "429 retry-after 2".`,
  );
}

/** Returns what a server does; `reason` is the text of a refusal or a page. */
export function scriptFor({ what, retryAfter }: EmulatedFault, reason: string): ScriptedFault {
  switch (what) {
    case "html":
      return loginPage(reason);
    case "cut":
      return cutOff();
    case "stall":
      return stall();
    case "reset":
      return reset();
    default:
      return refusal(Number(what), reason, retryAfter);
  }
}

type Parts = Readonly<Record<string, string | undefined>>;

function partsOf(text: string, form: RegExp): Parts | undefined {
  return form.exec(text.toLowerCase().replace(/\s+/g, " ").trim())?.groups;
}

function faultOf({ status, kind, retryAfter }: Parts): EmulatedFault {
  return { what: status ?? kind ?? "", retryAfter };
}

function hitsOf({ word, count, percent }: Parts): FaultRule["hits"] {
  if (percent !== undefined) return () => Math.random() * 100 < Number(percent);
  const number = Number(count ?? 1);
  return word === "first" ? (call) => call <= number : (call) => call % number === 0;
}
