import { type Progress, TemplatePdf } from "template-pdf";
import { fakePdf } from "template-pdf/testing";
import { describe, expect, it } from "vitest";
import { readJsonObject } from "../../src/service/json-body.ts";

/** Far more than a body needs to keep promises busy until every timeout in these tests has passed. */
const mostChunks = 20_000_000;

/**
 * A body whose reader is always ready, so that only promises run. It ends, so that a client that never gets a
 * turn fails the test instead of blocking it.
 *
 * @param first - the first chunks; all others are empty
 */
function alwaysReady(...first: unknown[]): unknown {
  let sent = 0;
  const reader = {
    read: async () => {
      const value = sent < first.length ? first[sent] : new Uint8Array();
      return sent++ < mostChunks ? { done: false, value } : { done: true };
    },
    cancel: async () => {},
  };
  return { locked: false, getReader: () => reader, cancel: async () => {} };
}

/** A client whose `fetch` responds with this body, and the number of its calls. */
function clientOf(body: unknown, status = 200) {
  const calls: string[] = [];
  const fetch = async (url: string) => {
    calls.push(url);
    return { status, type: "basic", headers: new Headers(), body };
  };
  const pdfs = new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey: "the-key",
    fetch: fetch as never,
    retry: false,
  });
  return { pdfs, calls };
}

describe("a body of empty chunks that never ends", () => {
  const begun = fakePdf().subarray(0, 100);

  it("does not keep `timeouts.firstByte` from ending the call", async () => {
    const call = clientOf(alwaysReady()).pdfs.generate("t", {}, { timeouts: { firstByte: 20 } });
    await expect(call.bytes()).rejects.toMatchObject({ code: "timeout", phase: "firstByte" });
  });

  it("does not keep `timeouts.stall` from ending the call", async () => {
    const call = clientOf(alwaysReady(begun)).pdfs.generate("t", {}, { timeouts: { stall: 20 } });
    await expect(call.bytes()).rejects.toMatchObject({ code: "timeout", phase: "stall" });
  });

  it("does not keep `timeouts.total` from ending the call", async () => {
    const call = clientOf(alwaysReady(begun)).pdfs.generate("t", {}, { timeouts: { total: 20 } });
    await expect(call.bytes()).rejects.toMatchObject({ code: "timeout", phase: "total" });
  });

  it("does not keep a signal from cancelling the call", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 20);
    const call = clientOf(alwaysReady(begun)).pdfs.generate("t", {}, { signal: controller.signal });
    await expect(call.bytes()).rejects.toThrow("enough");
  });

  it("does not keep an error response from being reported", async () => {
    const call = clientOf(alwaysReady(), 400).pdfs.generate("t", {}, { timeouts: { stall: 20 } });
    await expect(call.bytes()).rejects.toMatchObject({ code: "bad_request", status: 400 });
  });
});

it("empty chunks are not reported as progress", async () => {
  const whole = fakePdf();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of [new Uint8Array(), whole, new Uint8Array()]) controller.enqueue(chunk);
      controller.close();
    },
  });
  const seen: number[] = [];
  const onProgress = ({ receivedBytes }: Progress) => void seen.push(receivedBytes);
  expect(await clientOf(body).pdfs.generate("t", {}, { onProgress }).bytes()).toEqual(whole);
  expect(seen).toEqual([whole.length]);
});

describe("a body whose chunks are not bytes", () => {
  const rows: [kind: string, chunk: unknown][] = [
    ["a string", "%PDF-1.7"],
    ["undefined", undefined],
    ["null", null],
    ["a number", 37],
    ["an array", [37, 80, 68, 70]],
    ["an ArrayBuffer", new ArrayBuffer(8)],
    ["a DataView", new DataView(new ArrayBuffer(8))],
    ["a Uint16Array", new Uint16Array(4)],
  ];

  it.each(rows)("is one clear error if they are %s", async (kind, chunk) => {
    for (const first of [[chunk], [fakePdf().subarray(0, 100), chunk]]) {
      const { pdfs, calls } = clientOf(alwaysReady(...first));
      const error = await pdfs
        .with({ retry: { limit: 2 } })
        .generate("t", {})
        .bytes()
        .catch((caught) => caught);
      expect(error.message).toBe(
        `Expected the body of the Response from \`fetch\` to contain Uint8Array chunks, got ${kind}.`,
      );
      expect(error.code).toBe("invalid_configuration");
      expect(calls).toHaveLength(1);
    }
  });
});

it("a request body of empty chunks leaves turns for the event loop of the server", async () => {
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, 5);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ === mostChunks) return controller.error(new Error("no timer had a turn"));
      if (!isOver) return controller.enqueue(new Uint8Array());
      controller.enqueue(new TextEncoder().encode("{}"));
      controller.close();
    },
  });
  const init = { method: "POST", body, duplex: "half" };
  expect(await readJsonObject(new Request("http://localhost/", init), 1000)).toEqual({});
});
