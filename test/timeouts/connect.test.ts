import { describe, expect, it, onTestFinished } from "vitest";
import { generate } from "../client/every-form.ts";
import { expectTimeout } from "../client/timing.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";
import { listenRaw } from "../support/sockets.ts";

// test/faults proves that it is retried and that it does not apply to fetch.

describe("timeouts.connect", () => {
  it("ends many calls whose TLS handshakes never finish, and closes their sockets", async () => {
    const server = await listenRaw((socket) => void socket.resume());
    onTestFinished(() => server.close());
    const client = clientOf(`https://127.0.0.1:${server.port}`, { timeouts: { connect: 100 } });
    const failures = Array.from({ length: 20 }, () => rejectionOf(generate(client).bytes()));
    for (const failure of await Promise.all(failures)) {
      const error = expectTimeout(failure, "connect", 100);
      expect([error.attempts, error.status]).toEqual([1, undefined]);
    }
    // A busy server may accept a connection after the client has closed it.
    await eventually(() => server.openSockets === 0);
  });

  it("does not limit a request on an open connection", async () => {
    const service = await Service.start(async (received) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await withLength(pdfOf(2_000))(received);
    });
    const client = service.client({ timeouts: { connect: 200 } });
    for (const attempt of ["a new connection", "an open connection"]) {
      expect(await generate(client).bytes(), attempt).toHaveLength(2_000);
      // Undici reuses a socket only in the next turn of the event loop.
      await turns();
    }
    expect(service.connections).toBe(1);
  });
});
