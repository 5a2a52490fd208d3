import { createServer, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { inspect } from "node:util";
import { ConfigurationError, ConnectionError } from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { open, type SocketServer } from "../support/sockets.ts";
import { clientOf, sourceOf, startService } from "./service.ts";

const variables = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"];
const password = "s3cret-of-the-proxy";
/** Reaches this machine, though it is no loopback address by name. */
const anyAddress = "0.0.0.0";

beforeEach(() => {
  for (const name of variables) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** A proxy that leads every CONNECT to `target`, whatever it asks for, and remembers it. */
async function startProxy(target: SocketServer, status = 200) {
  const requests: IncomingMessage[] = [];
  const server = createServer((_request, response) => response.writeHead(501).end());
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    requests.push(request);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    const onward = connect(target.port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
    socket.on("close", () => onward.destroy());
    return undefined;
  });
  const listening = await open(server);
  onTestFinished(() => listening.close());
  return {
    address: listening.origin,
    port: listening.port,
    requests,
    asked: () => requests.map(({ url }) => url),
  };
}

/** An address at which nobody listens. */
async function deadProxy(): Promise<string> {
  const server = await open(createServer());
  await server.close();
  return server.origin;
}

const remote = (host = "service.test") => clientOf(`http://${host}`, { allowInsecureHttp: true });

describe("a proxy named by the environment", () => {
  it.each(["HTTP_PROXY", "http_proxy"])("in %s carries the requests, by a tunnel", async (name) => {
    const service = await startService();
    const proxy = await startProxy(service);
    vi.stubEnv(name, proxy.address);
    const client = remote();
    expect(client.transport).toBe("undici");
    expect(await sourceOf(client)).toBe("network");
    expect(proxy.asked()).toEqual(["service.test:80"]);
  });

  it("never sees the API key, the path or the values", async () => {
    const service = await startService();
    const proxy = await startProxy(service);
    vi.stubEnv("HTTP_PROXY", proxy.address);
    await sourceOf(remote());
    const seen = inspect(proxy.requests.map(({ url, rawHeaders }) => [url, rawHeaders]));
    expect(seen).not.toMatch(/key-of-the-tests|inv_2024|1,000,000/);
  });

  it("is told its password, and the service is not", async () => {
    const service = await startService();
    const proxy = await startProxy(service);
    vi.stubEnv("HTTP_PROXY", `http://user:${password}@127.0.0.1:${proxy.port}`);
    await sourceOf(remote());
    const authorization = `Basic ${Buffer.from(`user:${password}`).toString("base64")}`;
    expect(proxy.requests[0]?.headers["proxy-authorization"]).toBe(authorization);
  });

  it.each([407, 403, 502])(
    "that refuses (%i) is a failed connection, without its password",
    async (status) => {
      const proxy = await startProxy(await startService(), status);
      vi.stubEnv("HTTP_PROXY", `http://user:${password}@127.0.0.1:${proxy.port}`);
      const error = await sourceOf(remote()).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(inspect(error, { depth: 10 })).not.toContain(password);
    },
  );

  it("that cannot be reached is a failed connection", async () => {
    vi.stubEnv("HTTP_PROXY", await deadProxy());
    await expect(sourceOf(remote())).rejects.toThrow(ConnectionError);
  });

  it.each(["127.0.0.1", "localhost"])("is never asked for this machine itself (%s)", async (host) => {
    const service = await startService();
    const proxy = await startProxy(service);
    vi.stubEnv("HTTP_PROXY", proxy.address);
    expect(await sourceOf(clientOf(`http://${host}:${service.port}`))).toBe("network");
    expect(proxy.asked()).toEqual([]);
  });

  it("carries one origin's requests and leaves another's alone, in one client's siblings", async () => {
    const service = await startService();
    const proxy = await startProxy(service);
    vi.stubEnv("HTTP_PROXY", proxy.address);
    const far = remote();
    const near = far.with({ baseUrl: service.origin });
    await sourceOf(near);
    expect(proxy.asked()).toEqual([]);
    await sourceOf(far);
    expect(proxy.asked()).toEqual(["service.test:80"]);
  });

  it("carries an address of this machine that is not loopback by name", async () => {
    const service = await startService();
    const proxy = await startProxy(service);
    vi.stubEnv("HTTP_PROXY", proxy.address);
    await sourceOf(remote(`${anyAddress}:${service.port}`));
    expect(proxy.asked()).toEqual([`${anyAddress}:${service.port}`]);
  });

  it.each([
    ["NO_PROXY", () => anyAddress],
    ["no_proxy", () => `example.com, ${anyAddress}`],
    ["NO_PROXY", () => "*"],
    ["NO_PROXY", (port: number) => `${anyAddress}:${port}`],
  ])("is passed by for what %s names (%#)", async (name, hosts) => {
    const service = await startService();
    const proxy = await startProxy(service);
    vi.stubEnv("HTTP_PROXY", proxy.address);
    vi.stubEnv(name, hosts(service.port));
    expect(await sourceOf(remote(`${anyAddress}:${service.port}`))).toBe("network");
    expect(proxy.asked()).toEqual([]);
  });

  it.each(["example.com", `${anyAddress}:1`, "ervice.test"])(
    "is not passed by for what NO_PROXY does not name (%s)",
    async (hosts) => {
      const service = await startService();
      const proxy = await startProxy(service);
      vi.stubEnv("HTTP_PROXY", proxy.address);
      vi.stubEnv("NO_PROXY", hosts);
      await sourceOf(remote());
      expect(proxy.asked()).toEqual(["service.test:80"]);
    },
  );

  it("is that of the lower-case name where both are set", async () => {
    const service = await startService();
    const proxy = await startProxy(service);
    vi.stubEnv("HTTP_PROXY", await deadProxy());
    vi.stubEnv("http_proxy", proxy.address);
    vi.stubEnv("NO_PROXY", "service.test");
    vi.stubEnv("no_proxy", "example.com");
    await sourceOf(remote());
    expect(proxy.asked()).toEqual(["service.test:80"]);
  });

  it("is not for http: where only HTTPS_PROXY is set", async () => {
    const service = await startService();
    const proxy = await startProxy(service);
    vi.stubEnv("HTTPS_PROXY", proxy.address);
    await sourceOf(remote(`${anyAddress}:${service.port}`));
    expect(proxy.asked()).toEqual([]);
  });

  it.each(["HTTPS_PROXY", "HTTP_PROXY"])("in %s is asked for https:", async (name) => {
    const proxy = await startProxy(await startService(), 502);
    vi.stubEnv(name, proxy.address);
    await expect(sourceOf(clientOf("https://service.test"))).rejects.toThrow(ConnectionError);
    expect(proxy.asked()).toEqual(["service.test:443"]);
  });

  it.each([
    `http://user:${password}@:no-port`,
    `user:${password}@127.0.0.1`,
    `http://user:${password}@127.0.0.1:99999`,
    `ftp://user:${password}@127.0.0.1`,
    `${password}.test:3128`,
  ])("that is no address of a proxy is a ConfigurationError without that address (%#)", async (address) => {
    vi.stubEnv("HTTP_PROXY", address);
    const client = remote();
    const error = await sourceOf(client).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("HTTP_PROXY");
    expect(`${inspect(error, { depth: 10 })}${JSON.stringify(error)}`).not.toContain(password);
    // Said again at the next call, and no obstacle to an end.
    await expect(sourceOf(client)).rejects.toThrow(ConfigurationError);
    // Nor for a call after it was mended.
    const proxy = await startProxy(await startService());
    vi.stubEnv("HTTP_PROXY", proxy.address);
    expect(await sourceOf(client)).toBe("network");
    await client.close();
  });
});
