import { makeDisposable } from "../../runtime/disposal.ts";
import { playOnServer } from "../../service/faults/play-on-socket.ts";
import { listen } from "../../service/listen.ts";
import type { ListeningService, Play } from "../options.ts";

type Endpoint = (request: Request) => Promise<Response>;

/**
 * Serves an endpoint on a real socket.
 *
 * @param endpointWith - makes the endpoint, which answers with what a function makes of a fault
 * @throws {Error} when nothing can listen on that host and port
 */
export async function serve(
  endpointWith: (play: Play) => Endpoint,
  host: string,
  port: number,
): Promise<ListeningService> {
  // A fake accepts any host name: tests may call it by a name of their own, and it holds nothing that a page could steal.
  // Nobody waits for a fake: what is under way when it closes is cut off, and that is no error.
  const options = { host, port, allowedHosts: "any", closeLimitMs: 0 } as const;
  const { baseUrl, close } = await listen(endpointWith(playOnServer), options);
  const service = { baseUrl, close: () => close().catch(() => {}) };
  makeDisposable(service, () => service.close());
  return service;
}
