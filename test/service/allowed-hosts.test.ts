import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isHostName } from "../../src/service/allowed-hosts.ts";
import { type ListenOptions, listen } from "../../src/service/listen.ts";

/** Starts a server with a mock endpoint. `send` sends raw lines, and returns the complete response. */
async function serve(options: Partial<ListenOptions> = {}) {
  const endpoint = vi.fn(async () => new Response("asked"));
  const listening = await listen(endpoint, { host: "127.0.0.1", port: 0, ...options });
  onTestFinished(() => listening.close());
  const { port } = new URL(listening.baseUrl);
  async function send(...lines: string[]): Promise<string> {
    const socket = connect(Number(port), "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
    await once(socket, "close");
    return answer;
  }
  const statusFor = async (host: string) =>
    Number((await send("GET / HTTP/1.1", `Host: ${host}`)).split(" ")[1]);
  return { endpoint, port, send, statusFor, baseUrl: listening.baseUrl };
}

const local = ["localhost.", "a.b.localhost", "127.1.2.3", "[::1]"];

describe("a server on a loopback address", () => {
  it.each(["attacker.test:80", "localhost.attacker.test", "notlocalhost", "0.0.0.0"])(
    "rejects the host %s with a 421 before the request body is sent",
    async (host) => {
      const { send, endpoint, baseUrl } = await serve();
      const answer = await send("POST / HTTP/1.1", `Host: ${host}`, "Content-Length: 1000");
      expect(answer).toMatch(/^HTTP\/1\.1 421 Misdirected Request\r\n/);
      expect(answer).toContain("application/problem+json");
      expect(answer).toContain("urn:template-pdf:problem:host-not-allowed");
      expect(answer).toContain(`Use ${baseUrl}, or allow the name with the \`allowedHosts\` option`);
      expect(endpoint).not.toHaveBeenCalled();
    },
  );

  it.each([
    ["http://localhost/a", "localhost", 200],
    ["http://attacker.test/a", "localhost", 421],
    ["http://localhost/a", "attacker.test", 421],
    ["http://a,attacker.test/", "localhost", 400],
  ])("checks the request target %s and the Host header %s (status: %i)", async (target, host, status) => {
    for (const allowedHosts of status === 400 ? ([undefined, "any"] as const) : [undefined]) {
      const { send, endpoint } = await serve({ allowedHosts });
      const answer = await send(`GET ${target} HTTP/1.1`, `Host: ${host}`);
      expect(Number(answer.split(" ")[1])).toBe(status);
      expect(endpoint).toHaveBeenCalledTimes(status === 200 ? 1 : 0);
    }
  });

  it.each([
    ["is missing", []],
    ["is sent twice", ["Host: localhost", "Host: localhost"]],
    ["contains two hosts", ["Host: localhost, attacker.test"]],
    ["contains a user name", ["Host: attacker.test@localhost"]],
    ["contains a space", ["Host: a b"]],
    ["has an out-of-range port", ["Host: localhost:65536"]],
  ])("responds with a 400 to a request whose Host header %s", async (_wrong, lines) => {
    const { send, endpoint } = await serve();
    const answer = await send("GET / HTTP/1.1", ...lines);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("application/problem+json");
    expect(endpoint).not.toHaveBeenCalled();
  });

  it("accepts localhost names, loopback addresses and allowed names, with any port", async () => {
    const { statusFor } = await serve({ allowedHosts: ["PDF.test", "2001:db8::1"] });
    for (const host of ["pdf.test.:80", "PDF.TEST", "[2001:db8::1]:80", "127.0.0.1:1", ...local]) {
      expect({ host, status: await statusFor(host) }).toEqual({ host, status: 200 });
    }
    expect(await statusFor("a.pdf.test")).toBe(421);
  });
});

it.each([
  ["pdf.test", true],
  ["::1", true],
  ["[2001:db8::1]", true],
  ["", false],
  ["a:80", false],
  ["[::1]:80", false],
  ["::g", false],
  ["http://pdf.test", false],
])("isHostName(%j) returns %s", (text, expected) => {
  expect(isHostName(text)).toBe(expected);
});

describe("a server that listens on all addresses", () => {
  it("accepts any host name unless `allowedHosts` is set", async () => {
    expect(await (await serve({ host: "0.0.0.0" })).statusFor("anything.test")).toBe(200);
    const { statusFor } = await serve({ host: "0.0.0.0", allowedHosts: ["pdf.test"] });
    const statuses = {
      allowed: await statusFor("pdf.test"),
      localhost: await statusFor("localhost"),
      other: await statusFor("anything.test"),
    };
    expect(statuses).toEqual({ allowed: 200, localhost: 200, other: 421 });
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  it.runIf(outside !== undefined)("accepts its own network address as the host", async () => {
    const address = outside?.address ?? "";
    for (const host of ["0.0.0.0", address]) {
      const { port } = await serve({ host, allowedHosts: [] });
      expect(await (await fetch(`http://${address}:${port}`)).text()).toBe("asked");
    }
  });
});
