import { createServer, type IncomingMessage, request as requestOnward, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, onTestFinished, vi } from "vitest";
import type { Issued } from "../support/certificates.ts";
import { later, open } from "../support/sockets.ts";

/** One request to the proxy itself. */
interface Heard {
  readonly method: string;
  /** The authority of a CONNECT, the absolute URL of anything else. */
  readonly target: string;
  readonly headers: readonly string[];
}

export interface ProxySettings {
  /** Where a name leads that no DNS knows: `service.test:443` to a port of loopback. */
  readonly hosts: Readonly<Record<string, number>>;
  /** `user:password`, without which it answers 407. */
  readonly credentials?: string;
  /** What it answers to every CONNECT, instead of opening a tunnel. */
  readonly refusal?: string;
  /** How it says that a tunnel is open. */
  readonly success?: string;
  /** Whether it takes a CONNECT and never answers. */
  readonly hangs?: boolean;
  /** Speaks TLS itself, by this certificate. */
  readonly tls?: Issued;
}

export interface ForwardProxy {
  /** `http://127.0.0.1:3128`, or `https:`. */
  readonly origin: string;
  readonly port: number;
  readonly heard: readonly Heard[];
  /** All that passed its tunnels from client to service, as Latin-1. */
  readonly passed: () => string;
  readonly openSockets: () => number;
  /** Resolves at the first CONNECT, with its socket. */
  readonly connected: Promise<Socket>;
  /** Ends every connection at once, as a proxy that is restarted does. */
  cut(): void;
}

/** A real forward proxy on loopback (RFC 9110, 9.3.6; RFC 9112, 3.2.2), gone when the test is over. */
export async function startProxy(settings: ProxySettings): Promise<ForwardProxy> {
  const heard: Heard[] = [];
  const passed: Buffer[] = [];
  const { promise: connected, resolve: connect } = later<Socket>();
  const server = settings.tls ? createTlsServer(settings.tls) : createServer();
  server.on("secureConnection", (socket: Socket) => socket.on("error", () => {}));
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    heard.push(heardOf(request));
    if (!isAllowed(request, settings)) return void response.writeHead(407, challenge).end();
    forward(request, response, settings);
  });
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    heard.push(heardOf(request));
    connect(socket);
    // Reads on, or it would never learn that its client has left.
    if (settings.hangs) return void socket.on("end", () => socket.end()).resume();
    if (!isAllowed(request, settings)) {
      const demand = `proxy-authenticate: ${challenge["proxy-authenticate"]}`;
      return void socket.end(`HTTP/1.1 407 Proxy Authentication Required\r\n${demand}\r\n\r\n`);
    }
    if (settings.refusal) return void socket.end(settings.refusal);
    tunnel(socket, request.url ?? "", settings, passed);
  });
  const listening = await open(server);
  onTestFinished(() => listening.close());
  return {
    origin: `${settings.tls ? "https" : "http"}://127.0.0.1:${listening.port}`,
    port: listening.port,
    heard,
    passed: () => Buffer.concat(passed).toString("latin1"),
    openSockets: () => listening.openSockets,
    connected,
    cut: () => listening.destroyAll(),
  };
}

/** Starts each test of a file without a proxy in its environment. */
export function clearProxyVariables(): void {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  beforeEach(() => {
    for (const name of names) vi.stubEnv(name, undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
}

const challenge = { "proxy-authenticate": 'Basic realm="proxy of the tests"' };

function heardOf({ method = "", url = "", rawHeaders }: IncomingMessage): Heard {
  return { method, target: url, headers: rawHeaders };
}

function isAllowed(request: IncomingMessage, { credentials }: ProxySettings): boolean {
  if (credentials === undefined) return true;
  const expected = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return request.headers["proxy-authorization"] === expected;
}

function tunnel(socket: Socket, target: string, settings: ProxySettings, passed: Buffer[]): void {
  const port = settings.hosts[target];
  if (port === undefined) return void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  const onward = connect(port, "127.0.0.1", () => {
    socket.write(settings.success ?? "HTTP/1.1 200 Connection Established\r\n\r\n");
    socket.on("data", (data: Buffer) => passed.push(data));
    socket.pipe(onward).pipe(socket);
  });
  onward.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  onward.on("close", () => socket.destroy());
  socket.on("close", () => onward.destroy());
}

function forward(request: IncomingMessage, response: ServerResponse, { hosts }: ProxySettings): void {
  const { host, pathname, search } = new URL(request.url ?? "");
  const port = hosts[host.includes(":") ? host : `${host}:80`];
  if (port === undefined) return void response.writeHead(502).end();
  const { "proxy-authorization": _own, ...headers } = request.headers;
  const onward = requestOnward(
    { host: "127.0.0.1", port, method: request.method, path: pathname + search, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  onward.on("error", () => response.writeHead(502).end());
  request.pipe(onward);
}
