import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener, type Http2Bindings, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { ownOption, withoutPrototype } from "../runtime/own-options.ts";
import { AllowedHosts, isLoopbackHost } from "./allowed-hosts.ts";
import { withQuietBody } from "./quiet-body.ts";
import { malformedRequest } from "./request-target.ts";

/** By default, test runners limit teardown hooks to 10 seconds. The reason should be reported before that. */
const defaultCloseLimitMs = 8_000;

/** Local callers send both within milliseconds. A slow sender must not hold its connection. */
const defaultRequestLimitMs = 30_000;
const longestHeadersMs = 10_000;
/** The interval at which connections are checked against these limits. */
const longestCheckMs = 1_000;

type Answer = (request: Request) => Promise<Response>;

/** Options for a listening server. */
export interface ListenOptions {
  /** The address to listen on. */
  readonly host: string;
  /** The port to listen on. 0 selects a free port. */
  readonly port: number;
  /** The accepted host names; see `AllowedHosts`. */
  readonly allowedHosts?: readonly string[] | "any" | undefined;
  /** Wraps the endpoint, including the refusal of hosts. Default: nothing. */
  readonly watch?: ((answer: Answer) => Answer) | undefined;
  /** The timeout for receiving a request in milliseconds; at most 10 s for headers. Default: 30,000. */
  readonly requestLimitMs?: number | undefined;
  /** The time that `close` waits for responses in flight, in milliseconds. Default: 8,000. */
  readonly closeLimitMs?: number | undefined;
}

/** A listening server. */
export interface Listening {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/**
 * Serves an endpoint, which never rejects, over `node:http`. @throws {Error} if the server cannot listen, for
 * example because the port is in use
 */
export async function listen(endpoint: Answer, given: ListenOptions): Promise<Listening> {
  const options = withoutPrototype(given);
  const { host, port, allowedHosts, watch = (answer) => answer } = options;
  const { requestLimitMs = defaultRequestLimitMs, closeLimitMs = defaultCloseLimitMs } = options;
  const adapting = withoutPrototype({
    // Otherwise the adapter would replace the global Request and Response of the process.
    overrideGlobalObjects: false,
    // Requests that cannot become a `Request`, for example because of an invalid host header, never reach the endpoint.
    errorHandler: () => malformedRequest().toResponse(crypto.randomUUID()),
  });
  const handle = getRequestListener(answerOrDrop, adapting);

  async function answerOrDrop(request: Request, bindings: HttpBindings | Http2Bindings): Promise<Response> {
    const { incoming, outgoing } = bindings;
    if (isLocalCall(bindings)) local.add(request);
    const response = await watch(async () => {
      const refusal = hosts.refuseHost(request, incoming.socket.localAddress);
      return refusal ? refusal.toResponse(crypto.randomUUID()) : endpoint(request);
    })(request);
    const write = byHand.get(response);
    if (!write && !isDropped(response)) return withQuietBody(response, outgoing);
    underWay.delete(outgoing as ServerResponse);
    if (write && outgoing.socket && !isClosing) void write(outgoing.socket as Socket);
    else outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }

  const sockets = new Set<Socket>();
  const underWay = new Map<ServerResponse, Socket>();
  let isClosing = false;

  // A request without a host is refused with an explanation.
  const limits = { requireHostHeader: false, ...limitsFor(requestLimitMs) };
  const server = createServer(limits);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // Node's close() treats other connections as idle: it interrupts a response that is still being sent to a slow reader, and
  // keeps a connection that never sent a byte for a minute (Node 20 to 24).
  server.closeIdleConnections = () => {};
  await startListening(server, host, port);
  const bound = server.address() as AddressInfo;
  const baseUrl = baseUrlOf(host, bound.port);
  const hosts = new AllowedHosts({ baseUrl, host, address: bound.address }, allowedHosts);
  // Requests must not be answered before the host names are known. They arrive in a later iteration of the event loop.
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
        reject(
          new Error(
            `${closeLimitMs} ms after close(), the server interrupted ${cut} call(s) that had no response yet.`,
          ),
        );
      }, closeLimitMs);
      server.close(() => {
        clearTimeout(limit);
        resolve();
      });
      const busy = new Set(underWay.values());
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
      // Sends `connection: close`, because the connection ends with this response.
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

const local = new WeakSet<Request>();

/**
 * Whether a program on this machine sent a request to a loopback address. Not if it came through a proxy, because its caller may
 * then be elsewhere.
 */
export function isFromThisMachine(request: Request): boolean {
  return local.has(request);
}

/** Headers that proxies add. */
const proxyHeaders = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

function isLocalCall({ incoming }: HttpBindings | Http2Bindings): boolean {
  const { headers, socket } = incoming;
  const host = headers.host?.replace(/:\d*$/, "") ?? "";
  const address = socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  return (
    isLoopbackHost(address) &&
    isLoopbackHost(host) &&
    !proxyHeaders.some((name) => Object.hasOwn(headers, name))
  );
}

type Write = (socket: Socket) => Promise<void>;

/** The writers of responses that the server does not write itself. */
const byHand = new WeakMap<Response, Write>();

/**
 * Marks a response whose bytes are written directly to the socket.
 *
 * @param response - the response for `watch`
 * @param write - writes it and ends the socket. A closing server does not wait for it
 */
export function answerByHand(response: Response, write: Write): Response {
  byHand.set(response, write);
  return response;
}

/** Whether a response is `Response.error()`, so that the connection must be dropped. */
export function isDropped(response: Response): boolean {
  return response.type === "error";
}

/** Node's own limits are 60 and 300 seconds, checked every 30. */
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
    server.listen(withoutPrototype({ host, port }), resolve);
  });
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const { code, message } = cause;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Stop the program that uses it, or pass another \`port\`; 0 selects a free one.`,
    EACCES: `Port ${port} on ${host} is not allowed for this user. Pass a \`port\` above 1023, or 0.`,
  };
  const other = `Cannot listen on ${host} (${code ?? message}). Pass an address of this machine as \`host\`, such as 127.0.0.1.`;
  return new Error(ownOption(messages, code ?? "") ?? other, { cause });
}

/** If a server listens on all addresses, local callers use the loopback address. */
function baseUrlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
