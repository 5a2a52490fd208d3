import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type TimeoutError, TruncatedPdfError } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expectTimeout, passTime, stopTime } from "../client/timing.ts";
import { asTaken, beginning, cutOffAfter, inChunks, pdfOf, rejectionOf, turns } from "../support/service.ts";
import { callOf, handlerBefore, handlerOf, pdf } from "./handling.ts";

/** More bytes than all buffers between a service and a caller hold. */
const big = pdfOf(32 * 1024 * 1024);

/** Serves a handler on a real socket, and sends it a raw request whose response is not read. */
async function callBySocket(handler: (request: Request) => Promise<Response>) {
  const server = createAdaptorServer({ fetch: handler, overrideGlobalObjects: false });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  caller.pause();
  onTestFinished(() => void caller.destroy());
  const headers = "host: x\r\ncontent-type: application/json\r\ncontent-length: 2";
  caller.write(`POST /api/v1/templates/invoice/generate-sync HTTP/1.1\r\n${headers}\r\n\r\n{}`);
  return { caller, connection: (await accepted)[0] };
}

describe("a caller that disconnects", () => {
  it("aborts the call to the service if no part of the document has arrived", async () => {
    const { handler, service, onError } = await handlerBefore(() => {});
    const { caller } = await callBySocket(handler);
    const { closed } = await service.request();
    caller.destroy();
    await closed;
    expect(onError).not.toHaveBeenCalled();
  });

  it("aborts the call to the service if only part of the document has arrived", async () => {
    const { handler, service, onError } = await handlerBefore(beginning(pdf.subarray(0, 20_000)));
    const response = await handler(callOf());
    const reader = response.body?.getReader() ?? expect.fail("no body");
    let received = 0;
    while (received < 20_000) received += (await reader.read()).value?.length ?? 0;
    // The reader now waits for more bytes.
    const waiting = reader.read();
    await turns();
    await reader.cancel();
    expect((await waiting).done).toBe(true);
    await (await service.request()).closed;
    await turns();
    expect(onError).not.toHaveBeenCalled();
  });
});

describe("a document that a handler forwards", () => {
  it("is read from the service no faster than the caller reads it", async () => {
    let written = 0;
    const answer = asTaken(big, (bytes) => {
      written = bytes;
    });
    const { handler } = await handlerBefore(answer);
    const response = await handler(callOf());
    // Waits until the service has sent nothing for a while.
    for (let still = 0, before = 0; still < 20; before = written) {
      await turns(20);
      still = written === before && written > 0 ? still + 1 : 0;
    }
    expect(written).toBeLessThan(big.length / 2);
    expect((await response.arrayBuffer()).byteLength).toBe(big.length);
  });

  it("is truncated for the caller if the service truncates it", async () => {
    const { handler, onError } = await handlerBefore(cutOffAfter(pdf, 20_000));
    const response = await handler(callOf());
    expect(response.status).toBe(200);
    const error = await rejectionOf(response.arrayBuffer());
    expect(error).toEqual(new Error("The document is truncated."));
    const about = { requestId: response.headers.get("x-request-id") };
    expect(onError.mock.calls).toMatchObject([[expect.any(TruncatedPdfError), about]]);
  });
});

describe("a caller that stops reading", () => {
  it("is disconnected after `timeouts.total`", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => void vi.restoreAllMocks());
    const { client, service } = await handlerBefore(inChunks(big));
    const { handler, onError } = handlerOf({ client: client.with({ timeouts: { total: 300 } }) });
    const startMs = performance.now();
    const { caller, connection } = await callBySocket(handler);
    // Does not use `once`, which would reject with the error that ends the socket.
    const disconnected = new Promise((resolve) => connection.on("close", resolve));
    await Promise.all([(await service.request()).closed, disconnected]);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(300);
    const [[error]] = onError.mock.calls as [[TimeoutError]];
    expect(expectTimeout(error, "total", 300).attempts).toBe(1);
    expect(onError).toHaveBeenCalledTimes(1);
    const pieces: Buffer[] = [];
    caller.on("data", (piece: Buffer) => pieces.push(piece)).resume();
    if (!caller.destroyed) await once(caller, "close");
    const received = Buffer.concat(pieces);
    expect(received.length).toBeLessThan(big.length);
    expect(received.subarray(-5).toString()).not.toBe("0\r\n\r\n");
  });

  it("causes the call to the service to time out after ten minutes by default", async () => {
    const { handler, service, onError } = await handlerBefore(asTaken(big));
    stopTime();
    const response = await handler(callOf());
    await response.body?.getReader().read();
    const { socket, closed } = await service.request();
    await passTime(590_000);
    expect(socket.destroyed).toBe(false);
    await passTime(11_000);
    await closed;
    const [[error]] = onError.mock.calls as [[TimeoutError]];
    expect({ phase: error.phase, limitMs: error.limitMs }).toEqual({ phase: "total", limitMs: 600_000 });
  });
});
