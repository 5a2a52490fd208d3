import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { isInstance } from "../errors/foreign-values.ts";
import { listen } from "../service/listen.ts";
import { Problem } from "../service/problem.ts";

/** The maximum size of a message in bytes. */
export const maxMessageBytes = 4 * 1024 * 1024;

/** The maximum number of sessions. A new one ends the one that was not used for the longest time. */
const maxSessions = 32;

const path = "/mcp";

/**
 * Serves one client over standard input and output, until the input ends or the signal is aborted.
 *
 * @param stdout - carries nothing except protocol messages
 * @throws {Error} if a message is too large
 */
export async function serveStdio(
  server: Server,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
  signal: AbortSignal,
): Promise<void> {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: maxMessageBytes });
  const closing = new AbortController();
  const close = () => closing.abort();
  transport.onclose = close;
  stdin.once("end", close).once("close", close);
  signal.addEventListener("abort", close, { once: true });
  await server.connect(transport);
  if (!signal.aborted && !closing.signal.aborted) await once(closing.signal, "abort");
  const isEnded = stdin.readableEnded || stdin.destroyed || signal.aborted;
  await server.close();
  if (!isEnded) throw new Error(`The client sent a message of more than ${maxMessageBytes} bytes.`);
}

/** A server on loopback. */
export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves clients over Streamable HTTP on the loopback address.
 *
 * @param token - clients send it as a bearer token
 * @throws {Error} if the port is not available
 */
export async function serveHttp(
  createServer: () => Server,
  { port, token }: { readonly port: number; readonly token: string },
): Promise<HttpServer> {
  const sessions = new Sessions(createServer);
  const answer = async (request: Request): Promise<Response> => {
    try {
      checkRequest(request, token);
      return await sessions.answer(request, token);
    } catch (error) {
      const problem = isInstance(error, Problem)
        ? (error as Problem)
        : new Problem(500, "The server failed.");
      return problem.toResponse(crypto.randomUUID());
    }
  };
  // Refuses other host names: any page could reach this server by DNS rebinding.
  const listening = await listen(answer, { host: "127.0.0.1", port });
  return {
    url: listening.baseUrl + path,
    async close() {
      await sessions.close();
      await listening.close();
    },
  };
}

/** @throws {Problem} if a request is for something else, from a web page of another server, or without the token */
function checkRequest({ url, headers }: Request, token: string): void {
  const { pathname, origin } = new URL(url);
  if (pathname !== path) throw new Problem(404, `This path does not exist. Use ${path}.`);
  if ((headers.get("origin") ?? origin) !== origin) {
    throw new Problem(403, "Web pages of other servers may not use this server.", {
      kind: "origin-not-allowed",
    });
  }
  const given = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  if (timingSafeEqual(digest(given), digest(token))) return;
  throw new Problem(401, "Send the header Authorization: Bearer <token> with the token of this server.", {
    kind: "not-authorized",
    headers: { "www-authenticate": "Bearer" },
  });
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The open sessions by id. The first one was not used for the longest time. */
class Sessions {
  readonly #createServer: () => Server;
  readonly #transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

  constructor(createServer: () => Server) {
    this.#createServer = createServer;
  }

  async answer(request: Request, token: string): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? await this.#open() : this.#transports.get(id);
    if (known === undefined)
      throw new Problem(404, "This session does not exist or has ended. Start a new one.");
    if (id !== null) this.#use(id, known);
    // A client that closes its connection no longer wants what it requested.
    const authInfo = { token, clientId: "", scopes: [], extra: { signal: request.signal } };
    const response = await known.handleRequest(request, { authInfo });
    // Only an initialization starts a session.
    if (known.sessionId === undefined) await known.close();
    return response;
  }

  async #open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => this.#use(id, transport),
      maxRequestBodySize: maxMessageBytes,
    });
    transport.onclose = () => this.#transports.delete(transport.sessionId ?? "");
    await this.#createServer().connect(transport);
    return transport;
  }

  #use(id: string, transport: WebStandardStreamableHTTPServerTransport): void {
    this.#transports.delete(id);
    const [oldest] = this.#transports.values();
    if (this.#transports.size === maxSessions) void oldest?.close();
    this.#transports.set(id, transport);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#transports.values()].map((transport) => transport.close()));
  }
}
