import { describe } from "vitest";
import type { Transport } from "../../src/transport/transport.ts";
import { describeBody } from "./contract-body.ts";
import { describeEndings } from "./contract-endings.ts";
import { describePause } from "./contract-pause.ts";
import { describeRequest } from "./contract-request.ts";

/** Creates a transport for one test. */
export type MakeTransport = () => Transport;

/** What a transport cannot detect because of the API that it uses. */
export interface Blindness {
  /**
   * Damage in one of several codings, a coded body that ends too early, and the socket of a damaged body. Node 20's fetch neither
   * fails nor ends at the first, ends with what it could decode at the second, and never frees the third.
   */
  readonly toDamagedCodings?: boolean;
}

/** The contract of `src/transport/transport.ts`, proved over real sockets. */
export function describeTransport(name: string, make: MakeTransport, blindness: Blindness = {}): void {
  describe(`the ${name} transport`, () => {
    describeRequest(make);
    describeBody(make, blindness);
    describePause(make);
    describeEndings(make);
  });
}
