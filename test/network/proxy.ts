import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, onTestFinished, vi } from "vitest";
import type { Issued } from "../support/certificates.ts";
import { later, open, responseHeaders } from "../support/sockets.ts";

/** One request to the proxy itself. */
interface ReceivedRequest {
  readonly method: string;
  /** The authority of a CONNECT. */
  readonly target: string;
  readonly headers: readonly string[];
}

export interface ProxySettings {
  /** Resolves names that do not exist in DNS: maps `service.test:443` to a loopback port. */
  readonly hosts: Readonly<Record<string, number>>;
  /** `user:password`. Without it, the proxy responds with 407. */
  readonly credentials?: string;
  /** The response to every CONNECT, instead of opening a tunnel. */
  readonly refusal?: string;
  /** The response that reports an open tunnel. */
  readonly success?: string;
  /** Whether it accepts a CONNECT and never responds. */
  readonly hangs?: boolean;
  /** Uses TLS itself, with this certificate. */
  readonly tls?: Issued;
}

export interface ForwardProxy {
  /** `http://127.0.0.1:3128`, or `https:`. */
  readonly origin: string;
  readonly port: number;
  readonly received: readonly ReceivedRequest[];
  readonly openSockets: () => number;
  /** Resolves with the socket of the first CONNECT. */
  readonly connected: Promise<Socket>;
  /** Ends every connection at once, as a restarted proxy does. */
  cut(): void;
}

/** Starts a real forward proxy on loopback (RFC 9110, 9.3.6; RFC 9112, 3.2.2) until the test has finished. */
export async function startProxy(settings: ProxySettings): Promise<ForwardProxy> {
  const received: ReceivedRequest[] = [];
  const { promise: connected, resolve: connect } = later<Socket>();
  const server = settings.tls ? createTlsServer(settings.tls) : createServer();
  server.on("secureConnection", (socket: Socket) => socket.on("error", () => {}));
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    const { method = "", url = "", rawHeaders } = request;
    received.push({ method, target: url, headers: rawHeaders });
    connect(socket);
    // Keeps reading; otherwise it would not notice that its client has disconnected.
    if (settings.hangs) return void socket.on("end", () => socket.end()).resume();
    if (!isAllowed(request, settings)) return void socket.end(challenge);
    if (settings.refusal) return void socket.end(settings.refusal);
    tunnel(socket, url, settings);
  });
  const listening = await open(server);
  onTestFinished(() => listening.close());
  return {
    origin: `${settings.tls ? "https" : "http"}://127.0.0.1:${listening.port}`,
    port: listening.port,
    received,
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

const challenge = responseHeaders("407 Proxy Authentication Required", [
  'proxy-authenticate: Basic realm="proxy"',
]);

function isAllowed(request: IncomingMessage, { credentials }: ProxySettings): boolean {
  if (credentials === undefined) return true;
  const expected = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return request.headers["proxy-authorization"] === expected;
}

function tunnel(socket: Socket, target: string, settings: ProxySettings): void {
  const port = settings.hosts[target];
  if (port === undefined) return void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  const onward = connect(port, "127.0.0.1", () => {
    socket.write(settings.success ?? "HTTP/1.1 200 Connection Established\r\n\r\n");
    socket.pipe(onward).pipe(socket);
  });
  onward.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  onward.on("close", () => socket.destroy());
  socket.on("close", () => onward.destroy());
}
