import { inspect } from "node:util";
import { type ClientOptions, ConnectionError, TemplatePdfError } from "template-pdf";
import { type Dispatcher, ProxyAgent, fetch as undiciFetch } from "undici";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { makeAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { turn } from "../transport/server.ts";
import { clientOf, sourceOf, startService } from "../transport/service.ts";
import { runChild, temporaryFile, writeChild } from "./child.ts";
import { type ForwardProxy, type ProxySettings, startProxy } from "./proxy.ts";
import { startTlsService } from "./tls-service.ts";

const credentials = "user:pass/w%rd of the proxy";
const inUrl = credentials.split(":").map(encodeURIComponent).join(":");
const key = "key-of-the-tests";
const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** How a caller leads its requests to a proxy. */
interface Way {
  readonly way: string;
  readonly options: (proxy: string, requestTls?: { ca: string }) => ClientOptions;
}

const ways: readonly Way[] = [
  {
    way: "the environment",
    options: (proxy) => {
      vi.stubEnv("HTTP_PROXY", proxy);
      return {};
    },
  },
  { way: "a dispatcher", options: (uri, requestTls) => ({ dispatcher: agent(uri, requestTls) }) },
  {
    way: "a fetch",
    options: (uri, requestTls) => {
      const dispatcher = agent(uri, requestTls);
      // biome-ignore lint/suspicious/noExplicitAny: the fetch of the package undici, whose types are not the DOM's.
      const fetch: any = (url: string, init: object) => undiciFetch(url, { ...init, dispatcher });
      return { fetch };
    },
  },
];

function agent(uri: string, requestTls?: { ca: string }): Dispatcher {
  const dispatcher = new ProxyAgent({ uri, ...(requestTls && { requestTls }) });
  onTestFinished(() => dispatcher.destroy());
  return dispatcher;
}

const by = (proxy: ForwardProxy, userInfo = "") =>
  proxy.origin.replace("//", `//${userInfo && `${userInfo}@`}`);
const remote = (options: ClientOptions, host = "service.test") =>
  clientOf(`http://${host}`, { allowInsecureHttp: true, ...options });

async function start(settings: Partial<ProxySettings> = {}) {
  const service = await startService();
  const proxy = await startProxy({ hosts: { "service.test:80": service.port }, ...settings });
  return { service, proxy };
}

describe.each(ways)("a proxy, by $way,", ({ options }) => {
  it("resolves the name, and carries one tunnel for all requests", async () => {
    const { proxy, service } = await start();
    const client = remote(options(by(proxy)));
    for (let round = 0; round < 3; round++) {
      expect(await sourceOf(client)).toBe("network");
      await turn();
    }
    expect(proxy.heard.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "CONNECT service.test:80",
    ]);
    expect(service.allSockets).toBe(1);
  });

  it("gets its user and password, decoded, and the service gets neither", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const port = Number(new URL(service.baseUrl).port);
    const proxy = await startProxy({ hosts: { "service.test:80": port }, credentials });
    await remote(options(by(proxy, inUrl)))
      .generate("inv_2024", {})
      .bytes();
    expect(service.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
    expect(service.requests[0]?.headers.authorization).toBe(`API-Key ${key}`);
  });

  it("is not told the key, the template or the values when it is asked for a tunnel", async () => {
    const { proxy } = await start();
    await sourceOf(remote(options(by(proxy))));
    expect(proxy.heard).toHaveLength(1);
    expect(inspect(proxy.heard, { depth: 5 })).not.toMatch(/key-of-the-tests|inv_2024|1,000,000/);
  });

  const refusals: [string, Partial<ProxySettings>, string?][] = [
    ["wants a password (407)", { credentials }],
    ["wants another password (407)", { credentials }, "user:canary-of-the-password"],
    ["forbids it (403)", { refusal: "HTTP/1.1 403 Forbidden\r\n\r\n" }],
    ["does not reach it (502)", { hosts: {} }],
    ["answers with a page (502)", { refusal: "HTTP/1.1 502 Bad\r\ncontent-length: 4\r\n\r\n<h1>" }],
    ["speaks no HTTP", { refusal: "SSH-2.0-OpenSSH_9.2\r\n\r\n" }],
  ];

  it.each(refusals)(
    "that %s is a ConnectionError, which holds no password",
    async (_what, settings, user) => {
      const { proxy, service } = await start(settings);
      const error = await rejectionOf(sourceOf(remote(options(by(proxy, user)))));
      expect(error).toBeInstanceOf(ConnectionError);
      const printed = `${inspect(error, { depth: 10, showHidden: true })}${JSON.stringify(error)}`;
      expect(printed).not.toMatch(/canary-of-the-password|key-of-the-tests/);
      if (user) expect(printed).not.toContain(Buffer.from(user).toString("base64"));
      expect(service.allSockets).toBe(0);
    },
  );

  it("that says nothing is left when the caller has had enough", async () => {
    const { proxy } = await start({ hangs: true });
    const controller = new AbortController();
    const pending = remote(options(by(proxy))).generate("inv_2024", {}, { signal: controller.signal });
    const failed = rejectionOf(pending.bytes());
    await proxy.connected;
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await failed).toBe(reason);
    proxy.cut();
  });

  it("that breaks in the middle of a document leaves nobody with half of it", async () => {
    const service = await Service.start(({ response }) => {
      response.writeHead(200, { "content-length": 100_000 });
      response.write(pdfOf(50_000));
    });
    const proxy = await startProxy({ hosts: { "service.test:80": Number(new URL(service.baseUrl).port) } });
    const document = await remote(options(by(proxy))).generate("inv_2024", {});
    proxy.cut();
    const error = await rejectionOf(document.bytes());
    expect(TemplatePdfError.is(error) && error.code).toBe("truncated_pdf");
  });

  it("that breaks between two documents is asked for another tunnel", async () => {
    const { proxy } = await start();
    const client = remote(options(by(proxy)));
    await sourceOf(client);
    proxy.cut();
    await eventually(() => proxy.openSockets() === 0);
    // The client hears of the end in a later turn; a call within that one fails, as on any dead socket.
    await eventually(async () => (await sourceOf(client)) === "network");
    expect(proxy.heard.length).toBeGreaterThan(1);
  });
});

describe("a proxy of the environment that never answers", () => {
  const environment = ways[0] as Way;

  it("is left when the caller has had enough, and does not keep the client from closing", async () => {
    const { proxy } = await start({ hangs: true });
    const client = remote(environment.options(by(proxy)));
    const controller = new AbortController();
    const failed = rejectionOf(client.generate("inv_2024", {}, { signal: controller.signal }).bytes());
    await proxy.connected;
    controller.abort(new Error("enough"));
    await failed;
    await eventually(() => proxy.openSockets() === 0);
    await client.close();
  });

  it("is a TimeoutError of connecting, try by try", async () => {
    const { proxy, service } = await start({ hangs: true });
    const client = remote({
      ...environment.options(by(proxy)),
      timeouts: { connect: 200 },
      retry: { limit: 1, mayRenderTwice: false },
    });
    const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
    expect(error).toMatchObject({ code: "timeout", phase: "connect", limitMs: 200, attempts: 2 });
    expect(proxy.heard.map(({ target }) => target)).toEqual(["service.test:80", "service.test:80"]);
    expect(service.allSockets).toBe(0);
    await eventually(() => proxy.openSockets() === 0);
    await client.close();
  });
});

describe("a proxy that forwards requests instead of tunnels", () => {
  const dispatcher = (uri: string) => {
    const own = new ProxyAgent({ uri, proxyTunnel: false });
    onTestFinished(() => own.destroy());
    return own;
  };

  it("is the caller's own choice, by a dispatcher", async () => {
    const { proxy } = await start({ credentials });
    expect(await sourceOf(remote({ dispatcher: dispatcher(by(proxy, inUrl)) }))).toBe("network");
    const [{ method, target } = { method: "", target: "" }] = proxy.heard;
    expect(`${method} ${target}`).toBe("POST http://service.test/api/v1/templates/inv_2024/generate-sync");
  });

  it("answers for the service what went wrong, which is then an ApiError", async () => {
    const { proxy } = await start({ hosts: {} });
    const error = await rejectionOf(sourceOf(remote({ dispatcher: dispatcher(proxy.origin) })));
    expect(error).toMatchObject({ code: "server_error", status: 502 });
  });
});

describe("a service behind TLS and a proxy", () => {
  const authority = makeAuthority();

  it.each(ways.slice(1))("sees the key, and the proxy does not, by $way", async ({ options }) => {
    const service = await startTlsService(authority.issue(["service.test"]));
    const proxy = await startProxy({ hosts: { "service.test:443": service.port } });
    const client = clientOf("https://service.test", options(proxy.origin, { ca: authority.cert }));
    expect(await sourceOf(client)).toBe("tls");
    expect(proxy.heard.map(({ target }) => target)).toEqual(["service.test:443"]);
    expect(service.keys).toEqual([`API-Key ${key}`]);
    expect(inspect(proxy.heard, { depth: 5 }) + proxy.passed()).not.toMatch(/key-of-the-tests|inv_2024/);
  });

  const script = `
    const [baseUrl] = argv;
    const pdfs = new TemplatePdf({ baseUrl, apiKey: "${key}" });
    const got = await pdfs.generate("inv_2024", {}).buffer().catch((error) => error);
    console.log(JSON.stringify({ transport: pdfs.transport, code: got.code, text: got.toString("latin1") }));
    await pdfs.close();`;

  it("is reached by HTTPS_PROXY and NODE_EXTRA_CA_CERTS alone", async () => {
    const service = await startTlsService(authority.issue(["service.test"]));
    const proxy = await startProxy({ hosts: { "service.test:443": service.port }, credentials });
    const child = await writeChild(script);
    const trust = { NODE_EXTRA_CA_CERTS: await temporaryFile("authority.pem", authority.cert) };
    const environment = { ...trust, HTTPS_PROXY: by(proxy, inUrl) };
    const got = await runChild(child, ["https://service.test"], environment);
    expect(got).toMatchObject({ transport: "undici", text: expect.stringContaining("tls") });
    expect(service.keys).toEqual([`API-Key ${key}`]);
    expect(proxy.heard.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "CONNECT service.test:443",
    ]);
    expect(inspect(proxy.heard, { depth: 5 }) + proxy.passed()).not.toMatch(/key-of-the-tests|inv_2024/);
  });

  it("is reached by a proxy that is behind TLS itself", async () => {
    const service = await startTlsService(authority.issue(["service.test"]));
    const tls = authority.issue(["127.0.0.1"]);
    const proxy = await startProxy({ hosts: { "service.test:443": service.port }, credentials, tls });
    const environment = {
      NODE_EXTRA_CA_CERTS: await temporaryFile("authority.pem", authority.cert),
      HTTPS_PROXY: by(proxy, inUrl),
    };
    const got = await runChild(await writeChild(script), ["https://service.test"], environment);
    expect(got).toMatchObject({ text: expect.stringContaining("tls") });
    expect(proxy.heard).toHaveLength(1);
  });

  it("is not reached by a proxy that puts another certificate in its place", async () => {
    const impostor = await startTlsService(makeAuthority("Impostor").issue(["service.test"]));
    const proxy = await startProxy({ hosts: { "service.test:443": impostor.port } });
    for (const { options } of ways.slice(1)) {
      const client = clientOf("https://service.test", options(proxy.origin, { ca: authority.cert }));
      await expect(sourceOf(client)).rejects.toThrow(ConnectionError);
    }
    expect(impostor.keys).toEqual([]);
  });
});
