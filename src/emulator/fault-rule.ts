import {
  cutOff,
  loginPage,
  refusal,
  reset,
  type ScriptedFault,
  stall,
} from "../service/faults/fault-script.ts";
import { quote } from "./quote.ts";

/** A fault, and the calls it is for. */
export interface FaultRule {
  /** A status from 400 to 599, `html`, `cut`, `stall` or `reset`. */
  readonly what: string;
  /** Whether the rule hits a call, counted from 1. */
  readonly hits: (call: number) => boolean;
  /** Makes the fault; `reason` is the text of a refusal or a page. */
  readonly faultFor: (reason: string) => ScriptedFault;
}

const form =
  /^(?:(?<status>[45]\d\d)(?: retry-after (?<retryAfter>\d+))?|(?<kind>html|cut|stall|reset))(?: (?:(?<word>every|first) (?<count>[1-9]\d*)|(?<percent>\d\d?(?:\.\d+)?|100) ?%))?$/;

/**
 * Reads `<what> [retry-after <seconds>] [every <n> | first <n> | <p>%]`, in any case and with any white space.
 *
 * @param name - the subject of a message
 * @throws {TypeError} if the text does not have that form, or a number is out of range
 * @example
 * parseFaultRule("429 retry-after 2 every 10", "The fault"); // the 10th, 20th, 30th … call
 * parseFaultRule("cut first 3", "The fault");
 * parseFaultRule("503 2.5%", "The fault");
 * parseFaultRule("reset", "The fault"); // every call
 */
export function parseFaultRule(text: string, name: string): FaultRule {
  const parts = form.exec(text.toLowerCase().replace(/\s+/g, " ").trim())?.groups;
  if (!parts) {
    throw new TypeError(
      `${name} ${quote(text)} cannot be read. Write <what> [retry-after <seconds>] [every <n> | first <n> | <p>%], ` +
        'where <what> is a status from 400 to 599, html, cut, stall or reset, such as "429 retry-after 2 every 10".',
    );
  }
  const { status, kind = "", retryAfter } = parts;
  const faultFor = (reason: string) =>
    status === undefined ? faultOf(kind, reason) : refusal(Number(status), reason, retryAfter);
  return { what: status ?? kind, hits: hitsOf(parts), faultFor };
}

function faultOf(kind: string, reason: string): ScriptedFault {
  if (kind === "html") return loginPage(reason);
  if (kind === "cut") return cutOff();
  return kind === "stall" ? stall() : reset();
}

function hitsOf({ word, count = "1", percent }: Record<string, string | undefined>): FaultRule["hits"] {
  if (percent !== undefined) return () => Math.random() * 100 < Number(percent);
  return word === "first" ? (call) => call <= Number(count) : (call) => call % Number(count) === 0;
}
