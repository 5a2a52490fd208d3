import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { TimeoutError, type Timeouts, TruncatedPdfError } from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type Answer,
  asTaken,
  beginning,
  cutOffAfter,
  pdfOf,
  rejectionOf,
  turns,
} from "../support/service.ts";
import { callOf, handlerBefore, handlerOf, pdf } from "./handling.ts";

const big = pdfOf(64 * 1024 * 1024);

/** Serves a handler on a real socket. */
async function serve(handler: (request: Request) => Promise<Response>) {
  const server = createAdaptorServer({ fetch: handler, overrideGlobalObjects: false });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

/** Sends a raw request and reads nothing. */
function callBySocket(port: number): Socket {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.pause();
  socket.write(
    "POST /api/v1/templates/invoice/generate-sync HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
  );
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe("a caller that disconnects aborts the call to the service without an error", () => {
  it.each<[when: string, answer: Answer, isBegun: boolean]>([
    ["before the document begins", () => {}, false],
    ["while the document arrives", beginning(pdf.subarray(0, 20_000)), true],
  ])("%s", async (_when, answer, isBegun) => {
    const { handler, service, onError } = await handlerBefore(answer);
    const socket = callBySocket((await serve(handler)).port);
    if (isBegun) await new Promise((resolve) => socket.once("data", resolve).resume());
    const { closed } = await service.request();
    socket.destroy();
    await closed;
    expect(onError).not.toHaveBeenCalled();
  });

  it("by cancelling the body", async () => {
    const { handler, service, onError } = await handlerBefore(beginning(pdf.subarray(0, 20_000)));
    const response = await handler(callOf());
    const reader = response.body?.getReader() ?? expect.fail("no body");
    let received = 0;
    while (received < 20_000) received += (await reader.read()).value?.length ?? 0;
    // While it waits for more bytes.
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
  it("is read from the service no faster than the caller reads", async () => {
    let written = 0;
    let stalled = () => {};
    const full = new Promise<void>((resolve) => {
      stalled = resolve;
    });
    let timer: NodeJS.Timeout | undefined;
    const answer = asTaken(big, (bytes) => {
      written = bytes;
      clearTimeout(timer);
      timer = setTimeout(stalled, 300);
    });
    const { handler } = await handlerBefore(answer);
    const socket = callBySocket((await serve(handler)).port);
    await full;
    // The capacity of three sockets, their system buffers and the streams between them.
    expect(written).toBeLessThan(24 * 1024 * 1024);
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    while (received < big.length) await new Promise((resolve) => socket.once("data", resolve));
    clearTimeout(timer);
  });

  it("is truncated for the browser if it is truncated for the handler", async () => {
    const { handler, onError } = await handlerBefore(cutOffAfter(pdf, 20_000));
    const response = await handler(callOf());
    expect(response.status).toBe(200);
    const error = await rejectionOf(response.arrayBuffer());
    expect(error).toEqual(new Error("The document is truncated."));
    const requestId = response.headers.get("x-request-id");
    const about = expect.objectContaining({ requestId });
    expect(onError.mock.calls).toEqual([[expect.any(TruncatedPdfError), about]]);

    const url = `http://127.0.0.1:${(await serve(handler)).port}/api/v1/templates/invoice/generate-sync`;
    const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    // Which of the two it is depends on whether the adapter has sent the headers by then.
    const received = fetch(url, init).then(async (answer) =>
      answer.ok ? answer.arrayBuffer() : answer.text(),
    );
    expect(["", "Error: The document is truncated."]).toContain(await received.catch(() => ""));
  });
});

describe("a caller that stops reading or reads too slowly", () => {
  beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
  afterEach(() => void vi.restoreAllMocks());

  /** Calls a service that sends a large document, with its length or in chunks, and reads nothing. */
  async function callWithoutReading(timeouts: Timeouts = {}, hasLength = true) {
    let resolve = () => {};
    const isWaiting = new Promise<void>((resolveIt) => {
      resolve = resolveIt;
    });
    const { client, service } = await handlerBefore(({ response }) => {
      const length = hasLength ? { "content-length": big.length } : {};
      response.writeHead(200, { "content-type": "application/pdf", ...length });
      response.end(big);
      const watch = setInterval(() => {
        const before = response.socket?.bytesWritten;
        setTimeout(() => response.socket?.bytesWritten === before && resolve(), 250);
      }, 300);
      onTestFinished(() => clearInterval(watch));
    });
    const { handler, onError } = handlerOf({ client: client.with({ timeouts }) });
    const { server, port } = await serve(handler);
    const accepted = once(server, "connection") as Promise<[Socket]>;
    const caller = callBySocket(port);
    const [connection] = await accepted;
    // Does not use `once`, which would reject with the error that ends the socket.
    const connectionClosed = new Promise((resolve) => connection.once("close", resolve));
    const { closed } = await service.request();
    return { caller, connectionClosed, upstreamClosed: closed, isWaiting, onError };
  }

  it.each([
    ["with a length", true],
    ["in chunks", false],
  ])("ends both calls at timeouts.total, and truncates a response %s", async (_how, hasLength) => {
    const call = await callWithoutReading({ total: 1_000 }, hasLength);
    await Promise.all([call.upstreamClosed, call.connectionClosed]);
    expect(call.onError.mock.calls).toEqual([[expect.any(TimeoutError), expect.anything()]]);
    const pieces: Buffer[] = [];
    call.caller.on("data", (piece: Buffer) => pieces.push(piece)).resume();
    if (!call.caller.destroyed) await once(call.caller, "close");
    const received = Buffer.concat(pieces);
    expect(received.length).toBeLessThan(big.length);
    expect(received.subarray(-5).toString()).not.toBe("0\r\n\r\n");
  });

  it("ends the call to the service after ten minutes by default", async () => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
      shouldAdvanceTime: true,
    });
    onTestFinished(() => void vi.useRealTimers());
    const call = await callWithoutReading();
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
