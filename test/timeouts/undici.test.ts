import { describe, expect, it, onTestFinished } from "vitest";
import { generate } from "../client/output-methods.ts";
import { expectTimeout, passTime, stopTime, takesAtLeast } from "../client/timing.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";
import { listenRaw } from "../support/sockets.ts";

const pdf = pdfOf(200_000);
const promised = { "content-length": String(pdf.length) };

describe("undici's own 300-second timeouts", () => {
  // Keep this a single test, and the first one. undici stores its timers in its module, and they would use
  // the clock of an earlier test.
  it("do not fire while the service delays the headers or the body", async () => {
    const service = await Service.start(() => {});
    stopTime();
    const never = Number.POSITIVE_INFINITY;
    const client = service.client({ timeouts: { firstByte: never, stall: never, total: never } });
    const bytes = generate(client).bytes();
    const { response } = await service.request();
    const waitLong = async () => {
      for (let wait = 0; wait < 20; wait++) await turns(5);
      for (let minute = 0; minute < 20; minute++) await passTime(60_000);
    };
    await waitLong();
    response.writeHead(200, promised).flushHeaders();
    await waitLong();
    response.write(pdf.subarray(0, 100_000));
    await waitLong();
    response.end(pdf.subarray(100_000));
    expect(pdf.equals(await bytes)).toBe(true);
  });
});

// test/faults proves that this timeout is retried and that it does not apply to fetch.
describe("timeouts.connect", () => {
  it("ends calls whose TLS handshakes never finish", async () => {
    const server = await listenRaw((socket) => void socket.resume());
    onTestFinished(() => server.close());
    const client = clientOf(`https://127.0.0.1:${server.port}`, { timeouts: { connect: 100 } });
    const fail = () => takesAtLeast(100, () => rejectionOf(generate(client).bytes()));
    for (const failure of await Promise.all(Array.from({ length: 20 }, fail))) {
      const error = expectTimeout(failure, "connect", 100);
      expect({ attempts: error.attempts, status: error.status }).toEqual({ attempts: 1, status: undefined });
    }
    // A busy server may accept a connection after the client has closed it.
    await eventually(() => server.openSockets === 0);
  });

  it("does not limit the response time on a new or reused connection", async () => {
    const service = await Service.start(() => {});
    stopTime();
    const client = service.client();
    for (const index of [0, 1]) {
      const bytes = generate(client).bytes();
      const received = await service.request(index);
      await passTime(20_000);
      await withLength(pdf)(received);
      expect(pdf.equals(await bytes)).toBe(true);
      // Undici reuses a socket only in the next turn of the event loop.
      await turns();
    }
    expect(service.connections).toBe(1);
  });
});
