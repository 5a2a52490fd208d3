import { describe } from "vitest";
import type { Transport } from "../../src/transport/transport.ts";
import { describeAbort } from "./contract-abort.ts";
import { describeBody } from "./contract-body.ts";
import { describeFailures } from "./contract-failures.ts";
import { describePause } from "./contract-pause.ts";
import { describeRequest } from "./contract-request.ts";

/** Makes a fresh transport for one test, which is closed when that test has finished. */
export type MakeTransport = () => Transport;

/** What a transport cannot tell, by the design of what it is built on. */
export interface Blindness {
  /** Damage in one of several codings: Node 20's fetch then neither fails nor ends. */
  readonly toDamagedChains?: boolean;
  /** The socket of a damaged coding: Node 20's fetch tells of the damage, but leaves the socket waiting. */
  readonly toSocketsOfDamage?: boolean;
  /** An end of a coded body that comes too early: fetch gives what it could decode, and ends. */
  readonly toCutOffCodings?: boolean;
}

/** The contract of `src/transport/transport.ts`, proved over real sockets. */
export function describeTransport(
  name: string,
  makeTransport: MakeTransport,
  blindness: Blindness = {},
): void {
  describe(`the ${name} transport`, () => {
    describeRequest(makeTransport);
    describeBody(makeTransport, blindness);
    describePause(makeTransport);
    describeAbort(makeTransport);
    describeFailures(makeTransport);
  });
}
