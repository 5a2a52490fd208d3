import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener, type Http2Bindings, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Problem } from "./problem.ts";

/** Test runners allow a closing hook 10 seconds by default; the reason should be told before they give up. */
const defaultCloseLimitMs = 8_000;

/** A listening server. */
export interface Listening {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/**
 * Serves an endpoint over `node:http`.
 *
 * @param answer - the endpoint; it never rejects
 * @param host - the address to listen on
 * @param port - 0 takes a free one
 * @param closeLimitMs - how long `close` waits for answers under way, in milliseconds
 * @throws {Error} when nothing can listen there, such as on a port in use.
 */
export async function listen(
  answer: (request: Request) => Promise<Response>,
  host: string,
  port: number,
  closeLimitMs = defaultCloseLimitMs,
): Promise<Listening> {
  const handle = getRequestListener(answerOrDrop, {
    // Else the adapter exchanges the global Request and Response of the whole process, that is of the user's tests.
    overrideGlobalObjects: false,
    // What no Request can be made of, such as an invalid host header, never reaches the endpoint.
    errorHandler: () =>
      new Problem(
        400,
        "The request line or the host header is malformed. Send them as HTTP/1.1 has it.",
      ).toResponse(crypto.randomUUID()),
  });

  async function answerOrDrop(
    request: Request,
    { outgoing }: HttpBindings | Http2Bindings,
  ): Promise<Response> {
    const response = await answer(request);
    if (!isDropped(response)) return response;
    const write = byHand.get(response);
    underWay.delete(outgoing as ServerResponse);
    if (write && outgoing.socket && !isClosing) write(outgoing.socket as Socket);
    else outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }

  const sockets = new Set<Socket>();
  const underWay = new Map<ServerResponse, Socket>();
  let isClosing = false;

  const server = createServer((incoming, outgoing) => {
    const { socket } = incoming;
    underWay.set(outgoing, socket);
    outgoing.once("close", () => {
      underWay.delete(outgoing);
      if (isClosing) socket.destroySoon();
    });
    void handle(incoming, outgoing);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // Node's own idea of idle, which its close() applies, is not ours: it cuts off an answer that is ended but still
  // flowing out to a slow reader, and spares for a minute a connection that never sent a byte (Node 20 to 24).
  server.closeIdleConnections = () => {};
  await startListening(server, host, port);

  function stop(): Promise<void> {
    isClosing = true;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        const cut = underWay.size;
        server.closeAllConnections();
        reject(new Error(`The server cut off ${cut} call(s) not answered ${closeLimitMs} ms after close().`));
      }, closeLimitMs);
      server.close(() => {
        clearTimeout(limit);
        resolve();
      });
      const busy = new Set(underWay.values());
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
      // Tells these callers by `connection: close` that the connection ends with the answer.
      for (const outgoing of underWay.keys()) outgoing.shouldKeepAlive = false;
    });
  }

  let closed: Promise<void> | undefined;
  return {
    baseUrl: baseUrlOf(host, (server.address() as AddressInfo).port),
    close: () => {
      closed ??= stop();
      return closed;
    },
  };
}

/** Answers that are written onto their socket by hand. */
const byHand = new WeakMap<Response, (socket: Socket) => void>();

/**
 * Makes an answer that is none for `node:http`: it is written onto the socket by hand, which has to end it.
 *
 * @param write - writes it; a server that closes does not wait for its end
 */
export function answerByHand(write: (socket: Socket) => void): Response {
  const response = Response.error();
  byHand.set(response, write);
  return response;
}

/** Tells whether an answer, `Response.error()`, stands for none: the connection is then to be dropped. */
export function isDropped(response: Response): boolean {
  return response.type === "error";
}

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen({ host, port }, resolve);
  });
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  if (cause.code === "EADDRINUSE") {
    return new Error(
      `Port ${port} on ${host} is in use. Stop the program that holds it, or give another \`port\`; 0 takes a free one.`,
      { cause },
    );
  }
  if (cause.code === "EACCES") {
    return new Error(`Port ${port} on ${host} is not open to this user. Give a \`port\` above 1023, or 0.`, {
      cause,
    });
  }
  return new Error(
    `Nothing can listen on ${host} (${cause.code ?? cause.message}). Give a \`host\` of this machine, such as 127.0.0.1.`,
    { cause },
  );
}

/** Where a server listens on every address of the machine, callers on the machine take the loopback one. */
function baseUrlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
