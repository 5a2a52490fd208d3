import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener, type Http2Bindings, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { AllowedHosts, malformedRequest } from "./allowed-hosts.ts";

/** Test runners allow a closing hook 10 seconds by default; the reason should be told before they give up. */
const defaultCloseLimitMs = 8_000;

/** A caller on this machine needs milliseconds for both. One that sends bit by bit must not hold its connection. */
const defaultRequestLimitMs = 30_000;
const longestHeadersMs = 10_000;
/** How often connections are compared with these limits. */
const longestCheckMs = 1_000;

type Answer = (request: Request) => Promise<Response>;

/** How a server listens. */
export interface ListenOptions {
  /** The address to listen on. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The names by which callers may call, see `AllowedHosts`. */
  readonly allowedHosts?: readonly string[] | "any" | undefined;
  /** Wraps what answers, so that it sees refused hosts, too. Default: nothing. */
  readonly watch?: ((answer: Answer) => Answer) | undefined;
  /** How long a request may take to arrive, headers and body, in milliseconds; headers have 10 s at most. Default: 30,000. */
  readonly requestLimitMs?: number | undefined;
  /** How long `close` waits for answers under way, in milliseconds. Default: 8,000. */
  readonly closeLimitMs?: number | undefined;
}

/** A listening server. */
export interface Listening {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Serves an endpoint, which never rejects, over `node:http`. @throws {Error} if the port is in use, and the like */
export async function listen(endpoint: Answer, options: ListenOptions): Promise<Listening> {
  const { host, port, allowedHosts, watch = (answer) => answer } = options;
  const { requestLimitMs = defaultRequestLimitMs, closeLimitMs = defaultCloseLimitMs } = options;
  const handle = getRequestListener(answerOrDrop, {
    // Else the adapter exchanges the global Request and Response of the whole process, that is of the user's tests.
    overrideGlobalObjects: false,
    // What no Request can be made of, such as an invalid host header, never reaches the endpoint.
    errorHandler: () => malformedRequest().toResponse(crypto.randomUUID()),
  });

  async function answerOrDrop(
    request: Request,
    { incoming, outgoing }: HttpBindings | Http2Bindings,
  ): Promise<Response> {
    const response = await watch(async () => {
      const refusal = hosts.refuseHost(request, incoming.socket.localAddress);
      return refusal ? refusal.toResponse(crypto.randomUUID()) : endpoint(request);
    })(request);
    const write = byHand.get(response);
    if (!write && !isDropped(response)) return response;
    underWay.delete(outgoing as ServerResponse);
    if (write && outgoing.socket && !isClosing) void write(outgoing.socket as Socket);
    else outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }

  const sockets = new Set<Socket>();
  const underWay = new Map<ServerResponse, Socket>();
  let isClosing = false;

  // A request without a host is refused like others, with a body that says so.
  const limits = { requireHostHeader: false, ...limitsFor(requestLimitMs) };
  const server = createServer(limits);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // Node's own idea of idle, which its close() applies, is not ours: it cuts off an answer that is ended but still
  // flowing out to a slow reader, and spares for a minute a connection that never sent a byte (Node 20 to 24).
  server.closeIdleConnections = () => {};
  await startListening(server, host, port);
  const bound = server.address() as AddressInfo;
  const baseUrl = baseUrlOf(host, bound.port);
  const hosts = new AllowedHosts({ baseUrl, host, address: bound.address }, allowedHosts);
  // Requests arrive in a later turn of the event loop. Without the names, none must be answered.
  server.on("request", (incoming, outgoing) => {
    const { socket } = incoming;
    underWay.set(outgoing, socket);
    outgoing.once("close", () => {
      underWay.delete(outgoing);
      if (isClosing) socket.destroySoon();
    });
    void handle(incoming, outgoing);
  });

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
    baseUrl,
    close: () => {
      closed ??= stop();
      return closed;
    },
  };
}

type Write = (socket: Socket) => Promise<void>;

/** How answers are written that the server does not write itself. */
const byHand = new WeakMap<Response, Write>();

/**
 * Marks an answer whose bytes are written onto the socket by hand.
 *
 * @param response - the answer as `watch` sees it
 * @param write - writes it and ends the socket; a server that closes does not wait for its end
 */
export function answerByHand(response: Response, write: Write): Response {
  byHand.set(response, write);
  return response;
}

/** Tells whether an answer, `Response.error()`, stands for none: the connection is then to be dropped. */
export function isDropped(response: Response): boolean {
  return response.type === "error";
}

/** Node's own limits are 60 and 300 seconds, and it compares every 30. */
function limitsFor(requestLimitMs: number) {
  return {
    headersTimeout: Math.min(longestHeadersMs, requestLimitMs),
    requestTimeout: requestLimitMs,
    connectionsCheckingInterval: Math.min(longestCheckMs, Math.ceil(requestLimitMs / 4)),
  };
}

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen({ host, port }, resolve);
  });
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const { code, message } = cause;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Stop the program that holds it, or give another \`port\`; 0 takes a free one.`,
    EACCES: `Port ${port} on ${host} is not open to this user. Give a \`port\` above 1023, or 0.`,
  };
  const other = `Nothing can listen on ${host} (${code ?? message}). Give a \`host\` of this machine, such as 127.0.0.1.`;
  return new Error(messages[code ?? ""] ?? other, { cause });
}

/** Where a server listens on every address of the machine, callers on the machine take the loopback one. */
function baseUrlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
