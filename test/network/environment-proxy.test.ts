import { inspect } from "node:util";
import fc from "fast-check";
import { type ClientOptions, ConfigurationError, ConnectionError } from "template-pdf";
import { Dispatcher, EnvHttpProxyAgent } from "undici";
import { describe, expect, it, vi } from "vitest";
import { fetchTransport } from "../../src/transport/fetch.ts";
import { environmentProxy } from "../../src/transport/proxies.ts";
import type { FetchLike } from "../../src/transport/transport.ts";
import { withoutBackOff } from "../client/timing.ts";
import { property } from "../support/fuzz.ts";
import { clientOf, rejectionOf, sourceOf, startService } from "../support/service.ts";
import { closedOrigin } from "../support/sockets.ts";
import { settle } from "../transport/recorder.ts";
import { clearProxyVariables, type ProxySettings, startProxy } from "./proxy.ts";

clearProxyVariables();

const password = "canary-of-the-password";
const inBase64 = btoa(`user:${password}`);
/** Reaches this machine, although its name is not a loopback address. */
const any = "0.0.0.0";

/** Starts a service, a proxy that resolves a host name to the service, and a client for that name. */
async function start(settings: Partial<ProxySettings> = {}, name = "service.test") {
  const service = await startService();
  const host = name === "service.test" ? name : `${name}:${service.port}`;
  const target = name === "service.test" ? "service.test:80" : host;
  const proxy = await startProxy({ hosts: { [target]: service.port }, ...settings });
  const client = clientOf(`http://${host}`, { allowInsecureHttp: true });
  return { service, proxy, client, targets: () => proxy.received.map(({ target }) => target), target };
}

const byUser = (port: number) => `http://user:${password}@127.0.0.1:${port}`;

describe("a proxy from the environment", () => {
  it.each<[variables: Record<string, string>, host: string, "via a proxy" | "directly"]>([
    [{ HTTP_PROXY: "<dead>", http_proxy: "<proxy>" }, "service.test", "via a proxy"],
    [{ HTTPS_PROXY: "<proxy>" }, any, "directly"],
    [{ HTTP_PROXY: "<proxy>", NO_PROXY: any }, any, "directly"],
    [{ HTTP_PROXY: "<proxy>", no_proxy: `example.com, ${any}` }, any, "directly"],
    [{ HTTP_PROXY: "<proxy>", NO_PROXY: "service.test", no_proxy: "a.test" }, "service.test", "via a proxy"],
  ])("is determined by %j: requests to %s are sent %s", async (variables, host, way) => {
    // Every 2xx status opens a tunnel.
    const success = "HTTP/1.1 204 No Content\r\n\r\n";
    const { proxy, client, targets, target } = await start({ success }, host);
    const places = { "<proxy>": proxy.origin, "<dead>": await closedOrigin() };
    for (const [name, value] of Object.entries(variables)) {
      vi.stubEnv(name, places[value as keyof typeof places] ?? value);
    }
    expect({ transport: client.transport, source: await sourceOf(client) }).toEqual({
      transport: "undici",
      source: "network",
    });
    expect(targets()).toEqual(way === "directly" ? [] : [target]);
  });

  it.each(["HTTPS_PROXY", "HTTP_PROXY"])("is used for an https: service if it is set in %s", async (name) => {
    const { proxy, targets } = await start();
    vi.stubEnv(name, proxy.origin);
    await expect(sourceOf(clientOf("https://service.test"))).rejects.toThrow(ConnectionError);
    expect(targets()).toEqual(["service.test:443"]);
  });

  interface FailingProxy {
    proxySettings: Partial<ProxySettings>;
    expected: { message: RegExp; attempts: number };
  }

  it.each(
    Object.entries<FailingProxy>({
      "expects a different password": {
        proxySettings: { credentials: "user:right" },
        expected: {
          message: /responded with 407 to CONNECT service.test:80\)\. The proxy rejects the user name or/,
          attempts: 1,
        },
      },
      "supports only Negotiate": {
        proxySettings: { refusal: "HTTP/1.1 407 No\r\nproxy-authenticate: Negotiate\r\n\r\n" },
        expected: { message: /does not support Basic authentication.*NO_PROXY/, attempts: 1 },
      },
      "does not allow the host": {
        proxySettings: { refusal: "HTTP/1.1 403 Forbidden\r\n\r\n" },
        expected: { message: /responded with 403 to CONNECT service.test:80.*Ask its operator/, attempts: 1 },
      },
      "is no proxy": {
        proxySettings: { refusal: "HTTP/1.1 405 Method Not Allowed\r\n\r\n" },
        expected: { message: /responded with 405.*may not be a proxy/, attempts: 1 },
      },
      "cannot reach the service": {
        proxySettings: { hosts: {} },
        expected: { message: /responded with 502.*NO_PROXY/, attempts: 2 },
      },
      "echoes the credentials": {
        proxySettings: { refusal: `${password} ${inBase64}\r\n\r\n` },
        expected: { message: /failed: .*NO_PROXY/, attempts: 2 },
      },
      "responds with a redirect": {
        proxySettings: { refusal: "HTTP/1.1 300 Multiple Choices\r\n\r\n" },
        expected: { message: /responded with 300/, attempts: 2 },
      },
      "closes the connection": {
        proxySettings: { refusal: "\r\n" },
        expected: { message: /failed: socket hang up.*NO_PROXY/, attempts: 2 },
      },
    }),
  )(
    "causes an error that does not contain the password if the proxy %s",
    async (_, { proxySettings, expected }) => {
      const { proxy, client } = await start(proxySettings);
      vi.stubEnv("HTTP_PROXY", byUser(proxy.port));
      withoutBackOff();
      const error = await rejectionOf(sourceOf(client.with({ retry: { limit: 1, mayRenderTwice: false } })));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(String(error)).toMatch(expected.message);
      expect(String(error)).toContain("Could not reach http://service.test");
      expect(String(error)).toContain(`the proxy at ${proxy.origin} `);
      const shown = inspect(error, { depth: 10, showHidden: true });
      expect(shown).not.toContain(password);
      expect(shown).not.toContain(inBase64);
      await settle(fetchTransport(() => globalThis.fetch as FetchLike, undefined));
      expect(proxy.received).toHaveLength(expected.attempts);
      await client.close();
    },
  );

  it("is named, without its password, if it does not respond in time", async () => {
    const { proxy, client } = await start({ hangs: true });
    vi.stubEnv("HTTP_PROXY", byUser(proxy.port));
    const hurried = client.with({ retry: false, timeouts: { connect: 50 } });
    expect(String(await rejectionOf(sourceOf(hurried)))).toContain(
      `Could not reach http://service.test for template "inv_2024" through the proxy at ${proxy.origin} within 50 ms (\`timeouts.connect\`). Check HTTP_PROXY, HTTPS_PROXY and the network.`,
    );
    await client.close();
  });

  it.each([
    `http://user:${password}@:no-port`,
    `http://user:%${password}@127.0.0.1`,
    `${password}.test:3128`,
    "proxy.example.com",
    "http://",
    `${password}://proxy.example.com`,
  ])("is rejected without showing the password if its address is invalid (row %#)", async (address) => {
    const { proxy, client } = await start();
    vi.stubEnv("HTTP_PROXY", address);
    const error = await rejectionOf(sourceOf(client));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain(
      "HTTP_PROXY is not a valid proxy address. Use a proxy with http:// or https://",
    );
    expect(`${inspect(error, { depth: 10 })}${JSON.stringify(error)}`).not.toContain(password);
    await expect(sourceOf(client)).rejects.toThrow(ConfigurationError);
    expect(() => client.with({})).toThrow(ConfigurationError);
    vi.stubEnv("HTTP_PROXY", proxy.origin);
    expect(await sourceOf(client)).toBe("network");
    await client.close();
  });

  it.each(["socks", "socks4", "socks4a", "socks5", "SOCKS5", "socks5h", "ftp", "quic"])(
    "is rejected when the client is created if its address has the scheme %s://",
    (scheme) => {
      for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]) {
        vi.stubEnv(name, `${scheme}://user:${password}@127.0.0.1:1080`);
        const create = () => clientOf("https://service.test");
        expect(create).toThrow(ConfigurationError);
        expect(create).toThrow(
          `${name} has the scheme ${scheme.toLowerCase()}://, which is not supported. Use a proxy with http:// or https://`,
        );
        expect(create).not.toThrow(password);
        expect(() =>
          clientOf("https://other.test", { fetch: globalThis.fetch as FetchLike }).with({}),
        ).not.toThrow();
        vi.stubEnv(name, undefined);
      }
    },
  );

  const socks = "socks5://127.0.0.1:1080";
  const dispatcher = { dispatch: () => true };
  it.each<[Record<string, string>, string, ClientOptions?]>([
    [{ HTTPS_PROXY: socks, NO_PROXY: "service.test" }, "https://service.test"],
    [{ HTTPS_PROXY: socks, NO_PROXY: "*" }, "https://service.test"],
    [{ HTTPS_PROXY: socks, NO_PROXY: ".example.com:8443" }, "https://pdf.example.com:8443"],
    [{ HTTPS_PROXY: socks, HTTP_PROXY: socks }, "http://127.0.0.1:8080"],
    [{ HTTPS_PROXY: socks, HTTP_PROXY: socks }, "http://localhost:8080"],
    [{ HTTPS_PROXY: socks }, "http://service.test"],
    [{ HTTP_PROXY: socks, HTTPS_PROXY: "http://127.0.0.1:1" }, "https://service.test"],
    [{ HTTPS_PROXY: socks, https_proxy: "" }, "https://service.test"],
    [{ ALL_PROXY: socks, all_proxy: socks }, "https://service.test"],
    [{ HTTPS_PROXY: socks }, "https://service.test", { dispatcher }],
    [{ HTTPS_PROXY: socks }, "https://service.test", { fetch: async () => new Response() }],
  ])("that is not used is not checked: %j for %s", (variables, baseUrl, options) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    expect(() => clientOf(baseUrl, { allowInsecureHttp: true, ...options })).not.toThrow();
  });

  it("is checked for the base URL of a derived client", () => {
    vi.stubEnv("HTTP_PROXY", socks);
    const client = clientOf("http://127.0.0.1", { allowInsecureHttp: true });
    expect(() => client.with({ baseUrl: "http://service.test" })).toThrow(
      "HTTP_PROXY has the scheme socks5://",
    );
  });
});

describe("NO_PROXY", () => {
  const hosts = ["a.test", "b.a.test", "ba.test", "example.com", "8.8.8.8", "[2001:db8::1]"];
  const ports = ["", ":8080", ":443", ":80", ":0"];
  const entry = fc
    .tuple(
      fc.constantFrom("", ".", "*.", "*"),
      fc.constantFrom(...hosts, "test", "A.TEST", ""),
      fc.constantFrom(...ports),
    )
    .map((parts) => parts.join(""));
  const lists = fc
    .array(fc.oneof(entry, fc.constant("*"), fc.string({ maxLength: 6 })), { maxLength: 4 })
    .chain((entries) => fc.constantFrom(",", " ", ", ", "\n").map((separator) => entries.join(separator)))
    .filter((list) => !list.includes("\0"));
  const origins = fc
    .tuple(fc.constantFrom("http", "https"), fc.constantFrom(...hosts), fc.constantFrom("", ":8080", ":443"))
    .map(([scheme, host, port]) => new URL(`${scheme}://${host}${port}`).origin);

  property(
    "excludes the same origins as in undici",
    (saw) =>
      fc.property(lists, origins, (list, origin) => {
        vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1");
        vi.stubEnv("NO_PROXY", list);
        const isProxied = isProxiedByUndici(origin, list);
        saw(isProxied ? "proxied" : "excluded");
        expect(environmentProxy(origin) !== undefined).toBe(isProxied);
      }),
    { outcomes: ["proxied", "excluded"] },
  );
});

describe("an IPv6 address in NO_PROXY", () => {
  const service = "https://[2001:db8::1]";
  it.each<[entry: string, origin: string, isExcluded: boolean]>([
    ["2001:db8::1", service, true],
    ["[2001:db8::1]", service, true],
    ["2001:DB8:0:0:0:0:0:1", service, true],
    ["2001:0db8:0000:0000:0000:0000:0000:0001", service, true],
    ["[2001:0db8::0001]:443", service, true],
    ["[2001:db8::1]:8443", service, false],
    ["[2001:db8::1]:8443", `${service}:8443`, true],
    ["2001:db8::2, 2001:db8::1", service, true],
    ["fe80::1%eth0", "http://[fe80::1]", true],
    ["[fe80::1%25eth0]:80", "http://[fe80::1]", true],
    ["::ffff:192.0.2.1", "http://[::ffff:c000:201]", true],
    // These are other addresses.
    ["2001:db8::", service, false],
    ["2001:db8::1:443", service, false],
    ["2001:db8::/32", service, false],
    ["db8::1", service, false],
    ["[::", service, false],
  ])("%s, for %s, excludes it: %s", (entry, origin, isExcluded) => {
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1");
    vi.stubEnv("NO_PROXY", entry);
    expect(environmentProxy(origin) === undefined).toBe(isExcluded);
  });

  it("is not needed for this machine", () => {
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1");
    expect(environmentProxy("http://[::1]:8080")).toBeUndefined();
  });
});

/** Asks undici, which has an agent for requests without a proxy. */
function isProxiedByUndici(origin: string, noProxy: string): boolean {
  const proxy = "http://127.0.0.1:1";
  const agent = new EnvHttpProxyAgent({ httpProxy: proxy, httpsProxy: proxy, noProxy });
  const used: string[] = [];
  for (const symbol of Object.getOwnPropertySymbols(agent)) {
    const inner: unknown = (agent as unknown as Record<symbol, unknown>)[symbol];
    if (!(inner instanceof Dispatcher)) continue;
    inner.dispatch = () => used.push(String(symbol.description)) > 0;
  }
  agent.dispatch({ origin, path: "/", method: "GET" }, { onRequestStart: () => {} });
  expect(used).toHaveLength(1);
  return used[0] !== "no proxy agent";
}
