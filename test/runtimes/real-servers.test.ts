import { type ClientOptions, TemplatePdf } from "template-pdf";
import { ProxyAgent } from "undici";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type RealServer, type ServerName, startServer } from "./real-servers.ts";

const servers = new Map<ServerName, RealServer>();

beforeAll(async () => {
  const names: readonly ServerName[] = ["nginx", "apache2", "haproxy", "caddy", "squid"];
  await Promise.all(names.map(async (name) => servers.set(name, await startServer(name))));
}, 60_000);

afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()));
});

function portsOf(name: ServerName): RealServer {
  return servers.get(name) ?? expect.fail(`${name} is not running`);
}

/** Returns the message with which a call rejects. */
async function messageOf(options: ClientOptions, uid = "inv", values = {}): Promise<string> {
  const client = new TemplatePdf({ apiKey: "key-of-the-tests", retry: false, ...options });
  onTestFinished(() => client.close());
  return client
    .generate(uid, values)
    .bytes()
    .then(
      () => expect.fail("It is no document."),
      ({ message }: Error) => message,
    );
}

describe("the advice after a response of a real server", () => {
  it.each<[server: ServerName, path: string, advice: RegExp]>([
    [
      "nginx",
      "/denied",
      /page "403 Forbidden" of nginx\/1\S+, not a response of the service: check `baseUrl`, and any proxy/,
    ],
    ["nginx", "/moved", /Set `baseUrl` to "https:\/\/pdf\.example\.com\/v2"/],
    ["nginx", "/secure", /Set `baseUrl` to "https:\/\/127\.0\.0\.1:\d+\/secure"/],
    ["nginx", "/login", /point `baseUrl` at the service itself, not at "https:\/\/login\.example\.com\/in"/],
    ["nginx", "/private", /nginx\/\S+ requires Basic authentication \("Staff only"\), not an API key/],
    ["nginx", "/dead", /page "502 Bad Gateway" of nginx\S+, not a response of the service: try again later/],
    ["nginx", "/busy", /: try again in 7 s\.$/],
    ["nginx", "/empty", /with "application\/pdf" and an empty body\. Check/],
    ["nginx", "/page", /page "Sign in & go on" of nginx/],
    [
      "nginx",
      "",
      /page "404 Not Found" of nginx\S+, not a response of the service: check `baseUrl`, whose path is "\/"/,
    ],
    ["apache2", "/denied", /page "403 Forbidden" of Apache\/2\.4/],
    ["apache2", "/private", /Apache\/2\.4.* requires Basic authentication \("Staff only"\)/],
    ["apache2", "/busy", /page "503 Service Unavailable" of Apache.*: try again later/],
    ["haproxy", "/denied", /page "403 Forbidden" of another server/],
    ["haproxy", "/private", /Another server requires Basic authentication \("Staff"\)/],
    ["haproxy", "/secure", /Set `baseUrl` to "https:\/\/127\.0\.0\.1:\d+\/secure"/],
    ["haproxy", "/dead", /page "503 Service Unavailable" of another server.*: try again later/],
    ["caddy", "/private", /Caddy requires Basic authentication \("restricted"\)/],
    ["caddy", "/secure", /Set `baseUrl` to "https:\/\/pdf\.example\.com\/secure"/],
    ["caddy", "/dead", /Got 502 .*Try again later/],
    ["caddy", "", /Got 200 .* with no content type and an empty body\./],
  ])("fits %s at %j", async (server, path, advice) => {
    const message = await messageOf({ baseUrl: `http://127.0.0.1:${portsOf(server).http}${path}` });
    expect(message).toMatch(advice);
    expect(message).not.toMatch(/placeholders|Check the API key|account/);
  });

  it("fits nginx if the values are too large", async () => {
    const baseUrl = `http://127.0.0.1:${portsOf("nginx").http}`;
    const message = await messageOf({ baseUrl }, "inv", { text: "x".repeat(2_000) });
    expect(message).toMatch(/page "413 Request Entity Too Large" of nginx\S+, .*: send less data/);
  });

  it("fits Apache, which does not allow %2F", async () => {
    const message = await messageOf({ baseUrl: `http://127.0.0.1:${portsOf("apache2").http}` }, "a/b");
    expect(message).toMatch(/404 Not Found" of Apache.*whether the server allows %2F in paths/);
  });

  it.each<ServerName>(["nginx", "apache2", "caddy"])("fits a port of %s for https://", async (server) => {
    const message = await messageOf({ baseUrl: `http://127.0.0.1:${portsOf(server).tls}` });
    expect(message).toMatch(/^Got 400 .*\. This port uses TLS: begin `baseUrl` with https:\/\/\.$/);
  });

  it("suspects TLS at a port of HAProxy for https://, which closes the connection", async () => {
    const message = await messageOf({ baseUrl: `http://127.0.0.1:${portsOf("haproxy").tls}` });
    expect(message).toMatch(/If this port uses TLS, begin `baseUrl` with https:\/\/\.$/);
  });

  it.each<ServerName>(["nginx", "apache2", "haproxy", "caddy"])(
    "is one line after a certificate of %s that is not trusted",
    async (server) => {
      const message = await messageOf({ baseUrl: `https://127.0.0.1:${portsOf(server).tls}` });
      expect(message).toMatch(
        /^Could not reach .*certificate was issued by an unknown authority.*NODE_EXTRA_CA_CERTS/,
      );
      expect(message).not.toContain("\n");
      expect(message.includes("--use-system-ca")).toBe(
        process.allowedNodeEnvironmentFlags.has("--use-system-ca"),
      );
    },
  );
});

describe("the advice after a refusal of Squid", () => {
  it.each([
    ["", "any.test", "The proxy requires a user name and a password. Add them", "Check the user name"],
    ["user:wrong@", "any.test", "The proxy rejects the user name or the password", "Check the user name"],
    ["", "denied.test", "The proxy does not allow connections to this host", "Ask the operator of the proxy"],
    ["", "open.test", "The proxy could not reach the service.", "whether the proxy can reach the service"],
  ])("with the user info %j fits a service at %s", async (user, host, advice, ofDispatcher) => {
    const proxy = `http://${user}127.0.0.1:${portsOf("squid").http}`;
    vi.stubEnv("HTTPS_PROXY", proxy);
    onTestFinished(() => void vi.unstubAllEnvs());
    const message = await messageOf({ baseUrl: `https://${host}` });
    expect(message).toMatch(
      /the proxy at http:\/\/127\.0\.0\.1:\d+ responded with \d{3} to CONNECT \w+\.test:443/,
    );
    expect(message).toContain(advice);
    const dispatcher = new ProxyAgent(proxy);
    onTestFinished(() => dispatcher.close());
    expect(await messageOf({ baseUrl: `https://${host}`, dispatcher })).toContain(ofDispatcher);
  });
});
