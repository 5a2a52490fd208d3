import { inspect } from "node:util";
import { type ClientOptions, ConnectionError } from "template-pdf";
import { ProxyAgent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, rejectionOf, sourceOf, startService } from "../support/service.ts";
import { turn } from "../support/sockets.ts";
import { runChild, temporaryFile } from "./child.ts";
import { clearProxyVariables, type ForwardProxy, type ProxySettings, startProxy } from "./proxy.ts";

clearProxyVariables();

const credentials = "user:pass/w%rd of the proxy";
const inUrl = credentials.split(":").map(encodeURIComponent).join(":");
const secrets = /key-of-the-tests|inv_2024|1,000,000/;

const by = (proxy: ForwardProxy, userInfo = "") =>
  proxy.origin.replace("//", `//${userInfo && `${userInfo}@`}`);
const remote = (options: ClientOptions = {}) =>
  clientOf("http://service.test", { allowInsecureHttp: true, ...options });

async function start(settings: Partial<ProxySettings> = {}, userInfo = "") {
  const service = await startService();
  const proxy = await startProxy({ hosts: { "service.test:80": service.port }, ...settings });
  vi.stubEnv("HTTP_PROXY", by(proxy, userInfo));
  return { service, proxy };
}

describe("a proxy from the environment", () => {
  it("resolves the host name and carries all requests in one tunnel", async () => {
    const { proxy, service } = await start({ credentials }, inUrl);
    const client = remote();
    for (let round = 0; round < 3; round++) {
      expect(await sourceOf(client)).toBe("network");
      await turn();
    }
    const requests = proxy.received.map(({ method, target }) => `${method} ${target}`);
    expect(requests).toEqual(["CONNECT service.test:80"]);
    expect(inspect(proxy.received, { depth: 5 })).not.toMatch(secrets);
    expect(service.allConnections).toBe(1);
    expect(service.keys[0]).toBe("API-Key key-of-the-tests");
    expect(service.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  it("is disconnected when the caller aborts before the proxy responds", async () => {
    const { proxy } = await start({ hangs: true });
    const controller = new AbortController();
    const failed = rejectionOf(remote().generate("inv_2024", {}, { signal: controller.signal }).bytes());
    await proxy.connected;
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await failed).toBe(reason);
    await eventually(() => proxy.openSockets() === 0);
  });

  it("receives a request for a new tunnel if it disconnects between two documents", async () => {
    const { proxy } = await start();
    const client = remote();
    await sourceOf(client);
    proxy.cut();
    await eventually(() => proxy.openSockets() === 0);
    // The client notices the end in a later turn of the event loop. A call before that fails, as on any dead socket.
    await eventually(async () => (await sourceOf(client).catch(() => "")) === "network");
    expect(proxy.received.length).toBeGreaterThan(1);
  });

  it("causes a TimeoutError in the connect phase if it never responds", async () => {
    const { proxy, service } = await start({ hangs: true });
    const client = remote({ timeouts: { connect: 200 }, retry: { limit: 1, mayRenderTwice: false } });
    const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
    expect(error).toMatchObject({ code: "timeout", phase: "connect", limitMs: 200, attempts: 2 });
    expect(proxy.received.map(({ target }) => target)).toEqual(["service.test:80", "service.test:80"]);
    expect(service.allConnections).toBe(0);
    await eventually(() => proxy.openSockets() === 0);
  });
});

it("the error for a rejected proxy password contains neither the password nor the API key", async () => {
  const { proxy, service } = await start({ credentials });
  const dispatcher = new ProxyAgent({ uri: by(proxy, "user:canary-of-the-password") });
  onTestFinished(() => dispatcher.destroy());
  const error = await rejectionOf(sourceOf(remote({ dispatcher })));
  expect(error).toBeInstanceOf(ConnectionError);
  const printed = `${inspect(error, { depth: 10, showHidden: true })}${JSON.stringify(error)}`;
  expect(printed).not.toMatch(/canary-of-the-password|key-of-the-tests/);
  expect(printed).not.toContain(btoa("user:canary-of-the-password"));
  expect(service.allConnections).toBe(0);
});

it("NODE_EXTRA_CA_CERTS and HTTPS_PROXY are sufficient to reach a service and a proxy over TLS", async () => {
  const authority = makeAuthority();
  const script = `
    const results = [];
    for (const baseUrl of argv) {
      const pdfs = new TemplatePdf({ baseUrl, apiKey: "key-of-the-tests" });
      const got = await pdfs.generate("inv_2024", {}).buffer().catch((error) => error);
      results.push([pdfs.transport, got.toString("latin1")]);
      await pdfs.close();
    }
    console.log(JSON.stringify(results));`;
  const service = await startService(authority.issue(["127.0.0.1", "service.test"]));
  const hosts = { "service.test:443": service.port };
  const proxy = await startProxy({ hosts, credentials, tls: authority.issue(["127.0.0.1"]) });
  const got = await runChild(script, [service.baseUrl, "https://service.test"], {
    NODE_EXTRA_CA_CERTS: await temporaryFile("authority.pem", authority.cert),
    HTTPS_PROXY: by(proxy, inUrl),
  });
  const expected = ["undici", expect.stringContaining("tls")];
  expect(got).toEqual([expected, expected]);
  expect(service.keys).toEqual(["API-Key key-of-the-tests", "API-Key key-of-the-tests"]);
  expect(proxy.received.map(({ target }) => target)).toEqual(["service.test:443"]);
  expect(inspect(proxy.received, { depth: 5 })).not.toMatch(secrets);
});
