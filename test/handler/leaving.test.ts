import { type AddressInfo, connect } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { TruncatedPdfError } from "template-pdf";
import { describe, expect, it, onTestFinished } from "vitest";
import { asTaken, beginning, cutOffAfter, pdfOf, rejectionOf, turns } from "../support/service.ts";
import { callOf, handlerBefore, pdf } from "./handling.ts";

/** Serves a handler on a socket of its own. */
async function serve(handler: (request: Request) => Promise<Response>): Promise<number> {
  const server = createAdaptorServer({ fetch: handler, overrideGlobalObjects: false });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Calls it by hand, and reads nothing. */
function callBySocket(port: number) {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.pause();
  socket.write(
    "POST /api/v1/templates/invoice/generate-sync HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
  );
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe("a caller that leaves", () => {
  it("before the document begins ends the call to the service, and nobody is told of an error", async () => {
    const { handler, service, onError } = await handlerBefore(() => {});
    const socket = callBySocket(await serve(handler));
    const { closed } = await service.request();
    socket.destroy();
    await closed;
    expect(onError).not.toHaveBeenCalled();
  });

  it("amid the document ends the call to the service", async () => {
    const { handler, service, onError } = await handlerBefore(beginning(pdf.subarray(0, 20_000)));
    const socket = callBySocket(await serve(handler));
    await new Promise((resolve) => socket.once("data", resolve).resume());
    const { closed } = await service.request();
    socket.destroy();
    await closed;
    expect(onError).not.toHaveBeenCalled();
  });

  it("by cancelling the body ends the call to the service, too", async () => {
    const { handler, service, onError } = await handlerBefore(beginning(pdf.subarray(0, 20_000)));
    const response = await handler(callOf());
    const reader = response.body?.getReader() ?? expect.fail("no body");
    let received = 0;
    while (received < 20_000) received += (await reader.read()).value?.length ?? 0;
    // While more is waited for.
    const waiting = reader.read();
    await turns();
    await reader.cancel();
    expect((await waiting).done).toBe(true);
    await (await service.request()).closed;
    await turns();
    expect(onError).not.toHaveBeenCalled();
  });
});

describe("a document on its way through a handler", () => {
  it("comes no faster than it is taken", async () => {
    const big = pdfOf(64 * 1024 * 1024);
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
    const socket = callBySocket(await serve(handler));
    await full;
    // What three sockets, their buffers in the system, and the streams between them hold.
    expect(written).toBeLessThan(24 * 1024 * 1024);
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    while (received < big.length) await new Promise((resolve) => socket.once("data", resolve));
    clearTimeout(timer);
  });

  it("that breaks off is never whole for the page", async () => {
    const { handler, onError } = await handlerBefore(cutOffAfter(pdf, 20_000));
    const response = await handler(callOf());
    expect(response.status).toBe(200);
    const error = await rejectionOf(response.arrayBuffer());
    expect(error).toEqual(new Error("The document is truncated."));
    const requestId = response.headers.get("x-request-id");
    const about = expect.objectContaining({ requestId });
    expect(onError.mock.calls).toEqual([[expect.any(TruncatedPdfError), about]]);

    const port = await serve(handler);
    const url = `http://127.0.0.1:${port}/api/v1/templates/invoice/generate-sync`;
    const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    // Whether the adapter has sent the head by then decides which of the two it is.
    const received = fetch(url, init).then(async (answer) =>
      answer.ok ? answer.arrayBuffer() : answer.text(),
    );
    expect(["", "Error: The document is truncated."]).toContain(await received.catch(() => ""));
  });
});
