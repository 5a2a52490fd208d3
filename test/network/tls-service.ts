import { createServer } from "node:https";
import { onTestFinished } from "vitest";
import type { Issued } from "../support/certificates.ts";
import { open } from "../support/sockets.ts";
import { pdfFrom } from "../transport/service.ts";

export interface TlsService {
  readonly port: number;
  /** The `authorization` of every request that reached it. */
  readonly keys: (string | undefined)[];
}

/** The service behind TLS, gone when the test is over: every document says `tls`. */
export async function startTlsService(certificate: Issued): Promise<TlsService> {
  const keys: (string | undefined)[] = [];
  const server = createServer(certificate, (request, response) => {
    keys.push(request.headers.authorization);
    request.resume();
    request.on("end", () => response.end(pdfFrom("tls")));
  });
  // A client that does not trust it goes away in the middle of the handshake.
  server.on("tlsClientError", () => {});
  const listening = await open(server);
  onTestFinished(() => listening.close());
  return { port: listening.port, keys };
}
