import { describe } from "vitest";
import type { Transport } from "../../src/transport/transport.ts";
import { describeBody } from "./contract-body.ts";
import { describeEndings } from "./contract-endings.ts";
import { describePause } from "./contract-pause.ts";
import { describeRequest } from "./contract-request.ts";

/** Creates a transport for one test. */
export type MakeTransport = () => Transport;

/**
 * The contract of `src/transport/transport.ts`, proved over real sockets.
 *
 * @param isBlind - whether the transport misses damage inside several codings and the early end of a coded
 * body, and keeps the socket of a damaged body open, as Node 20's fetch does
 */
export function describeTransport(name: string, make: MakeTransport, isBlind = false): void {
  describe(`the ${name} transport`, () => {
    describeRequest(make);
    describeBody(make, isBlind);
    describePause(make);
    describeEndings(make);
  });
}
