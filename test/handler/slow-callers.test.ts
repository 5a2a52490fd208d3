import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { TimeoutError, type Timeouts } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Answer, pdfOf } from "../support/service.ts";
import { handlerBefore, handlerOf } from "./handling.ts";

const big = pdfOf(64 * 1024 * 1024);

/** A service that sends a large document, with its length or in chunks, and tells when it has to wait for its reader. */
function largeDocument(hasLength: boolean) {
  let resolve = () => {};
  const isWaiting = new Promise<void>((resolveIt) => {
    resolve = resolveIt;
  });
  const answer: Answer = ({ response }) => {
    const length = hasLength ? { "content-length": big.length } : {};
    response.writeHead(200, { "content-type": "application/pdf", ...length });
    response.end(big);
    const watch = setInterval(() => {
      const { socket } = response;
      const before = socket?.bytesWritten;
      setTimeout(() => socket?.bytesWritten === before && resolve(), 250);
    }, 300);
    onTestFinished(() => clearInterval(watch));
  };
  return { answer, isWaiting };
}

/** A caller on a real socket that sends a call and reads nothing of the answer. */
async function callWithoutReading(timeouts: Timeouts | undefined, hasLength = true) {
  const { answer, isWaiting } = largeDocument(hasLength);
  const first = await handlerBefore(answer);
  const client = timeouts ? first.client.with({ timeouts }) : first.client;
  const { handler, onError } = handlerOf({ client });
  const server = createAdaptorServer({ fetch: handler, overrideGlobalObjects: false });
  const accepted = once(server, "connection") as Promise<[Socket]>;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => void caller.destroy());
  caller.pause();
  caller.write(
    "POST /api/v1/templates/invoice/generate-sync HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
  );
  const [connection] = await accepted;
  // Not by `once`, for which the error that ends it would be a failure.
  const connectionClosed = new Promise((resolve) => connection.once("close", resolve));
  const { closed } = await first.service.request();
  return { caller, connectionClosed, upstreamClosed: closed, isWaiting, onError };
}

/** All that a caller gets who reads in the end. */
async function readRest(caller: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  caller.on("data", (piece: Buffer) => pieces.push(piece)).resume();
  if (!caller.destroyed) await once(caller, "close");
  return Buffer.concat(pieces);
}

describe("a caller that stops reading, or reads too slowly", () => {
  it.each([
    ["has a length", true],
    ["comes in chunks", false],
  ])(
    "ends its call to the service at timeouts.total, and its own answer, which %s, breaks off",
    async (_how, hasLength) => {
      const print = vi.spyOn(console, "error").mockReturnValue();
      onTestFinished(() => print.mockRestore());
      const call = await callWithoutReading({ total: 1_000 }, hasLength);
      await Promise.all([call.upstreamClosed, call.connectionClosed]);
      expect(call.onError.mock.calls).toEqual([[expect.any(TimeoutError), expect.anything()]]);
      const received = await readRest(call.caller);
      expect(received.length).toBeLessThan(big.length);
      expect(received.subarray(-5).toString()).not.toBe("0\r\n\r\n");
    },
  );

  it("ends its call to the service after ten minutes if nothing else was set", async () => {
    const print = vi.spyOn(console, "error").mockReturnValue();
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
      shouldAdvanceTime: true,
    });
    onTestFinished(() => {
      vi.useRealTimers();
      print.mockRestore();
    });
    const call = await callWithoutReading(undefined);
    let isClosed = false;
    void call.upstreamClosed.then(() => {
      isClosed = true;
    });
    await call.isWaiting;
    await vi.advanceTimersByTimeAsync(500_000);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(110_000);
    await call.upstreamClosed;
    const [[error]] = call.onError.mock.calls as [[TimeoutError]];
    expect([error.phase, error.limitMs]).toEqual(["total", 600_000]);
  });
});
