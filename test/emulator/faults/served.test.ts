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
import { pdfOf, rejectionOf, transports } from "../../support/service.ts";
import type { MisbehaviourOptions } from "./misbehaving.ts";

const KEY = "k-2af91c";

/** Large enough to arrive in many chunks. */
const pdf = new Uint8Array(pdfOf(3_000_001));
const half = Math.floor(pdf.byteLength / 2);

const prints = (["log", "info", "warn", "error"] as const).map((level) => vi.spyOn(console, level));
beforeEach(() => {
  for (const print of prints) print.mockReset();
});
afterEach(() => {
  for (const print of prints) expect(print).not.toHaveBeenCalled();
});

/** Serves one document with faults over a real socket until the test has finished. */
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
    /** The number of calls that are delayed or stalled. */
    waiting: () => getEventListeners(closing.signal, "abort").length,
  };
}

describe.each(transports)("a client over %s", (_name, transportOptions) => {
  function clientOf({ baseUrl }: { baseUrl: string }): TemplatePdf {
    const client = new TemplatePdf({ baseUrl, apiKey: KEY, retry: false, ...transportOptions });
    onTestFinished(() => client.close());
    return client;
  }

  /** Reads a document up to its middle. */
  async function readHalf(stream: ReadableStream<Uint8Array>) {
    const reader = stream.getReader();
    let received = 0;
    while (received < half) received += (await reader.read()).value?.byteLength ?? Number.NaN;
    return { reader, received };
  }

  const errorOf = (pdfs: TemplatePdf) => rejectionOf(pdfs.generate("invoice", {}).bytes());
  const sizeOf = async (pdfs: TemplatePdf) => (await pdfs.generate("invoice", {}).bytes()).byteLength;

  it.each([
    ["an HTML page instead of a document", "html", InvalidPdfError, {}],
    [
      "a truncated document",
      "cut",
      TruncatedPdfError,
      { receivedBytes: half, promisedBytes: pdf.byteLength },
    ],
    ["a dropped connection", "reset", ConnectionError, {}],
    ["an error status", "429 retry-after 2", RateLimitError, { retryAfterMs: 2_000 }],
  ] as const)("receives %s and then a document", async (_what, fault, Kind, properties) => {
    const pdfs = clientOf(await serve({ faults: `${fault} first 1` }));
    const error = await errorOf(pdfs);
    expect(error).toBeInstanceOf(Kind);
    expect(error).toMatchObject(properties);
    expect(await sizeOf(pdfs)).toBe(pdf.byteLength);
  });

  it("receives a status fault on a connection that stays open", async () => {
    const error = (await errorOf(clientOf(await serve({ faults: "429" })))) as RateLimitError;
    expect(error.headers?.get("connection")).toBe("keep-alive");
    expect(error.message).toContain('was caused by the rule \\"429\\"');
  });

  it("waits for a document that stalls in the middle until it aborts the call", async () => {
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
    // Meanwhile, another document arrives completely.
    await sizeOf(pdfs);
    expect(settled).not.toHaveBeenCalled();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(more).rejects.toBe(reason);
  });

  it("receives a truncated document if the server stops during a stall", async () => {
    const server = await serve({ faults: "stall" });
    await using document = await clientOf(server).generate("invoice", {});
    const stream = document.stream();
    const { reader } = await readHalf(stream);
    await server.close();
    const error = await rejectionOf(reader.read());
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect(error).toMatchObject({ receivedBytes: half });
  });

  it("receives a 503 for a delayed call if the server stops", async () => {
    const server = await serve({ latency: "1000s" });
    const call = clientOf(server).generate("invoice", {}).bytes();
    call.catch(() => {});
    await eventually(() => server.waiting() === 1);
    await server.close();
    await expect(call).rejects.toThrow(ServerError);
    await expect(call).rejects.toThrow("The emulator is stopping");
  });

  it("can set the fault and the latency of a call in headers", async () => {
    const server = await serve({ latency: "1000s" });
    const headers = { "x-emulator-latency": "0" };
    const pdfs = clientOf(server).with({ headers });
    const errorWithFault = (fault: string) =>
      errorOf(pdfs.with({ headers: { ...headers, "x-emulator-fault": fault } }));
    expect(await errorWithFault("cut")).toBeInstanceOf(TruncatedPdfError);
    expect(await errorWithFault("429 sometimes")).toMatchObject({
      message: expect.stringContaining("x-emulator-fault"),
    });
    expect(await sizeOf(pdfs)).toBe(pdf.byteLength);
  });

  it("receives no response after it aborts a delayed call, and the server releases the call", async () => {
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

describe("the raw response of a fault", () => {
  /** Sends one call over a raw socket and reads until the connection closes. */
  async function rawResponseOf({ baseUrl }: { baseUrl: string }) {
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let received = "";
    socket.setEncoding("latin1").on("data", (text) => {
      received += text;
    });
    socket.write(
      "POST /api/v1/templates/invoice/generate-sync HTTP/1.1\r\nHost: localhost\r\n" +
        `Authorization: API-Key ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
    // `once` would reject if the connection is reset.
    await new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
    const [head = "", body = ""] = received.split(/\r\n\r\n(.*)/s);
    return { head, bytes: body.length };
  }

  it("has the length of the document but only half of its bytes for cut", async () => {
    const { head, bytes } = await rawResponseOf(await serve({ faults: "cut" }));
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head.toLowerCase()).toContain(`\r\ncontent-length: ${pdf.byteLength}\r\n`);
    expect(head.toLowerCase()).not.toContain("transfer-encoding");
    expect(bytes).toBe(half);
  });

  it("is empty for reset", async () => {
    expect(await rawResponseOf(await serve({ faults: "reset" }))).toEqual({ head: "", bytes: 0 });
  });
});
