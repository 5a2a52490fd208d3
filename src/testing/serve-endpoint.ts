import { answerByHand, listen } from "../server/listen.ts";
import { play } from "./faults/play-on-socket.ts";
import type { Step } from "./faults/scripted-fault.ts";
import type { ListeningService } from "./listening-service.ts";

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
