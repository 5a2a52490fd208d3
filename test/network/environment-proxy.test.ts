import { inspect } from "node:util";
import { ConfigurationError, ConnectionError, TemplatePdf } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import type { FetchLike } from "../../src/transport/fetch.ts";
import { fetchTransport } from "../../src/transport/fetch.ts";
import { withoutBackOff } from "../client/timing.ts";
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
  return { service, proxy, client, targets: () => proxy.heard.map(({ target }) => target), target };
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
    expect([client.transport, await sourceOf(client)]).toEqual(["undici", "network"]);
    expect(targets()).toEqual(way === "directly" ? [] : [target]);
  });

  it.each(["127.0.0.1", "localhost", "localhost.", "x.localhost"])("is not used for %s", async (name) => {
    const { proxy, service } = await start();
    vi.stubEnv("HTTP_PROXY", proxy.origin);
    const client = clientOf(`http://${name}:${service.port}`, { allowInsecureHttp: true, retry: false });
    // Not every system resolves these names.
    await sourceOf(client).catch((error) => expect(error).toBeInstanceOf(ConnectionError));
    expect(proxy.heard).toEqual([]);
  });

  it.each(["HTTPS_PROXY", "HTTP_PROXY"])("is used for an https: service if it is set in %s", async (name) => {
    const { proxy, targets } = await start();
    vi.stubEnv(name, proxy.origin);
    await expect(sourceOf(clientOf("https://service.test"))).rejects.toThrow(ConnectionError);
    expect(targets()).toEqual(["service.test:443"]);
  });

  it.each<[string, Partial<ProxySettings>, RegExp, attempts?: number]>([
    ["expects a different password", { credentials: "user:right" }, /responded with 407.*user:password@/, 1],
    ["cannot reach the service", { hosts: {} }, /responded with 502.*NO_PROXY/],
    ["echoes the credentials", { refusal: `${password} ${inBase64}\r\n\r\n` }, /failed: .*NO_PROXY/],
    ["responds with a redirect", { refusal: "HTTP/1.1 300 Multiple Choices\r\n\r\n" }, /responded with 300/],
    ["closes the connection", { refusal: "\r\n" }, /failed: other side closed.*NO_PROXY/],
  ])(
    "causes an error that does not contain the password if the proxy %s",
    async (_what, settings, said, attempts = 2) => {
      const { proxy, client } = await start(settings);
      vi.stubEnv("HTTP_PROXY", byUser(proxy.port));
      withoutBackOff();
      const error = await rejectionOf(sourceOf(client.with({ retry: { limit: 1, mayRenderTwice: false } })));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(String(error)).toMatch(said);
      expect(String(error)).toContain("Could not reach http://service.test");
      expect(String(error)).toContain(`the proxy at ${proxy.origin} `);
      const shown = inspect(error, { depth: 10, showHidden: true });
      expect(shown).not.toContain(password);
      expect(shown).not.toContain(inBase64);
      await settle(fetchTransport(() => globalThis.fetch as FetchLike, undefined));
      expect(proxy.heard).toHaveLength(attempts);
      await client.close();
    },
  );

  it.each([`http://user:${password}@:no-port`, `ftp://user:${password}@127.0.0.1`, `${password}.test:3128`])(
    "causes an error that does not contain the password if the proxy's address is invalid (row %#)",
    async (address) => {
      const { proxy, client } = await start();
      vi.stubEnv("HTTP_PROXY", address);
      const error = await rejectionOf(sourceOf(client));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain("HTTP_PROXY");
      expect(`${inspect(error, { depth: 10 })}${JSON.stringify(error)}`).not.toContain(password);
      await expect(sourceOf(client)).rejects.toThrow(ConfigurationError);
      vi.stubEnv("HTTP_PROXY", proxy.origin);
      expect(await sourceOf(client)).toBe("network");
      await client.close();
    },
  );

  const created = (options: object) => () =>
    new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "k", ...options });

  it.each<[scheme: string, address: string]>([
    ["socks5://", `socks5://user:${password}@127.0.0.1:1080`],
    ["socks5h://", "SOCKS5H://127.0.0.1:1080"],
    ["socks4://", "socks4://127.0.0.1"],
    ["socks4a://", "socks4a://127.0.0.1"],
    ["socks://", "socks://127.0.0.1"],
    ["ftp://", "ftp://127.0.0.1"],
  ])("is refused when the client is created if its scheme is %s", (scheme, address) => {
    vi.stubEnv("HTTPS_PROXY", address);
    expect(created({})).toThrow(
      new ConfigurationError(
        `HTTPS_PROXY has the scheme ${scheme}, which is not supported. Use a proxy with http:// or https://, for example http://proxy.example.com:3128, or add the service to NO_PROXY.`,
      ),
    );
  });

  it.each(["proxy.example.com:3128", "//proxy", "http://", "%%%", `${password}://a`])(
    "is refused when the client is created if its address is malformed: %s",
    (address) => {
      vi.stubEnv("HTTP_PROXY", address);
      expect(created({})).toThrow(/^HTTP_PROXY is not a valid proxy address\. Use a proxy with http:/);
      expect(created({})).not.toThrow(password);
    },
  );

  it.each<[why: string, options: object, env?: Readonly<Record<string, string>>]>([
    ["the service is on this machine", { baseUrl: "http://127.0.0.1:1" }],
    ["NO_PROXY lists the service", {}, { NO_PROXY: "a.test,pdf.example.com" }],
    ["the caller passes `fetch`", { fetch: async () => new Response() }],
    ["the caller passes `dispatcher`", { dispatcher: { dispatch: () => true } }],
    ["another variable takes precedence", {}, { https_proxy: "http://127.0.0.1:9" }],
  ])("may have an unsupported scheme if %s", (_why, options, env = {}) => {
    vi.stubEnv("HTTPS_PROXY", "socks5://127.0.0.1:1080");
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(created(options)).not.toThrow();
  });
});
