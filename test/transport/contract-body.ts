import { describe, expect, it } from "vitest";
import type { MakeTransport } from "./contract.ts";
import { record, requestTo } from "./recorder.ts";
import { framed, head, noise, serveRaw } from "./server.ts";

/** The bytes of an answer. */
export function describeBody(makeTransport: MakeTransport): void {
  describe("body", () => {
    const document = noise(300_000);
    const pieces = (size: number) =>
      Array.from({ length: Math.ceil(document.length / size) }, (_, index) =>
        document.subarray(index * size, (index + 1) * size),
      );

    it.each([
      ["a content-length", head(200, [`content-length: ${document.length}`]), () => pieces(7_919), false],
      [
        "chunked framing",
        head(200, ["transfer-encoding: chunked"]),
        () => [...pieces(1_013).map(framed), framed("")],
        false,
      ],
      ["the end of the connection (HTTP/1.0)", "HTTP/1.0 200 OK\r\n\r\n", () => pieces(7_919), true],
      ["the end of the connection (HTTP/1.1)", head(200, ["connection: close"]), () => pieces(7_919), true],
    ])("arrives whole by %s, in chunks that may be kept", async (_framing, opening, parts, closes) => {
      const server = await serveRaw((socket) => {
        socket.write(opening);
        for (const part of parts()) socket.write(part);
        if (closes) socket.end();
      });
      const copies: Buffer[] = [];
      const recorder = record(makeTransport(), requestTo(server.origin), {
        onChunk: (_recorder, chunk) => copies.push(Buffer.from(chunk)),
      }).send();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(recorder.body.equals(document)).toBe(true);
      // What was kept is still what it was when it came.
      expect(recorder.chunks.every((chunk, index) => copies[index]?.equals(chunk))).toBe(true);
    });

    it.each([
      ["of length 0", head(200, ["content-length: 0"])],
      ["of no chunk", head(200, ["transfer-encoding: chunked"]) + framed("").toString()],
      ["that there cannot be (204)", head(204)],
    ])("ends without a chunk where the body is one %s", async (_kind, answer) => {
      const server = await serveRaw((socket) => socket.write(answer));
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "end"]);
    });

    it("arrives whole in 100,000 chunks of one byte", async () => {
      const tiny = noise(100_000);
      const frames = Buffer.concat([...Array.from(tiny, (byte) => framed(Uint8Array.of(byte))), framed("")]);
      const server = await serveRaw((socket) => {
        socket.write(head(200, ["transfer-encoding: chunked"]));
        socket.write(frames);
      });
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.until("end");
      expect(recorder.body.equals(tiny)).toBe(true);
    });

    it("leaves trailers and chunk extensions out of the body", async () => {
      const server = await serveRaw((socket) => {
        socket.write(head(200, ["transfer-encoding: chunked", "trailer: x-sum"]));
        socket.write("4;name=value\r\nbody\r\n0\r\nx-sum: 1\r\n\r\n");
      });
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.until("end");
      expect(recorder.body.toString()).toBe("body");
    });
  });
}
