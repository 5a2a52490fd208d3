import { once } from "node:events";
import { Server } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isHostName } from "../../src/service/allowed-hosts.ts";
import { type ListenOptions, listen } from "../../src/service/listen.ts";

/** A server whose endpoint is a mock, and a function that sends raw lines to it and returns the complete response. */
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

const local = ["localhost", "localhost.", "a.b.localhost", "127.0.0.1", "127.1.2.3", "[::1]"];

describe("a server on a loopback address", () => {
  it("accepts a name or an address of this machine as the host, with any port", async () => {
    const { statusFor, port } = await serve();
    for (const host of local.flatMap((name) => [name, `${name}:${port}`, `${name}:1`])) {
      expect([host, await statusFor(host)]).toEqual([host, 200]);
    }
  });

  it.each([
    ...["attacker.test:80", "localhost.attacker.test", "127.0.0.1.attacker.test", "notlocalhost"],
    ...["0.0.0.0", "192.0.2.1", "[fe80::1]"],
  ])("refuses a request for the host %s with 421 and says what to do", async (host) => {
    const { send, endpoint, baseUrl } = await serve();
    const answer = await send("GET / HTTP/1.1", `Host: ${host}`);
    expect(answer).toMatch(/^HTTP\/1\.1 421 Misdirected Request\r\n/);
    expect(answer).toContain("application/problem+json");
    expect(answer).toContain("urn:template-pdf:problem:host-not-allowed");
    expect(answer).toContain(`Use ${baseUrl}, or allow the name with the option \`allowedHosts\``);
    expect(endpoint).not.toHaveBeenCalled();
  });

  it.each([
    ["HEAD", "/", 0],
    ["OPTIONS", "/", 0],
    ["POST", "/api/v1/templates/invoice/generate-sync", 1_000],
  ])("refuses a foreign host for %s %s before a body of %i bytes is sent", async (method, path, length) => {
    const { send, endpoint } = await serve();
    const lines = ["Host: attacker.test", `Content-Length: ${length}`];
    expect(await send(`${method} ${path} HTTP/1.1`, ...lines)).toMatch(/^HTTP\/1\.1 421 /);
    expect(endpoint).not.toHaveBeenCalled();
  });

  it.each([
    ["http://localhost/a", "localhost", 200],
    ["http://attacker.test/a", "localhost", 421],
    ["http://localhost/a", "attacker.test", 421],
    ["http://localhost@attacker.test/a", "localhost", 421],
    ["http://a,attacker.test/", "localhost", 400],
    ["http://attacker.test,/", "localhost", 400],
  ])("responds to the target %s with the host header %s with %i", async (target, host, status) => {
    const allNames = [undefined, ["pdf.test"], "any"] as const;
    for (const allowedHosts of status === 400 ? allNames : [undefined]) {
      const { send, endpoint } = await serve({ allowedHosts });
      const answer = await send(`GET ${target} HTTP/1.1`, `Host: ${host}`);
      expect(Number(answer.split(" ")[1])).toBe(status);
      expect(endpoint).toHaveBeenCalledTimes(status === 200 ? 1 : 0);
    }
  });

  it.each([
    ["is missing", []],
    ["is empty", ["Host:"]],
    ["is sent twice", ["Host: localhost", "Host: localhost"]],
    ["names two hosts", ["Host: localhost, attacker.test"]],
    ["contains a user", ["Host: attacker.test@localhost"]],
    ["contains a path", ["Host: localhost/attacker.test"]],
    ["has a port out of range", ["Host: localhost:65536"]],
    ["has a port that is not a number", ["Host: localhost:a"]],
  ])("refuses a request whose host header %s with 400", async (_wrong, lines) => {
    const { send, endpoint } = await serve();
    const answer = await send("GET / HTTP/1.1", ...lines);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("application/problem+json");
    expect((await send("GET / HTTP/1.0", ...lines)).split(" ")[1]).toBe("400");
    expect(endpoint).not.toHaveBeenCalled();
  });

  it("accepts an allowed host name and the name that it listens on", async () => {
    const { statusFor } = await serve({ allowedHosts: ["PDF.test", "192.0.2.1", "2001:db8::1"] });
    for (const host of ["pdf.test", "pdf.test.:80", "PDF.TEST", "192.0.2.1", "[2001:db8::1]:80", ...local]) {
      expect([host, await statusFor(host)]).toEqual([host, 200]);
    }
    expect(await statusFor("other.test")).toBe(421);
    expect(await statusFor("a.pdf.test")).toBe(421);
  });

  it("handles no request before it knows the allowed names", async () => {
    const listenTo = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => listenTo.mockRestore());
    const listeners: number[] = [];
    listenTo.mockImplementationOnce(function (this: Server, ...args) {
      listeners.push(this.listenerCount("request"));
      listenTo.mockRestore();
      return this.listen(...args);
    });
    const { statusFor } = await serve();
    expect(listeners).toEqual([0]);
    expect(await statusFor("attacker.test")).toBe(421);
  });

  it("passes requests with refused hosts to `watch` too", async () => {
    const seen: number[] = [];
    const { statusFor } = await serve({
      watch: (answer) => async (request) => {
        const response = await answer(request);
        seen.push(response.status);
        return response;
      },
    });
    await statusFor("attacker.test");
    await statusFor("localhost");
    expect(seen).toEqual([421, 200]);
  });
});

it.each([
  ...["pdf.test", "192.0.2.1", "::1", "[2001:db8::1]"].map((text) => [text, true] as const),
  ...["", "a:80", "[::1]:80", "::1/a", "::g", "1:2", "http://pdf.test", "a@b.test", "[a.test]"].map(
    (text) => [text, false] as const,
  ),
])("isHostName(%j) is %s", (text, expected) => {
  expect(isHostName(text)).toBe(expected);
});

it("a server that accepts any host name still refuses two host headers", async () => {
  const { send, statusFor } = await serve({ allowedHosts: "any" });
  expect(await statusFor("service.test")).toBe(200);
  expect(await send("GET / HTTP/1.1", "Host: a.test", "Host: b.test")).toMatch(/^HTTP\/1\.1 400 /);
});

describe("a server that listens on all addresses", () => {
  it("accepts any host name unless names are configured", async () => {
    expect(await (await serve({ host: "0.0.0.0" })).statusFor("anything.test")).toBe(200);
    const { statusFor } = await serve({ host: "0.0.0.0", allowedHosts: ["pdf.test"] });
    const statuses = ["pdf.test", "localhost", "anything.test"].map(statusFor);
    expect(await Promise.all(statuses)).toEqual([200, 200, 421]);
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  it.runIf(outside !== undefined)("accepts the address at which a request arrives as the host", async () => {
    const address = outside?.address ?? "";
    for (const host of ["0.0.0.0", address]) {
      const { port } = await serve({ host, allowedHosts: [] });
      expect(await (await fetch(`http://${address}:${port}`)).text()).toBe("asked");
    }
  });
});
