import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Carrier, Receive } from "./service.ts";

/** The service behind a socket of this machine. */
export async function openServedService(receive: Receive): Promise<Carrier> {
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const { method = "", url: path = "", rawHeaders } = incoming;
      const reply = await receive(request, { method, path, headers: pairsOf(rawHeaders) });
      if (reply instanceof Response) return reply;
      // Past the adapter, which gives every answer a content type.
      if (reply === "hang up") incoming.socket.destroy();
      else outgoing.writeHead(reply.status ?? 200, reply.headers).end(reply.body ?? "");
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function pairsOf(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at] ?? "", flat[at + 1] ?? ""]);
  return pairs;
}
