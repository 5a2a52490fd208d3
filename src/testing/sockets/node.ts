import { makeDisposable } from "../../runtime/disposal.ts";
import { answerByHand, listen } from "../../service/listen.ts";
import type { Step } from "../faults/scripted-fault.ts";
import type { ListeningService } from "../listening-service.ts";
import { play } from "./play-on-socket.ts";

/**
 * Serves an endpoint on a real socket.
 *
 * @throws {Error} when nothing can listen on that host and port
 */
export async function serve(
  endpoint: (request: Request) => Promise<Response>,
  host: string,
  port: number,
): Promise<ListeningService> {
  // A fake accepts any host name: tests may call it by a name of their own, and it holds nothing that a page could steal.
  // Nobody waits for a fake: what is under way when it closes is cut off, and that is no error.
  const { baseUrl, close } = await listen(endpoint, { host, port, allowedHosts: "any", closeLimitMs: 0 });
  const service = { baseUrl, close: () => close().catch(() => {}) };
  makeDisposable(service, () => service.close());
  return service;
}

/** Makes the answer that is a fault, on the socket itself. The connection ends with it, as nothing can follow what broke off. */
export function playByHand(steps: readonly Step[]): Response {
  const marks = { "x-request-id": crypto.randomUUID(), connection: "close" };
  const last = steps.map((step) =>
    step.do === "head" ? { ...step, headers: { ...step.headers, ...marks } } : step,
  );
  return answerByHand((socket) => {
    void play(last, socket).then(() => socket.end());
  });
}
