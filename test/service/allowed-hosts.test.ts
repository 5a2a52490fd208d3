import { once } from "node:events";
import { Server } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isHostName } from "../../src/service/allowed-hosts.ts";
import { type ListenOptions, listen } from "../../src/service/listen.ts";

/** A server whose endpoint is a mock, and a function that sends lines to it by hand and returns the whole answer. */
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
  it("answers callers that use a name or an address of this machine, with any port", async () => {
    const { statusFor, port } = await serve();
    for (const host of local.flatMap((name) => [name, `${name}:${port}`, `${name}:1`])) {
      expect([host, await statusFor(host)]).toEqual([host, 200]);
    }
  });

  it.each([
    "attacker.test",
    "attacker.test:80",
    "localhost.attacker.test",
    "127.0.0.1.attacker.test",
    "notlocalhost",
    "0.0.0.0",
    "192.0.2.1",
    "[fe80::1]",
  ])("refuses a request for the host %s with 421 and says what to do", async (host) => {
    const { send, endpoint, baseUrl } = await serve();
    const answer = await send("GET / HTTP/1.1", `Host: ${host}`);
    expect(answer).toMatch(/^HTTP\/1\.1 421 Misdirected Request\r\n/);
    expect(answer).toContain("application/problem+json");
    expect(answer).toContain("urn:template-pdf:problem:host-not-allowed");
    expect(answer).toContain(`Use ${baseUrl}, or allow the name with the option \`allowedHosts\``);
    expect(endpoint).not.toHaveBeenCalled();
  });

  it.each(["GET", "HEAD", "POST", "PUT", "OPTIONS", "TRACE"])(
    "refuses a foreign host for every path by %s, before a body is sent",
    async (method) => {
      const { send, endpoint } = await serve();
      for (const path of ["/", "/api/v1/templates/invoice/generate-sync"]) {
        const length = method === "GET" || method === "HEAD" ? 0 : 1000;
        const answer = await send(
          `${method} ${path} HTTP/1.1`,
          "Host: attacker.test",
          `Content-Length: ${length}`,
        );
        expect(answer).toMatch(/^HTTP\/1\.1 421 /);
      }
      expect(endpoint).not.toHaveBeenCalled();
    },
  );

  it("checks the host of a target in absolute form, and the header, too", async () => {
    const { send } = await serve();
    const statusOf = async (target: string, host: string) =>
      (await send(`GET ${target} HTTP/1.1`, `Host: ${host}`)).split(" ")[1];
    expect(await statusOf("http://localhost/a", "localhost")).toBe("200");
    expect(await statusOf("http://attacker.test/a", "localhost")).toBe("421");
    expect(await statusOf("http://localhost/a", "attacker.test")).toBe("421");
    expect(await statusOf("http://localhost@attacker.test/a", "localhost")).toBe("421");
  });

  it("refuses a target in absolute form with 400 if its host is malformed", async () => {
    for (const allowedHosts of [undefined, ["pdf.test"], "any"] as const) {
      const { send, endpoint } = await serve({ allowedHosts });
      for (const target of ["http://a,attacker.test/", "http://attacker.test,/"]) {
        const answer = await send(`GET ${target} HTTP/1.1`, "Host: localhost");
        expect([target, answer.split(" ")[1]]).toEqual([target, "400"]);
      }
      expect(endpoint).not.toHaveBeenCalled();
    }
  });

  it.each([
    ["is missing", []],
    ["is empty", ["Host:"]],
    ["is sent twice", ["Host: localhost", "Host: attacker.test"]],
    ["is sent twice in the same words", ["Host: localhost", "Host: localhost"]],
    ["names two hosts", ["Host: localhost, attacker.test"]],
    ["holds a user", ["Host: attacker.test@localhost"]],
    ["holds a path", ["Host: localhost/attacker.test"]],
    ["has a port out of range", ["Host: localhost:65536"]],
    ["has a port that is no number", ["Host: localhost:a"]],
  ])("refuses a request whose host header %s with 400", async (_wrong, lines) => {
    const { send, endpoint } = await serve();
    const answer = await send("GET / HTTP/1.1", ...lines);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("application/problem+json");
    expect((await send("GET / HTTP/1.0", ...lines)).split(" ")[1]).toBe("400");
    expect(endpoint).not.toHaveBeenCalled();
  });

  it("answers callers that use an allowed name, or the name it listens on", async () => {
    const { statusFor } = await serve({ allowedHosts: ["PDF.test", "192.0.2.1", "2001:db8::1"] });
    for (const host of ["pdf.test", "pdf.test.:80", "PDF.TEST", "192.0.2.1", "[2001:db8::1]:80", ...local]) {
      expect([host, await statusFor(host)]).toEqual([host, 200]);
    }
    expect(await statusFor("other.test")).toBe(421);
    expect(await statusFor("a.pdf.test")).toBe(421);
  });

  it("answers no request before it knows the allowed names", async () => {
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

  it("tells whoever watches of refused hosts, too", async () => {
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

describe("isHostName", () => {
  it.each(["pdf.test", "192.0.2.1", "::1", "[::1]", "2001:db8::1", "[2001:db8::1]"])("accepts %s", (text) => {
    expect(isHostName(text)).toBe(true);
  });

  it.each(["", "a:80", "pdf.test:80", "[::1]:80", "::1/a", "::g", "1:2", "http://pdf.test", "a b"])(
    "refuses %j",
    (text) => {
      expect(isHostName(text)).toBe(false);
    },
  );
});

describe("a server that any name may call", () => {
  it("still refuses two host headers", async () => {
    const { send, statusFor } = await serve({ allowedHosts: "any" });
    expect(await statusFor("service.test")).toBe(200);
    expect(await send("GET / HTTP/1.1", "Host: a.test", "Host: b.test")).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe("a server that listens on all addresses", () => {
  it("answers any name, unless names are given", async () => {
    expect(await (await serve({ host: "0.0.0.0" })).statusFor("anything.test")).toBe(200);
    const { statusFor } = await serve({ host: "0.0.0.0", allowedHosts: ["pdf.test"] });
    expect(await statusFor("pdf.test")).toBe(200);
    expect(await statusFor("localhost")).toBe(200);
    expect(await statusFor("anything.test")).toBe(421);
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  it.runIf(outside !== undefined)("answers the address at which a request arrives", async () => {
    const address = outside?.address ?? "";
    for (const host of ["0.0.0.0", address]) {
      const endpoint = async () => new Response("asked");
      const listening = await listen(endpoint, { host, port: 0, allowedHosts: [] });
      onTestFinished(() => listening.close());
      const { port } = new URL(listening.baseUrl);
      expect((await fetch(`http://${address}:${port}`)).status).toBe(200);
    }
  });
});
