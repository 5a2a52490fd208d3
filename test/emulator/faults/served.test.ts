import { getEventListeners } from "node:events";
import { connect } from "node:net";
import {
  ConnectionError,
  InvalidPdfError,
  RateLimitError,
  ServerError,
  TemplatePdf,
  TruncatedPdfError,
} from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Misbehaviour } from "../../../src/emulator/misbehaviour.ts";
import { createEndpoint } from "../../../src/service/endpoint.ts";
import { listen } from "../../../src/service/listen.ts";
import { requireApiKey } from "../../../src/service/require-api-key.ts";
import { eventually } from "../../support/eventually.ts";
import { pdfOf, transports } from "../../support/service.ts";
import type { MisbehaviourOptions } from "./misbehaving.ts";

const KEY = "k-2af91c";

/** Large enough to come in many pieces. */
const pdf = new Uint8Array(pdfOf(3_000_001));
const half = Math.floor(pdf.byteLength / 2);

const prints = (["log", "info", "warn", "error"] as const).map((level) => vi.spyOn(console, level));
beforeEach(() => {
  for (const print of prints) print.mockReset();
});
afterEach(() => {
  for (const print of prints) expect(print).not.toHaveBeenCalled();
});

/** Serves one document, misbehaving, over a real socket until the test has finished. */
async function serve(options: MisbehaviourOptions = {}) {
  const closing = new AbortController();
  const endpoint = createEndpoint({
    authorize: requireApiKey([KEY]),
    produce: new Misbehaviour(options, closing.signal).wrap(() => ({ bytes: pdf })),
  });
  const listening = await listen(endpoint, { host: "127.0.0.1", port: 0 });
  const close = () => {
    closing.abort(new Error("closed"));
    return listening.close();
  };
  onTestFinished(close);
  return {
    baseUrl: listening.baseUrl,
    close,
    /** How many calls wait for something. */
    waiting: () => getEventListeners(closing.signal, "abort").length,
  };
}

describe.each(transports)("over %s, a client sees", (_name, carriedBy) => {
  function clientOf({ baseUrl }: { baseUrl: string }): TemplatePdf {
    const client = new TemplatePdf({ baseUrl, apiKey: KEY, retry: false, ...carriedBy });
    onTestFinished(() => client.close());
    return client;
  }

  /** Reads a document as far as its first half. */
  async function readHalf(stream: ReadableStream<Uint8Array>) {
    const reader = stream.getReader();
    let received = 0;
    while (received < half) received += (await reader.read()).value?.byteLength ?? Number.NaN;
    return { reader, received };
  }

  it("a status, with when to try again, and then documents", async () => {
    const pdfs = clientOf(await serve({ faults: "429 retry-after 2 first 1" }));
    const error: RateLimitError = await pdfs
      .generate("invoice", {})
      .bytes()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.headers?.get("retry-after")).toBe("2");
    expect(error.headers?.get("connection")).toBe("keep-alive");
    expect(error.message).toContain('was asked for by the rule \\"429 retry-after 2 first 1\\"');
    expect((await pdfs.generate("invoice", {}).bytes()).byteLength).toBe(pdf.byteLength);
  });

  it("a page instead of a document", async () => {
    const pdfs = clientOf(await serve({ faults: "html first 1" }));
    await expect(pdfs.generate("invoice", {}).bytes()).rejects.toThrow(InvalidPdfError);
    expect((await pdfs.generate("invoice", {}).bytes()).byteLength).toBe(pdf.byteLength);
  });

  it("half a document, then a broken connection, and then documents", async () => {
    const pdfs = clientOf(await serve({ faults: "cut first 1" }));
    const error: TruncatedPdfError = await pdfs
      .generate("invoice", {})
      .bytes()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect([error.receivedBytes, error.promisedBytes]).toEqual([half, pdf.byteLength]);
    expect((await pdfs.generate("invoice", {}).bytes()).byteLength).toBe(pdf.byteLength);
  });

  it("a dropped connection, and then documents", async () => {
    const pdfs = clientOf(await serve({ faults: "reset first 1" }));
    await expect(pdfs.generate("invoice", {}).bytes()).rejects.toThrow(ConnectionError);
    expect((await pdfs.generate("invoice", {}).bytes()).byteLength).toBe(pdf.byteLength);
  });

  it("half a document, then nothing more until it gives up itself", async () => {
    const server = await serve({ faults: "stall first 1" });
    const pdfs = clientOf(server);
    const controller = new AbortController();
    await using document = await pdfs.generate("invoice", {}, { signal: controller.signal });
    expect(document.contentLength).toBe(pdf.byteLength);
    const { reader, received } = await readHalf(document.stream());
    expect(received).toBe(half);
    const settled = vi.fn();
    const more = reader.read();
    more.then(settled, settled);
    // A whole document takes its way meanwhile.
    await pdfs.generate("invoice", {}).bytes();
    expect(settled).not.toHaveBeenCalled();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(more).rejects.toBe(reason);
  });

  it("a stalled document break off when the server stops, which does not wait for it", async () => {
    const server = await serve({ faults: "stall" });
    await using document = await clientOf(server).generate("invoice", {});
    const stream = document.stream();
    const { reader } = await readHalf(stream);
    await server.close();
    const error = await reader.read().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect(error.receivedBytes).toBe(half);
  });

  it("503 for a call that waits when the server stops", async () => {
    const server = await serve({ latency: "1000s" });
    const call = clientOf(server).generate("invoice", {}).bytes();
    call.catch(() => {});
    await eventually(() => server.waiting() === 1);
    await server.close();
    await expect(call).rejects.toThrow(ServerError);
    await expect(call).rejects.toThrow("This emulator is stopping");
  });

  it("what it asks for by headers of its own", async () => {
    const server = await serve({ latency: "1000s" });
    const pdfs = clientOf(server).with({ headers: { "x-emulator-latency": "0" } });
    const asking = (fault: string) =>
      pdfs.generate("invoice", {}, { headers: { "x-emulator-fault": fault } });
    await expect(asking("cut").bytes()).rejects.toThrow(TruncatedPdfError);
    await expect(asking("reset").bytes()).rejects.toThrow(ConnectionError);
    await expect(asking("429 sometimes").bytes()).rejects.toThrow("The header x-emulator-fault");
    expect((await pdfs.generate("invoice", {}).bytes()).byteLength).toBe(pdf.byteLength);
  });

  it("nothing of a latency that it does not wait for, and the server forgets the call", async () => {
    const server = await serve({ latency: "1000s" });
    const controller = new AbortController();
    const call = clientOf(server).generate("invoice", {}, { signal: controller.signal }).bytes();
    call.catch(() => {});
    await eventually(() => server.waiting() === 1);
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await eventually(() => server.waiting() === 0);
  });
});

describe("on the wire", () => {
  /** Sends one call by a bare socket and reads until the connection ends. */
  async function answerTo(baseUrl: string): Promise<{ head: string; body: number }> {
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.write(
      "POST /api/v1/templates/invoice/generate-sync HTTP/1.1\r\nHost: localhost\r\n" +
        `Authorization: API-Key ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
    // Not `once`, which rejects for a connection that is reset.
    await new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
    const received = Buffer.concat(chunks);
    const end = received.indexOf("\r\n\r\n");
    return {
      head: received.subarray(0, Math.max(end, 0)).toString("latin1"),
      body: received.length - end - 4,
    };
  }

  it("cut keeps its promise of length and half of its bytes, and ends the connection", async () => {
    const { head, body } = await answerTo((await serve({ faults: "cut" })).baseUrl);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head.toLowerCase()).toContain(`\r\ncontent-length: ${pdf.byteLength}\r\n`);
    expect(head.toLowerCase()).not.toContain("transfer-encoding");
    expect(body).toBe(half);
  });

  it("reset sends not one byte", async () => {
    const { head } = await answerTo((await serve({ faults: "reset" })).baseUrl);
    expect(head).toBe("");
  });
});
