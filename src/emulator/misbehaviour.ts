import { setMaxListeners } from "node:events";
import { describeThrown } from "../json/describe-thrown.ts";
import type { Produce } from "../service/endpoint.ts";
import { pause } from "../service/faults/play-as-response.ts";
import { playOnServer } from "../service/faults/play-on-socket.ts";
import { Problem } from "../service/problem.ts";
import { toResponse } from "../service/to-response.ts";
import { faultFor, isHit, parseFaultRule, parseLatency } from "./misbehaviour-rules.ts";
import type { EmulatorOptions } from "./options.ts";
import { quote } from "./quote.ts";

/** The simulated fault of each call. */
const played = new WeakMap<Request, string>();

/** The simulated faults, for example `429 every 10`, and the latency, for example `200..800`. */
export type MisbehaviourSettings = Pick<EmulatorOptions, "faults" | "latency">;

/**
 * Simulates latency and faults. The first rule that matches a call applies. The request headers `x-emulator-fault` and
 * `x-emulator-latency` take precedence over the rules. Every call that reaches `produce` is counted, in order of arrival.
 */
export class Misbehaviour {
  readonly #closing: AbortSignal;
  #rules: Rules;
  #calls = 0;

  /**
   * @param closing - aborted when the server stops; delayed calls then get a 503
   * @throws {TypeError | RangeError} if a rule or the latency is invalid
   */
  constructor(settings: MisbehaviourSettings, closing: AbortSignal) {
    this.#rules = parseRules(settings);
    this.#closing = closing;
    // Each delayed call adds a listener, so more than ten listeners are not a leak.
    setMaxListeners(0, closing);
  }

  /** The rules and the latency in their original notation. */
  get settings(): { readonly faults: readonly string[]; readonly latency: string } {
    return { faults: this.#rules.faults.map(({ text }) => text), latency: this.#rules.latencyText };
  }

  /**
   * Replaces the rules and the latency, and restarts the call count at 1.
   *
   * @throws {TypeError | RangeError} if one of them is invalid; then nothing changes
   */
  change(settings: MisbehaviourSettings): void {
    this.#rules = parseRules(settings);
    this.#calls = 0;
  }

  /** Wraps `produce` with the simulated latency and faults. */
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
      const isOfDocument = what === "cut" || what === "stall";
      const document = isOfDocument ? toResponse(await produce(order), uid) : new Response();
      played.set(request, what);
      const reason = `This ${what === "html" ? "page" : what} was asked for by ${source}. Take that away to get documents.`;
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

/** Returns the simulated fault of a call, for example `429` or `cut`; `undefined` if there was none. */
export function faultOf(request: Request): string | undefined {
  return played.get(request);
}

/** Parses a header if it is present; an invalid header is a client error. */
function readHeader<T>(
  { headers }: Request,
  header: string,
  parse: (text: string, name: string) => T,
): (T & { source: string }) | undefined {
  const text = headers.get(header);
  if (text === null) return undefined;
  try {
    return { ...parse(text, `The header ${header}`), source: `the header ${header} of the call` };
  } catch (error) {
    throw new Problem(400, describeThrown(error));
  }
}

/** Waits; stops waiting if the caller disconnects or the server stops. */
async function wait(delayMs: number, left: AbortSignal, closing: AbortSignal): Promise<void> {
  await pause(delayMs, [left, closing]);
  left.throwIfAborted();
  if (closing.aborted) {
    throw new Problem(503, "This emulator is stopping and begins no more documents. Start it again.");
  }
}
