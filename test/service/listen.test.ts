import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect, Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Listening, type ListenOptions, listen } from "../../src/service/listen.ts";
import { eventually } from "../support/eventually.ts";
import { heldBack } from "../support/service.ts";
import { turn } from "../support/sockets.ts";

const { Request: RealRequest, Response: RealResponse } = globalThis;
const getRequest = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

async function start(
  answer: (request: Request) => Promise<Response> = async () => new Response("done"),
  options: Partial<ListenOptions> = {},
): Promise<Listening> {
  const listening = await listen(answer, { host: "127.0.0.1", port: 0, ...options });
  onTestFinished(() => listening.close().catch(() => {}));
  return listening;
}

/** A raw connection that records the bytes it receives. */
async function connection({ baseUrl }: Listening): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return { socket, received: () => text };
}

const heldBackResponse = () => heldBack((_request: Request) => new Response("done"));

describe("close()", () => {
  it("closes idle connections, and can be called repeatedly", async () => {
    const listening = await start();
    const idle = await connection(listening);
    const silent = await connection(listening);
    idle.socket.write(getRequest);
    await eventually(() => idle.received().includes("done"));
    expect({ Request: globalThis.Request, Response: globalThis.Response }).toEqual({
      Request: RealRequest,
      Response: RealResponse,
    });
    const ended = Promise.all([once(idle.socket, "close"), once(silent.socket, "close")]);
    expect(listening.close()).toBe(listening.close());
    await listening.close();
    // Without `close`, the silent connection would stay open for a minute, longer than this test may take.
    await ended;
  });

  it("lets a response in progress finish, and adds a `connection: close` header", async () => {
    const { answer, begun, release } = heldBackResponse();
    const listening = await start(answer);
    const { socket, received } = await connection(listening);
    socket.write(getRequest);
    await begun;
    const ended = once(socket, "close");
    const onClosed = vi.fn();
    const closed = listening.close().then(onClosed);
    await expect(connection(listening)).rejects.toThrow("ECONNREFUSED");
    expect(onClosed).not.toHaveBeenCalled();
    release();
    await Promise.all([closed, ended]);
    expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received().toLowerCase()).toContain("connection: close");
    expect(received()).toContain("done");
  });

  it("lets a slow reader receive a large response in full", async () => {
    const listenTo = vi.spyOn(Server.prototype, "listen");
    listenTo.mockImplementationOnce(function (this: Server, ...args) {
      // node:http would close the connection after 5 seconds.
      Object.assign(this, { keepAliveTimeout: 0 });
      listenTo.mockRestore();
      return this.listen(...args);
    });
    const size = 20_000_000;
    const listening = await start(async () => new Response(new Uint8Array(size)));
    // This agent keeps its connection open as long as the server allows.
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const [response] = (await once(get(listening.baseUrl, { agent }), "response")) as [IncomingMessage];
    const closed = listening.close();
    await turn();
    let received = 0;
    for await (const chunk of response) received += chunk.length;
    expect(received).toBe(size);
    // Rejects if a connection is left open.
    await closed;
  });

  it("aborts unanswered requests after the time limit, and reports their number", async () => {
    const { answer, begun } = heldBackResponse();
    const listening = await start(answer, { closeLimitMs: 50 });
    const { socket } = await connection(listening);
    socket.write(getRequest);
    const ended = once(socket, "close");
    const request = await begun;
    expect(request.signal.aborted).toBe(false);
    await expect(listening.close()).rejects.toThrow(
      "50 ms after close(), the server interrupted 1 call(s) that had no response yet.",
    );
    await ended;
    await eventually(() => request.signal.aborted);
  });
});

describe("listen()", () => {
  it.each([
    ["the headers", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "],
    ["the body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"],
  ])("closes a connection if the client takes too long to send %s", async (_part, beginning) => {
    const read = async (request: Request) => new Response(await request.text());
    const { socket, received } = await connection(await start(read, { requestLimitMs: 300 }));
    socket.write(beginning);
    const dripping = setInterval(() => socket.write("x"), 50);
    onTestFinished(() => clearInterval(dripping));
    await once(socket, "close");
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("can respond to a caller that is still sending the request body", async () => {
    const listening = await start(async () => new Response("enough", { status: 413 }));
    let sending: ReadableStreamDefaultController<Uint8Array> | undefined;
    // A body without an end: a server that reads all of it would never respond.
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        sending = controller;
        controller.enqueue(new Uint8Array(1_000));
      },
    });
    const response = await fetch(listening.baseUrl, { method: "POST", body, duplex: "half" } as RequestInit);
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 413, body: "enough" });
    sending?.close();
  });

  it("rejects with advice if the port or the host is not available", async () => {
    const { baseUrl } = await start();
    const port = Number(new URL(baseUrl).port);
    await expect(start(undefined, { port })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or pass another \`port\`; 0 selects a free one.`,
    );
    await expect(start(undefined, { host: "203.0.113.1" })).rejects.toThrow(
      "Cannot listen on 203.0.113.1 (EADDRNOTAVAIL). Pass an address of this machine as `host`",
    );
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === "::1"),
  );
  it.runIf(hasIpv6)("returns a `baseUrl` with brackets around an IPv6 address", async () => {
    const { baseUrl } = await start(undefined, { host: "::1" });
    expect(baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(await (await fetch(baseUrl)).text()).toBe("done");
  });
});
