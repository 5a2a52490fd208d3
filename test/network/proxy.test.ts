import { inspect } from "node:util";
import { type ClientOptions, ConnectionError } from "template-pdf";
import { type Dispatcher, ProxyAgent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, pdfOf, rejectionOf, Service, sourceOf, startService } from "../support/service.ts";
import { turn } from "../support/sockets.ts";
import { runChild, temporaryFile, writeChild } from "./child.ts";
import { clearProxyVariables, type ForwardProxy, type ProxySettings, startProxy } from "./proxy.ts";

clearProxyVariables();

const credentials = "user:pass/w%rd of the proxy";
const inUrl = credentials.split(":").map(encodeURIComponent).join(":");
const secrets = /key-of-the-tests|inv_2024|1,000,000/;

/** The two ways to send requests through a proxy. */
const ways: readonly { readonly way: string; readonly options: (uri: string) => ClientOptions }[] = [
  {
    way: "the environment",
    options: (uri) => {
      vi.stubEnv("HTTP_PROXY", uri);
      return {};
    },
  },
  { way: "a dispatcher", options: (uri) => ({ dispatcher: agentOf({ uri }) }) },
];

function agentOf(options: ProxyAgent.Options): Dispatcher {
  const dispatcher = new ProxyAgent(options);
  onTestFinished(() => dispatcher.destroy());
  return dispatcher;
}

const by = (proxy: ForwardProxy, userInfo = "") =>
  proxy.origin.replace("//", `//${userInfo && `${userInfo}@`}`);
const remote = (options: ClientOptions) =>
  clientOf("http://service.test", { allowInsecureHttp: true, ...options });

async function start(settings: Partial<ProxySettings> = {}, service?: Service) {
  const target = service ?? (await startService());
  const proxy = await startProxy({ hosts: { "service.test:80": target.port }, ...settings });
  return { service: target, proxy };
}

describe.each(ways)("a proxy from $way", ({ way, options }) => {
  it("resolves the host name, and carries all requests in one tunnel without reading them", async () => {
    const { proxy, service } = await start({ credentials });
    const client = remote(options(by(proxy, inUrl)));
    for (let round = 0; round < 3; round++) {
      expect(await sourceOf(client)).toBe("network");
      await turn();
    }
    expect(proxy.heard.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "CONNECT service.test:80",
    ]);
    expect(inspect(proxy.heard, { depth: 5 })).not.toMatch(secrets);
    expect(service.allConnections).toBe(1);
    expect(service.keys[0]).toBe("API-Key key-of-the-tests");
    expect(service.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  it("that never responds is disconnected when the caller aborts", async () => {
    const { proxy } = await start({ hangs: true });
    const client = remote(options(by(proxy)));
    const controller = new AbortController();
    const failed = rejectionOf(client.generate("inv_2024", {}, { signal: controller.signal }).bytes());
    await proxy.connected;
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await failed).toBe(reason);
    // The caller owns the connections of a dispatcher.
    if (way !== "the environment") return proxy.cut();
    await eventually(() => proxy.openSockets() === 0);
    return client.close();
  });

  it("that disconnects in the middle of a document causes a TruncatedPdfError", async () => {
    const half = await Service.start(({ response }) => {
      response.writeHead(200, { "content-length": 100_000 });
      response.write(pdfOf(50_000));
    });
    const { proxy } = await start({}, half);
    const document = await remote(options(by(proxy))).generate("inv_2024", {});
    proxy.cut();
    expect(await rejectionOf(document.bytes())).toMatchObject({ code: "truncated_pdf" });
  });

  it("that disconnects between two documents receives a request for another tunnel", async () => {
    const { proxy } = await start();
    const client = remote(options(by(proxy)));
    await sourceOf(client);
    proxy.cut();
    await eventually(() => proxy.openSockets() === 0);
    // The client notices the end in a later turn of the event loop. A call before that fails, as on any dead socket.
    await eventually(async () => (await sourceOf(client).catch(() => "")) === "network");
    expect(proxy.heard.length).toBeGreaterThan(1);
  });
});

it("a proxy that refuses the password of a dispatcher causes a ConnectionError without the password or the key", async () => {
  const { proxy, service } = await start({ credentials });
  const uri = by(proxy, "user:canary-of-the-password");
  const error = await rejectionOf(sourceOf(remote({ dispatcher: agentOf({ uri }) })));
  expect(error).toBeInstanceOf(ConnectionError);
  const printed = `${inspect(error, { depth: 10, showHidden: true })}${JSON.stringify(error)}`;
  expect(printed).not.toMatch(/canary-of-the-password|key-of-the-tests/);
  expect(printed).not.toContain(btoa("user:canary-of-the-password"));
  expect(service.allConnections).toBe(0);
});

it("a proxy from the environment that never responds causes a TimeoutError in the connect phase at every attempt", async () => {
  const { proxy, service } = await start({ hangs: true });
  vi.stubEnv("HTTP_PROXY", proxy.origin);
  const client = remote({ timeouts: { connect: 200 }, retry: { limit: 1, mayRenderTwice: false } });
  const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
  expect(error).toMatchObject({ code: "timeout", phase: "connect", limitMs: 200, attempts: 2 });
  expect(proxy.heard.map(({ target }) => target)).toEqual(["service.test:80", "service.test:80"]);
  expect(service.allConnections).toBe(0);
  await eventually(() => proxy.openSockets() === 0);
  await client.close();
});

describe("a service behind TLS", () => {
  const authority = makeAuthority();

  it.each([
    ["", "127.0.0.1"],
    [" and a proxy in HTTPS_PROXY", "service.test"],
    [" and a proxy behind TLS in HTTPS_PROXY", "service.test"],
  ])("is reachable with only NODE_EXTRA_CA_CERTS%s set", async (way, host) => {
    const script = `
      const pdfs = new TemplatePdf({ baseUrl: argv[0], apiKey: "key-of-the-tests" });
      const got = await pdfs.generate("inv_2024", {}).buffer().catch((error) => error);
      console.log(JSON.stringify({ transport: pdfs.transport, code: got.code, text: got.toString("latin1") }));
      await pdfs.close();`;
    const service = await startService(authority.issue([host]));
    const tls = way.includes("TLS") ? { tls: authority.issue(["127.0.0.1"]) } : {};
    const proxy = await startProxy({ hosts: { "service.test:443": service.port }, credentials, ...tls });
    const baseUrl = way === "" ? service.baseUrl : `https://${host}`;
    const got = await runChild(await writeChild(script), [baseUrl], {
      NODE_EXTRA_CA_CERTS: await temporaryFile("authority.pem", authority.cert),
      HTTPS_PROXY: by(proxy, inUrl),
    });
    expect(got).toMatchObject({ transport: "undici", text: expect.stringContaining("tls") });
    expect(service.keys).toEqual(["API-Key key-of-the-tests"]);
    expect(proxy.heard.map(({ target }) => target)).toEqual(way === "" ? [] : ["service.test:443"]);
    expect(inspect(proxy.heard, { depth: 5 })).not.toMatch(secrets);
  });

  it("is not reachable through a proxy with another certificate", async () => {
    const impostor = await startService(makeAuthority("Impostor").issue(["service.test"]));
    const proxy = await startProxy({ hosts: { "service.test:443": impostor.port } });
    const dispatcher = agentOf({ uri: proxy.origin, requestTls: { ca: authority.cert } });
    const client = clientOf("https://service.test", { dispatcher });
    await expect(sourceOf(client)).rejects.toThrow(ConnectionError);
    expect(impostor.keys).toEqual([]);
  });
});
