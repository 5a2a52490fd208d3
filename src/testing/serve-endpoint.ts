import { answerByHand, listen } from "../server/listen.ts";
import type { Step } from "./faults/fault.ts";
import { play } from "./faults/play-on-socket.ts";

/** A fake service that listens on a socket. */
export interface ListeningService {
  /** Where it answers, such as `http://127.0.0.1:49152`: the client's `baseUrl`. */
  readonly baseUrl: string;
  /** Stops listening, and ends every connection. A second call gives the same promise. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves an endpoint on a real socket, whose faults are played on the socket itself.
 *
 * @throws {Error} when nothing can listen on that host and port
 */
export async function serveEndpoint(
  endpoint: (request: Request) => Promise<Response>,
  host: string,
  port: number,
): Promise<ListeningService> {
  const { baseUrl, close } = await listen(endpoint, host, port);
  return { baseUrl, close, [Symbol.asyncDispose]: close };
}

/** Makes the answer that is a fault. The connection ends with it, as nothing can follow what broke off. */
export function playByHand(steps: readonly Step[]): Response {
  const last = steps.map((step) =>
    step.do === "head" ? { ...step, headers: { ...step.headers, connection: "close" } } : step,
  );
  return answerByHand((socket) => {
    void play(last, socket).then(() => socket.end());
  });
}
