import { createServer } from "node:http";
import { inspect } from "node:util";
import { ConnectionError } from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FetchLike } from "../../src/transport/fetch.ts";
import { fetchTransport } from "../../src/transport/fetch.ts";
import { rejectionOf } from "../support/service.ts";
import { open } from "../support/sockets.ts";
import { settle } from "../transport/server.ts";
import { clientOf, sourceOf, startService } from "../transport/service.ts";
import { type ProxySettings, startProxy } from "./proxy.ts";

const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
const password = "canary-of-the-password";

beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function start(settings: Partial<ProxySettings> = {}) {
  const service = await startService();
  const proxy = await startProxy({ hosts: { "service.test:80": service.port }, ...settings });
  vi.stubEnv("HTTP_PROXY", `http://user:${password}@127.0.0.1:${proxy.port}`);
  return { proxy, client: clientOf("http://service.test", { allowInsecureHttp: true }) };
}

describe("a proxy of the environment that fails", () => {
  const failures: [string, Partial<ProxySettings>, RegExp][] = [
    ["wants another password", { credentials: "user:right" }, /answered 407.*user:password@/],
    ["forbids it", { refusal: "HTTP/1.1 403 Forbidden\r\n\r\n" }, /answered 403.*NO_PROXY/],
    ["does not reach the service", { hosts: {} }, /answered 502.*NO_PROXY/],
    ["speaks no HTTP", { refusal: "SSH-2.0-OpenSSH_9.2\r\n\r\n" }, /failed: .*NO_PROXY/],
    [
      "repeats the credentials and speaks no HTTP",
      { refusal: `${password} ${btoa(`user:${password}`)}\r\n\r\n` },
      /failed: .*NO_PROXY/,
    ],
    ["hangs up", { refusal: "\r\n" }, /failed: other side closed.*NO_PROXY/],
    ["says 100 Continue", { refusal: "HTTP/1.1 100 Continue\r\n\r\n" }, /failed: bad response.*NO_PROXY/],
  ];

  it.each(failures)(
    "is named, without its password, and told what to do: it %s",
    async (_what, settings, said) => {
      const { client, proxy } = await start(settings);
      const error = await rejectionOf(sourceOf(client));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(String(error)).toMatch(said);
      expect(String(error)).toContain(`Could not reach the service at http://service.test`);
      expect(String(error)).toContain(`the proxy at ${proxy.origin} `);
      const shown = inspect(error, { depth: 10, showHidden: true });
      expect(shown).not.toContain(password);
      expect(shown).not.toContain(btoa(`user:${password}`));
    },
  );

  it.each(failures)("is asked once for one try, and left alone: it %s", async (_what, settings) => {
    const { client, proxy } = await start(settings);
    await rejectionOf(sourceOf(client));
    await settle(fetchTransport(() => globalThis.fetch as FetchLike, undefined));
    expect(proxy.heard).toHaveLength(1);
    await client.close();
  });

  it("is named where nobody listens", async () => {
    const gone = await open(createServer());
    await gone.close();
    vi.stubEnv("HTTP_PROXY", `http://user:${password}@127.0.0.1:${gone.port}`);
    const error = await rejectionOf(sourceOf(clientOf("http://service.test", { allowInsecureHttp: true })));
    expect(String(error)).toContain(`the proxy at ${gone.origin} failed: connect ECONNREFUSED`);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
  });

  it("opens its tunnel by any success", async () => {
    const service = await startService();
    const { client } = await start({
      hosts: { "service.test:80": service.port },
      success: "HTTP/1.1 204 No Content\r\n\r\n",
    });
    expect(await sourceOf(client)).toBe("network");
  });
});
