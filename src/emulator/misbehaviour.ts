import { setMaxListeners } from "node:events";
import { describeThrown } from "../errors/foreign-values.ts";
import type { Produce } from "../service/endpoint.ts";
import { pause } from "../service/faults/play-as-response.ts";
import { playOnServer } from "../service/faults/play-on-socket.ts";
import { Problem } from "../service/problem.ts";
import { toResponse } from "../service/to-response.ts";
import { faultFor, isHit, parseFaultRule, parseLatency } from "./misbehaviour-rules.ts";
import type { EmulatorOptions } from "./options.ts";
import { quote } from "./quote.ts";

/** The fault of each call. */
const played = new WeakMap<Request, string>();

/** The settings: rules such as `429 every 10`, and a latency such as `200..800`. */
export type MisbehaviourSettings = Pick<EmulatorOptions, "faults" | "latency">;

/**
 * Delays calls and makes some of them fail. A call's `x-emulator-fault` and `x-emulator-latency` headers take precedence over the
 * rules. Otherwise, the first matching rule applies. Every call that reaches `produce` is counted, in order of arrival.
 */
export class Misbehaviour {
  readonly #closing: AbortSignal;
  #rules: Rules;
  #calls = 0;

  /**
   * @param closing - aborted when the server stops. Waiting calls are then refused with 503
   * @throws {TypeError | RangeError} if a rule or the latency is malformed
   */
  constructor(settings: MisbehaviourSettings, closing: AbortSignal) {
    this.#rules = parseRules(settings);
    this.#closing = closing;
    // Every waiting call adds a listener, so more than ten are not a leak.
    setMaxListeners(0, closing);
  }

  /** The rules and the latency as given. */
  get settings(): { readonly faults: readonly string[]; readonly latency: string } {
    return { faults: this.#rules.faults.map(({ text }) => text), latency: this.#rules.latencyText };
  }

  /**
   * Replaces the rules and the latency, and restarts the count of calls.
   *
   * @throws {TypeError | RangeError} if one of them is malformed. Nothing changes in that case
   */
  change(settings: MisbehaviourSettings): void {
    this.#rules = parseRules(settings);
    this.#calls = 0;
  }

  /** Wraps the function that generates documents. */
  wrap(produce: Produce): Produce {
    return async (order) => {
      const { request, signal, uid } = order;
      const { faults, latency } = this.#rules;
      this.#calls += 1;
      const call = this.#calls;
      const asked = readHeader(request, "x-emulator-fault", parseFaultRule);
      const rule = (asked ? [asked, ...faults] : faults).find((each) => isHit(each, call));
      const { fromMs, toMs } = readHeader(request, "x-emulator-latency", parseLatency) ?? latency;
      if (toMs > 0) await wait(fromMs + (toMs - fromMs) * Math.random(), signal, this.#closing);
      if (!rule) return produce(order);
      const { what, source } = rule;
      const isOfDocument = what === "cut" || what === "stall" || what === "text";
      const document = isOfDocument ? toResponse(await produce(order), uid) : new Response();
      played.set(request, what);
      const cause = rule === asked ? "header" : "rule";
      const reason = `This ${what === "html" ? "page" : what} was caused by ${source}. Remove the ${cause} to receive documents.`;
      const steps = faultFor(rule, reason).script(new Uint8Array(await document.arrayBuffer()));
      return playOnServer(steps, request, document.headers);
    };
  }
}

type Rules = ReturnType<typeof parseRules>;

function parseRules({ faults = [], latency = 0 }: MisbehaviourSettings) {
  return {
    faults: [faults]
      .flat()
      .map(String)
      .map((text) => ({ ...parseFaultRule(text, "The fault"), text, source: `the rule ${quote(text)}` })),
    latency: parseLatency(latency, "The latency"),
    latencyText: String(latency),
  };
}

/** Returns the fault of a call, such as `429` or `cut`, or `undefined`. */
export function faultOf(request: Request): string | undefined {
  return played.get(request);
}

/** Reads a header, if present. A malformed header is the caller's mistake. */
function readHeader<T>(
  { headers }: Request,
  header: string,
  parse: (text: string, name: string) => T,
): (T & { source: string }) | undefined {
  const text = headers.get(header);
  if (text === null) return undefined;
  try {
    return { ...parse(text, `The ${header} header`), source: `the ${header} header of the call` };
  } catch (error) {
    throw new Problem(400, describeThrown(error));
  }
}

/** Waits, unless the caller disconnects or the server stops. */
async function wait(delayMs: number, left: AbortSignal, closing: AbortSignal): Promise<void> {
  await pause(delayMs, [left, closing]);
  left.throwIfAborted();
  if (closing.aborted) {
    throw new Problem(503, "The emulator is stopping. Start it again.");
  }
}
