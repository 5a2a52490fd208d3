import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { type PendingPdf, TemplatePdf } from "template-pdf";
import { describe, expect, it, onTestFinished } from "vitest";
import { generate } from "../client/every-form.ts";
import { expectTimeout, withoutBackOff } from "../client/timing.ts";
import { eventually } from "../support/eventually.ts";
import { pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";
import { listenRaw, type SocketServer } from "../support/sockets.ts";

/** Takes connections, and never answers a TLS handshake. */
async function listenMute(): Promise<SocketServer & { readonly sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = await listenRaw((socket) => {
    sockets.push(socket);
    socket.resume();
  });
  onTestFinished(() => server.close());
  return Object.assign(Object.create(server) as SocketServer, { sockets });
}

/** Listens on a port, and never takes a connection from its queue, which is full. */
async function listenDeaf(): Promise<string> {
  const worker = new Worker(
    `const { createServer } = require("node:net");
     const { parentPort } = require("node:worker_threads");
     const server = createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true },
  );
  onTestFinished(async () => {
    await worker.terminate();
  });
  const [port] = await once(worker, "message");
  const waiting = Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  onTestFinished(() => {
    for (const socket of waiting) socket.destroy();
  });
  await turns();
  return `http://127.0.0.1:${port}`;
}

function clientOf(baseUrl: string, options: ConstructorParameters<typeof TemplatePdf>[0] = {}): TemplatePdf {
  const client = new TemplatePdf({ baseUrl, apiKey: "key-of-the-tests", retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

function tls({ port }: SocketServer): string {
  return `https://127.0.0.1:${port}`;
}

async function closed(socket: Socket | undefined): Promise<void> {
  if (socket && !socket.destroyed) await once(socket, "close");
}

describe("timeouts.connect", () => {
  it.each([
    ["bytes()", (pending: PendingPdf) => pending.bytes()],
    ["the awaited result", (pending: PendingPdf) => pending],
  ])("ends %s if the TLS handshake never ends, and closes the socket", async (_, read) => {
    const server = await listenMute();
    const client = clientOf(tls(server), { timeouts: { connect: 60 } });
    const error = expectTimeout(await rejectionOf(read(generate(client))), "connect", 60);
    expect([error.attempts, error.status]).toEqual([1, undefined]);
    expect(error.message).toContain("Nothing was sent.");
    // A busy server learns of a connection after the client has given it up.
    await eventually(() => server.sockets.length === 1);
    await closed(server.sockets[0]);
  });

  it("ends a call whose connection is never accepted", async () => {
    const client = clientOf(await listenDeaf(), { timeouts: { connect: 150 } });
    expectTimeout(await rejectionOf(generate(client).bytes()), "connect", 150);
  });

  it("ends each of many calls, and all their sockets", async () => {
    const server = await listenMute();
    const client = clientOf(tls(server), { timeouts: { connect: 100 } });
    const failures = await Promise.all(
      Array.from({ length: 20 }, () => rejectionOf(generate(client).bytes())),
    );
    for (const failure of failures) expectTimeout(failure, "connect", 100);
    await eventually(() => server.openSockets === 0);
  });

  it("is over when the request has left, and for connections that are there", async () => {
    const service = await Service.start(async (received) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await withLength(pdfOf(2_000))(received);
    });
    const client = service.client({ timeouts: { connect: 200 } });
    expect(await generate(client).bytes()).toHaveLength(2_000);
    // Undici uses a socket again only in the next turn.
    await turns();
    expect(await generate(client).bytes()).toHaveLength(2_000);
    expect(service.connections).toBe(1);
  });

  it("counts as not sent: is tried again where nothing may be rendered twice", async () => {
    withoutBackOff();
    const server = await listenMute();
    const retry = { mayRenderTwice: false };
    const client = clientOf(tls(server), { timeouts: { connect: 60 }, retry });
    const error = expectTimeout(await rejectionOf(generate(client).bytes()), "connect", 60);
    expect(error.attempts).toBe(3);
    expect(error.message).toMatch(/ Tried 3 times\.$/);
    expect(server.sockets).toHaveLength(3);
    await Promise.all(server.sockets.map(closed));
  });

  it("by fetch, which tells nothing of connecting, leaves it to timeouts.firstByte", async () => {
    const server = await listenMute();
    const { fetch } = globalThis;
    const client = clientOf(tls(server), { fetch, timeouts: { connect: 30, firstByte: 400 } });
    expectTimeout(await rejectionOf(generate(client).bytes()), "firstByte", 400);
    // The connection is the runtime's, which gives it up after 10 seconds of its own.
    expect(server.sockets).toHaveLength(1);
  });
});
