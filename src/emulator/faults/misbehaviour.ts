import { setMaxListeners } from "node:events";
import { describeThrown } from "../../json/describe-thrown.ts";
import type { Order, Produce } from "../../service/endpoint.ts";
import { Problem } from "../../service/problem.ts";
import { toResponse } from "../../service/to-response.ts";
import { quote } from "../quote.ts";
import { cutAnswer, loginPage, stalledAnswer } from "./broken-answers.ts";
import {
  type EmulatedFault,
  type FaultRule,
  faultHeader,
  hits,
  parseFaultHeader,
  parseFaultRule,
} from "./fault-rules.ts";
import { drawLatency, type Latency, latencyHeader, parseLatency } from "./latency.ts";
import { onceAborted } from "./once-aborted.ts";

/** What goes wrong on purpose, and how slowly. */
export interface MisbehaviourOptions {
  /** One rule or several, see `parseFaultRule`; the first that hits a call wins. Default: none. */
  readonly faults?: string | readonly string[] | undefined;
  /** How long every call waits, in milliseconds or as text, see `parseLatency`. Default: 0. */
  readonly latency?: number | string | undefined;
  /** Gives a number from 0 to less than 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** A fault for one call, and who asked for it. */
interface Plan {
  readonly fault: EmulatedFault;
  readonly askedBy: string;
}

interface NamedRule extends FaultRule {
  readonly name: string;
}

/** What was played to which call. By the request, because a refusal is thrown and its answer made elsewhere. */
const played = new WeakMap<Request, string>();

/**
 * Makes calls slow, and some of them fail: by rules, or where a call asks for it itself by the headers
 * `x-emulator-fault` and `x-emulator-latency`, which win over the rules.
 *
 * Counted is every call that reaches `produce`, in the order of arrival, whatever becomes of it.
 *
 * @throws {TypeError} when a rule or the latency cannot be read.
 * @throws {RangeError} when a number in them is out of range.
 * @example
 * const misbehaviour = new Misbehaviour({ faults: ["429 retry-after 2 every 10", "cut 1%"], latency: "200..800" });
 * const endpoint = createEndpoint({ authorize, produce: misbehaviour.wrap(produce, closing) });
 */
export class Misbehaviour {
  readonly #rules: readonly NamedRule[];
  readonly #latency: Latency;
  readonly #random: () => number;
  #calls = 0;

  constructor({ faults = [], latency = 0, random = Math.random }: MisbehaviourOptions) {
    this.#rules = readRules(faults);
    this.#latency = parseLatency(latency, "The latency");
    this.#random = random;
  }

  /**
   * Wraps a `produce`.
   *
   * @param produce - makes the document; not called for a fault that needs none
   * @param closing - aborted when the server stops, which ends every wait: a call that has yet to be begun is refused
   *   with 503, a stalled answer breaks off
   */
  wrap(produce: Produce, closing: AbortSignal): Produce {
    // Every call that waits has a listener there, and more than ten are no leak.
    setMaxListeners(0, closing);
    return async (order) => {
      const { headers } = order.request;
      const planned = this.#nextPlan();
      const plan = fromHeader(headers, faultHeader, planByHeader) ?? planned;
      const latency = fromHeader(headers, latencyHeader, latencyByHeader) ?? this.#latency;
      await wait(drawLatency(latency, this.#random), order.signal, closing);
      return plan === undefined ? produce(order) : this.#play(plan, order, produce, closing);
    };
  }

  #nextPlan(): Plan | undefined {
    this.#calls += 1;
    const rule = this.#rules.find(({ when }) => hits(when, this.#calls, this.#random));
    return rule && { fault: rule.fault, askedBy: rule.name };
  }

  async #play(
    { fault, askedBy }: Plan,
    order: Order,
    produce: Produce,
    closing: AbortSignal,
  ): Promise<Response> {
    const { what, retryAfterSeconds } = fault;
    if (what === "cut" || what === "stall") {
      const document = toResponse(await produce(order), order.uid);
      // There is no half of a refusal.
      if (!document.ok) return document;
      const endings = [order.signal, closing];
      const answer = await (what === "cut" ? cutAnswer(document) : stalledAnswer(document, endings));
      played.set(order.request, what);
      return answer;
    }
    played.set(order.request, String(what));
    if (what === "reset") return Response.error();
    const reason = `This ${what === "html" ? "page" : what} was asked for by ${askedBy}. Take that away to get documents.`;
    if (what === "html") return loginPage(reason);
    throw new Problem(what, reason, {
      headers: retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
    });
  }
}

/** Tells which fault was played to a call, such as `429` or `cut`; `undefined` where none was. */
export function faultOf(request: Request): string | undefined {
  return played.get(request);
}

function readRules(faults: string | readonly string[]): NamedRule[] {
  const texts: readonly unknown[] = Array.isArray(faults) ? faults : [faults];
  return texts.map((text) => {
    if (typeof text !== "string") {
      throw new TypeError(
        `Expected \`faults\` to be a rule such as "429 every 10", or an array of rules, got ${typeof text}.`,
      );
    }
    return { ...parseFaultRule(text), name: `the rule ${quote(text)}` };
  });
}

function planByHeader(text: string): Plan {
  return { fault: parseFaultHeader(text), askedBy: `the header ${faultHeader} of the call` };
}

function latencyByHeader(text: string): Latency {
  return parseLatency(text, `The header ${latencyHeader}`);
}

/** Reads a header where there is one; what cannot be read is the caller's mistake. */
function fromHeader<T>(headers: Headers, name: string, parse: (text: string) => T): T | undefined {
  const text = headers.get(name);
  if (text === null) return undefined;
  try {
    return parse(text);
  } catch (error) {
    throw new Problem(400, describeThrown(error));
  }
}

/** Waits, unless the caller leaves or the server stops. */
async function wait(delayMs: number, left: AbortSignal, closing: AbortSignal): Promise<void> {
  if (delayMs === 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      forget();
      resolve();
    }, delayMs);
    const forget = onceAborted([left, closing], () => {
      clearTimeout(timer);
      resolve();
    });
  });
  left.throwIfAborted();
  if (closing.aborted) {
    throw new Problem(503, "This emulator is stopping and begins no more documents. Start it again.");
  }
}
