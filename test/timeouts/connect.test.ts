import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import type { ClientOptions } from "template-pdf";
import { describe, expect, it, onTestFinished } from "vitest";
import { generate } from "../client/every-form.ts";
import { expectTimeout, withoutBackOff } from "../client/timing.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";
import { listenRaw } from "../support/sockets.ts";

/** A server that accepts connections and never answers a TLS handshake, and a client for it. */
async function startMute(options: ClientOptions) {
  const sockets: Socket[] = [];
  const server = await listenRaw((socket) => {
    sockets.push(socket);
    socket.resume();
  });
  onTestFinished(() => server.close());
  return { server, sockets, client: clientOf(`https://127.0.0.1:${server.port}`, options) };
}

/** The address of a server that never accepts a connection: its queue is full. */
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

describe("timeouts.connect", () => {
  it("ends a call whose connection is never accepted", async () => {
    const client = clientOf(await listenDeaf(), { timeouts: { connect: 150 } });
    const error = expectTimeout(await rejectionOf(generate(client)), "connect", 150);
    expect([error.attempts, error.status]).toEqual([1, undefined]);
  });

  it("ends each of many calls whose TLS handshake never ends, and closes their sockets", async () => {
    const { client, server } = await startMute({ timeouts: { connect: 100 } });
    const failures = Array.from({ length: 20 }, () => rejectionOf(generate(client).bytes()));
    for (const failure of await Promise.all(failures)) expectTimeout(failure, "connect", 100);
    // A busy server learns of a connection after the client has given it up.
    await eventually(() => server.openSockets === 0);
  });

  it("does not limit a request on a connection that is there", async () => {
    const service = await Service.start(async (received) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await withLength(pdfOf(2_000))(received);
    });
    const client = service.client({ timeouts: { connect: 200 } });
    for (const attempt of ["a new connection", "an open connection"]) {
      expect(await generate(client).bytes(), attempt).toHaveLength(2_000);
      // Undici reuses a socket only in the next turn.
      await turns();
    }
    expect(service.connections).toBe(1);
  });

  it("is retried although nothing may be rendered twice, because nothing was sent", async () => {
    withoutBackOff();
    const retry = { mayRenderTwice: false };
    const { client, server, sockets } = await startMute({ timeouts: { connect: 60 }, retry });
    const error = expectTimeout(await rejectionOf(generate(client).bytes()), "connect", 60);
    expect(error.attempts).toBe(3);
    expect(error.message).toMatch(/ Tried 3 times\.$/);
    await eventually(() => sockets.length === 3 && server.openSockets === 0);
  });

  it("does not apply to fetch, which does not report connections: timeouts.firstByte does", async () => {
    const timeouts = { connect: 30, firstByte: 400 };
    const { client, sockets } = await startMute({ fetch: globalThis.fetch, timeouts });
    expectTimeout(await rejectionOf(generate(client).bytes()), "firstByte", 400);
    expect(sockets).toHaveLength(1);
  });
});
