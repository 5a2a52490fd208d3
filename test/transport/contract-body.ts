import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { framed, noise, responseHeaders, wholeAnswer } from "../support/sockets.ts";
import type { MakeTransport } from "./contract.ts";
import { exchange, type Hooks, send, settle } from "./recorder.ts";

/** Compresses with a low quality, because the best compression is slow. */
function brotli(content: Uint8Array): Buffer {
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
}

const document = Buffer.concat([noise(100_000), Buffer.alloc(400_000, "£"), noise(100_000)]);
const chunkedHeaders = responseHeaders(200, ["transfer-encoding: chunked"]);
const pieces = Array.from({ length: 77 }, (_, at) => document.subarray(at * 7_919, (at + 1) * 7_919));
const damaged = (content: Buffer) => {
  const middle = content.length >> 1;
  return Buffer.from(content).fill(0xff, middle, middle + 64);
};
const cutOff = (content: Buffer) => content.subarray(0, content.length >> 1);
const codedAnswer = (coding: string, content: Uint8Array) =>
  wholeAnswer(content, [`content-encoding: ${coding}`]);

/** The bytes of a response, with any framing and any content coding (RFC 9110, 8.4). */
export function describeBody(makeTransport: MakeTransport, isBlind: boolean): void {
  describe("body", () => {
    it.each([
      ["a content-length", responseHeaders(200, [`content-length: ${document.length}`]), pieces, false],
      ["chunked framing", chunkedHeaders, [...pieces.map(framed), framed("")], false],
      ["the end of the connection", responseHeaders(200, ["connection: close"]), pieces, true],
    ])("arrives completely with %s, in chunks that may be kept", async (_framing, opening, parts, closes) => {
      const copies: Buffer[] = [];
      const recorder = await exchange(
        makeTransport(),
        (socket) => {
          socket.write(opening);
          for (const part of parts) socket.write(part);
          if (closes) socket.end();
        },
        { onChunk: (_recorder, chunk) => copies.push(Buffer.from(chunk)) },
      );
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(recorder.body.equals(document)).toBe(true);
      expect(recorder.chunks.every((chunk, index) => copies[index]?.equals(chunk))).toBe(true);
    });

    it.each([
      ["empty", wholeAnswer("")],
      ["that of a 204", responseHeaders(204)],
      ["empty in gzip", wholeAnswer("", ["content-encoding: gzip"])],
    ])("ends without a chunk if it is %s", async (_kind, answer) => {
      expect((await exchange(makeTransport(), answer)).events).toEqual(["sent", "head", "end"]);
    });
  });

  describe("content coding", () => {
    it.each([
      ["X-GZip", gzipSync(document)],
      ["deflate, gzip, br", brotli(gzipSync(deflateSync(document)))],
      ["gzip\r\ncontent-encoding: br (on two header lines)", brotli(gzipSync(document))],
      [
        "gzip (two concatenated streams)",
        Buffer.concat([gzipSync(cutOff(document)), gzipSync(document.subarray(300_000))]),
      ],
      ["deflate (without its wrapper, as some servers send it)", deflateRawSync(document)],
    ])("is decoded: %s", async (what, content) => {
      const recorder = await exchange(makeTransport(), codedAnswer(what.replace(/ \(.*/, ""), content));
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(recorder.head.isDecoded).toBe(true);
      expect(recorder.head.unsupportedCoding).toBe(undefined);
      expect(recorder.body.equals(document)).toBe(true);
    });

    it.each([
      ["identity", undefined],
      ["", undefined],
      ["gzip-9", "gzip-9"],
      ["gzip, my-gzip", "gzip, my-gzip"],
    ])("is not decoded if it is %j, and is reported if it is unknown", async (coding, unknown) => {
      const { head, body } = await exchange(makeTransport(), codedAnswer(coding, Buffer.from("opaque")));
      expect(head.unsupportedCoding).toBe(unknown);
      expect(body.toString()).toBe("opaque");
      if (unknown === undefined) expect(head.isDecoded).toBe(false);
    });

    it("holds back decoded bytes while paused, and passes all of them later", async () => {
      const transport = makeTransport();
      const { recorder } = await send(transport, codedAnswer("gzip, br", brotli(gzipSync(document))), {
        onSent: (one) => one.pause(),
        onChunk: (one) => [one.pause(), setImmediate(() => one.resume())],
      });
      await recorder.until("head");
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      await recorder.until("end");
      expect(recorder.body.equals(document)).toBe(true);
    });

    const damages: [string, string, Buffer][] = [
      ["a body that is not gzip", "gzip", document],
      ["a body that is not br", "br", Buffer.alloc(1_000, 0xff)],
      ["damaged gzip", "gzip", damaged(gzipSync(document))],
    ];
    const hiddenDamages: typeof damages = [
      ["damaged gzip within br", "gzip, br", brotli(damaged(gzipSync(document)))],
      ["gzip without its checksum", "gzip", gzipSync(document).subarray(0, -8)],
      ["truncated br around gzip", "gzip, br", cutOff(brotli(gzipSync(document)))],
    ];
    it.each([...damages, ...(isBlind ? [] : hiddenDamages)])(
      "reports one failure with a cause for %s",
      async (_what, coding, content) => {
        const transport = makeTransport();
        const recorder = await exchange(transport, codedAnswer(coding, content));
        await settle(transport);
        expect(recorder.events.at(-1)).toBe("failure");
        expect(recorder.failure).toBeInstanceOf(Error);
      },
    );

    const endings: [coding: string, content: Buffer, hooks?: Hooks][] = [
      ["br", brotli(document)],
      ["deflate", deflateSync(document)],
      ["deflate", deflateRawSync(document)],
      ["gzip", gzipSync(document)],
      ["gzip, br", brotli(gzipSync(document))],
      ["br", brotli(document), { onHead: (one) => [one.pause(), setTimeout(() => one.resume(), 100)] }],
    ];
    it.skipIf(isBlind).each(endings)(
      "closes the socket of a body that goes on after the end of its coding (%s, row %#)",
      async (coding, content, hooks) => {
        const { server, recorder } = await send(
          makeTransport(),
          (socket) => {
            socket.write(responseHeaders(200, [`content-encoding: ${coding}`, "transfer-encoding: chunked"]));
            socket.write(framed(content));
            const padding = framed(Buffer.alloc(10_000));
            const more = () => socket.write(padding, (error) => !error && setImmediate(more));
            more();
          },
          hooks,
        );
        await recorder.finished();
        expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
        expect(recorder.body.equals(document)).toBe(true);
        await eventually(() => server.openSockets === 0);
      },
    );

    it.skipIf(isBlind)("frees or closes the socket of a damaged body", async () => {
      const content = damaged(gzipSync(document));
      const { server } = await exchange(makeTransport(), (socket) => {
        socket.write(
          responseHeaders(200, ["content-encoding: gzip", `content-length: ${content.length * 1_000}`]),
        );
        const more = () => socket.write(content, (error) => !error && setImmediate(more));
        more();
      });
      await eventually(() => server.openSockets === 0);
    });
  });
}
