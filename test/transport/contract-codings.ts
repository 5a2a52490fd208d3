import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { Blindness, MakeTransport } from "./contract.ts";
import { record, requestTo } from "./recorder.ts";
import { framed, head, noise, serveRaw, settle } from "./server.ts";

/** Fast, because the best compression is slow. */
function brotli(content: Uint8Array): Buffer {
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
}

/** Content codings (RFC 9110, 8.4). */
export function describeCodings(makeTransport: MakeTransport, blindness: Blindness): void {
  describe("content coding", () => {
    const document = Buffer.concat([noise(100_000), Buffer.alloc(400_000, "£"), noise(100_000)]);
    const answerWith = (coding: string, content: Uint8Array) =>
      serveRaw((socket) => {
        socket.write(head(200, [`content-encoding: ${coding}`, `content-length: ${content.length}`]));
        socket.write(content);
      });

    it.each([
      ["gzip", gzipSync(document)],
      ["x-gzip", gzipSync(document)],
      ["GZip", gzipSync(document)],
      ["deflate", deflateSync(document)],
      ["br", brotli(document)],
      ["gzip, br", brotli(gzipSync(document))],
      ["br,gzip", gzipSync(brotli(document))],
      ["deflate, gzip, br", brotli(gzipSync(deflateSync(document)))],
      [
        "gzip (of two members)",
        Buffer.concat([gzipSync(document.subarray(0, 9)), gzipSync(document.subarray(9))]),
      ],
      ["deflate (without its wrapper, as some servers send it)", deflateRawSync(document)],
    ])("undoes %s", async (what, content) => {
      const server = await answerWith(what.replace(/ \(.*/, ""), content);
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect([recorder.head.decoded, recorder.head.undecoded]).toEqual([true, undefined]);
      expect(recorder.body.equals(document)).toBe(true);
    });

    it("undoes two header lines of one coding each", async () => {
      const content = brotli(gzipSync(document));
      const server = await serveRaw((socket) => {
        const length = `content-length: ${content.length}`;
        socket.write(head(200, ["content-encoding: gzip", "content-encoding: br", length]));
        socket.write(content);
      });
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.body.equals(document)).toBe(true);
    });

    it("keeps a pause that comes before the head", async () => {
      const server = await answerWith("gzip", gzipSync(document));
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin), { onSent: (one) => one.pause() });
      await recorder.send().until("head");
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      await recorder.finished();
      expect(recorder.body.equals(document)).toBe(true);
    });

    it("undoes what comes byte by byte", async () => {
      const text = Buffer.from("%PDF-1.4 byte by byte");
      const server = await serveRaw((socket) => {
        socket.write(head(200, ["content-encoding: gzip", "transfer-encoding: chunked"]));
        for (const byte of gzipSync(text)) socket.write(framed(Uint8Array.of(byte)));
        socket.write(framed(""));
      });
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.body).toEqual(text);
    });

    it("undoes the coding of an error's body, too", async () => {
      const content = gzipSync('{"message":"no such template"}');
      const server = await serveRaw((socket) => {
        socket.write(head(404, ["content-encoding: gzip", `content-length: ${content.length}`]));
        socket.write(content);
      });
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect([recorder.head.status, recorder.body.toString()]).toEqual([
        404,
        '{"message":"no such template"}',
      ]);
    });

    it.each(["identity", ""])("leaves plain bytes alone where the coding is %j", async (coding) => {
      const server = await answerWith(coding, document);
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect([recorder.head.decoded, recorder.head.undecoded]).toEqual([false, undefined]);
      expect(recorder.body.equals(document)).toBe(true);
    });

    it.each(["snappy", "gzip, snappy", "snappy, gzip"])("names what nobody decodes: %s", async (coding) => {
      const server = await answerWith(coding, Buffer.from("opaque"));
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.head.undecoded).toBe(coding);
      expect(recorder.body.toString()).toBe("opaque");
    });

    it("decodes an empty body to an empty body", async () => {
      const server = await answerWith("gzip", new Uint8Array());
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "end"]);
    });

    it("holds the decoded bytes back while paused, and gives them all later", async () => {
      const server = await answerWith("gzip, br", brotli(gzipSync(document)));
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin), {
        onHead: (one) => one.pause(),
        onChunk: (one) => {
          one.pause();
          setImmediate(() => one.resume());
        },
      }).send();
      await recorder.until("head");
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      await recorder.until("end");
      expect(recorder.body.equals(document)).toBe(true);
    });

    const damaged = (content: Buffer) => {
      const copy = Buffer.from(content);
      const middle = copy.length >> 1;
      copy.fill(0xff, middle, middle + 64);
      return copy;
    };
    const cutOff = (content: Buffer) => content.subarray(0, content.length >> 1);
    const damages: [string, string, Buffer][] = [
      ["gzip that is none", "gzip", document],
      ["deflate that is none", "deflate", Buffer.alloc(1_000, 0xff)],
      ["br that is none", "br", Buffer.alloc(1_000, 0xff)],
      ["damaged gzip", "gzip", damaged(gzipSync(document))],
    ];
    const damagedChains: [string, string, Buffer][] = [
      ["damaged gzip within br", "gzip, br", brotli(damaged(gzipSync(document)))],
      ["damaged br around gzip", "gzip, br", damaged(brotli(gzipSync(document)))],
    ];
    const cutOffCodings: [string, string, Buffer][] = [
      ["gzip that ends too early", "gzip", cutOff(gzipSync(document))],
      ["gzip without its checksum", "gzip", gzipSync(document).subarray(0, -8)],
      ["deflate that ends too early", "deflate", cutOff(deflateSync(document))],
      ["br that ends too early", "br", cutOff(brotli(document))],
      ["br that ends too early around gzip", "gzip, br", cutOff(brotli(gzipSync(document)))],
      ["gzip that ends too early within br", "gzip, br", brotli(cutOff(gzipSync(document)))],
    ];
    it.each([
      ...damages,
      ...(blindness.toDamagedChains ? [] : damagedChains),
      ...(blindness.toCutOffCodings ? [] : cutOffCodings),
    ])("fails once, with a cause, for %s", async (_what, coding, content) => {
      const server = await answerWith(coding, content);
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin)).send();
      await recorder.finished();
      await settle(transport);
      expect(recorder.events.at(-1)).toBe("failure");
      expect(recorder.failure).toBeInstanceOf(Error);
    });

    // Node 20's fetch never frees such a socket, and nothing on this side of it can.
    if (!blindness.toSocketsOfDamage) {
      it("gives the socket of a damaged body back, or closes it", async () => {
        const content = damaged(gzipSync(document));
        const server = await serveRaw((socket) => {
          socket.write(head(200, ["content-encoding: gzip", `content-length: ${content.length * 1_000}`]));
          const more = () => socket.write(content, (error) => !error && setImmediate(more));
          more();
        });
        const recorder = record(makeTransport(), requestTo(server.origin)).send();
        await recorder.finished();
        await eventually(() => server.openSockets === 0);
      });
    }

    it("fails when the connection breaks in the middle of a coded body", async () => {
      const content = gzipSync(document);
      const server = await serveRaw((socket) => {
        socket.write(head(200, ["content-encoding: gzip", `content-length: ${content.length}`]));
        socket.end(content.subarray(0, content.length >> 1));
      });
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.events.at(-1)).toBe("failure");
    });
  });
}
