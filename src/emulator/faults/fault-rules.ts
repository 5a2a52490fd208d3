import { quote } from "../quote.ts";

const breakages = ["html", "cut", "stall", "reset"] as const;

/**
 * `html`: a login page with status 200. `cut`: half a document, then the connection ends. `stall`: half a document,
 * then nothing more. `reset`: the connection is dropped without an answer.
 */
type Breakage = (typeof breakages)[number];

/** What goes wrong with one call. */
export interface EmulatedFault {
  /** The status to refuse with, 400 to 599, or what else becomes of the answer. */
  readonly what: number | Breakage;
  /** What a status tells in `retry-after`, in seconds. */
  readonly retryAfterSeconds: number | undefined;
}

/** Which calls a rule hits: every so many, the first so many, or so many of a hundred at random. */
export type When = { readonly every: number } | { readonly first: number } | { readonly percent: number };

/** A fault, and the calls it is for. */
export interface FaultRule {
  readonly fault: EmulatedFault;
  readonly when: When;
}

/** The request header by which a single call asks for a fault. */
export const faultHeader = "x-emulator-fault";

/** How a text that cannot be read is called in a message, and how to write it instead. */
interface Wording {
  readonly name: string;
  readonly remedy: string;
}

const ruleWording: Wording = {
  name: "The fault",
  remedy:
    'Write <what> [retry-after <seconds>] [every <n> | first <n> | <p>%], such as "429 retry-after 2 every 10".',
};

const headerWording: Wording = {
  name: `The header ${faultHeader}`,
  remedy:
    `Write <what> [retry-after <seconds>], where <what> is a status from 400 to 599, ${breakages.join(", ")}, ` +
    'such as "429 retry-after 2".',
};

/**
 * Reads `<what> [retry-after <seconds>] [every <n> | first <n> | <p>%]`, in any case and with any white space.
 *
 * @param text - one rule
 * @throws {TypeError} when it is not of that form.
 * @throws {RangeError} when a number in it is out of range.
 * @example
 * parseFaultRule("429 retry-after 2 every 10"); // the 10th, 20th, 30th … call
 * parseFaultRule("cut first 3");
 * parseFaultRule("503 2.5%");
 * parseFaultRule("reset"); // every call
 */
export function parseFaultRule(text: string): FaultRule {
  return new Reader(text, ruleWording).rule();
}

/**
 * Reads `<what> [retry-after <seconds>]`: the value of the header {@link faultHeader}, which speaks of one call.
 *
 * @throws {TypeError} when it is not of that form.
 * @throws {RangeError} when a number in it is out of range.
 */
export function parseFaultHeader(text: string): EmulatedFault {
  return new Reader(text, headerWording).fault();
}

/**
 * Tells whether a rule is for a call.
 *
 * @param when - which calls the rule hits
 * @param call - the number of the call, from 1
 * @param random - gives a number from 0 to less than 1; asked only for a percentage
 */
export function hits(when: When, call: number, random: () => number): boolean {
  if ("every" in when) return call % when.every === 0;
  if ("first" in when) return call <= when.first;
  return random() * 100 < when.percent;
}

/** Reads one text, word by word. */
class Reader {
  readonly #text: string;
  readonly #wording: Wording;
  /** What is still to be read. */
  readonly #words: string[];

  constructor(text: string, wording: Wording) {
    this.#text = text;
    this.#wording = wording;
    this.#words = text.toLowerCase().replace(/\s+/g, " ").replaceAll(" %", "%").split(" ").filter(Boolean);
  }

  rule(): FaultRule {
    const fault = this.#fault();
    const when = this.#when();
    this.#end();
    return { fault, when };
  }

  fault(): EmulatedFault {
    const fault = this.#fault();
    if (/^every$|^first$|%$/.test(this.#words[0] ?? "")) {
      throw this.#refusal(
        `${quote(this.#words.join(" "))} is for rules, and a header speaks of one call only`,
      );
    }
    this.#end();
    return fault;
  }

  #fault(): EmulatedFault {
    const what = this.#what();
    if (this.#words[0] !== "retry-after") return { what, retryAfterSeconds: undefined };
    if (typeof what !== "number") throw this.#refusal(`retry-after goes with a status, not with ${what}`);
    this.#words.shift();
    return { what, retryAfterSeconds: this.#integer("retry-after", 0) };
  }

  #what(): EmulatedFault["what"] {
    const word = this.#words.shift();
    if (word === undefined) throw this.#refusal("there is nothing in it");
    const breakage = breakages.find((known) => known === word);
    if (breakage !== undefined) return breakage;
    if (!isInteger(word)) {
      throw this.#refusal(`${quote(word)} is neither a status nor one of ${breakages.join(", ")}`);
    }
    const status = Number(word);
    if (status >= 400 && status <= 599) return status;
    throw this.#refusal(`${quote(word)} is no status from 400 to 599`, RangeError);
  }

  #when(): When {
    const word = this.#words.shift();
    if (word === undefined) return { every: 1 };
    if (word === "every") return { every: this.#integer(word, 1) };
    if (word === "first") return { first: this.#integer(word, 1) };
    if (!/^-?\d+(?:\.\d+)?%$/.test(word)) {
      throw this.#refusal(`${quote(word)} is neither retry-after, every, first nor a percentage`);
    }
    const percent = Number(word.slice(0, -1));
    if (percent >= 0 && percent <= 100) return { percent };
    throw this.#refusal(`${quote(word)} is not between 0% and 100%`, RangeError);
  }

  #integer(after: string, least: number): number {
    const word = this.#words.shift();
    if (word === undefined || !isInteger(word)) {
      const found = word === undefined ? "nothing" : quote(word);
      throw this.#refusal(`${after} is to be followed by a whole number, and is by ${found}`);
    }
    const number = Number(word);
    if (number >= least && Number.isSafeInteger(number)) return number;
    const bound = number < least ? `at least ${least}` : `at most ${Number.MAX_SAFE_INTEGER}`;
    throw this.#refusal(`${after} takes ${bound}, not ${quote(word)}`, RangeError);
  }

  #end(): void {
    if (this.#words.length > 0) {
      throw this.#refusal(`nothing more is expected at ${quote(this.#words.join(" "))}`);
    }
  }

  #refusal(wrong: string, Kind: typeof TypeError | typeof RangeError = TypeError): Error {
    const { name, remedy } = this.#wording;
    return new Kind(`${name} ${quote(this.#text)} cannot be read: ${wrong}. ${remedy}`);
  }
}

function isInteger(word: string): boolean {
  return /^-?\d+$/.test(word);
}
