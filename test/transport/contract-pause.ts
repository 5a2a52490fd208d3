import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { framed, noise, responseHeaders, turn, wholeAnswer } from "../support/sockets.ts";
import type { MakeTransport } from "./contract.ts";
import { type Hooks, type Recorder, record, requestTo, send, settle } from "./recorder.ts";

const MiB = 1024 * 1024;
const size = 12 * MiB;
const large = Buffer.alloc(size, noise(MiB));
// This gzip has no compression, so that the body has the same size before and after it is decoded.
const stored = gzipSync(large, { level: 0 });

const moments: [when: string, hooks: Hooks, coding: "plain" | "gzip"][] = [
  ["when it is sent", { onSent: (one) => one.pause() }, "gzip"],
  ["at the headers", { onHead: (one) => one.pause() }, "plain"],
  ["at the first chunk", { onChunk: (one) => one.chunks.length === 1 && one.pause() }, "gzip"],
  ["in a later turn", { onHead: (one) => setImmediate(() => one.pause()) }, "plain"],
];

/** Writes a body piece by piece, and counts the bytes that the operating system has accepted. */
function offer(content: Buffer, headers: readonly string[], taken: { bytes: number }) {
  return (socket: Socket) => {
    socket.write(responseHeaders(200, [...headers, `content-length: ${content.length}`]));
    const next = (at: number) => {
      const part = content.subarray(at, at + 64 * 1024);
      socket.write(part, (error) => {
        if (error) return;
        taken.bytes += part.length;
        if (taken.bytes < content.length) next(taken.bytes);
      });
    };
    next(0);
  };
}

/** Tests when chunks arrive. The recorder checks in every test that no chunk arrives while paused. */
export function describePause(makeTransport: MakeTransport): void {
  describe("pause and resume", () => {
    /** Waits until no bytes have been accepted during nine other requests. */
    const standstill = async (transport: ReturnType<MakeTransport>, taken: { bytes: number }) => {
      for (let still = 0, before = -1; still < 3; ) {
        await settle(transport);
        still = taken.bytes === before ? still + 1 : 0;
        before = taken.bytes;
      }
    };

    it.each(moments)("makes the server of a large body wait if paused %s", async (_when, hooks, coding) => {
      const content = coding === "gzip" ? stored : large;
      const headers = coding === "gzip" ? ["content-encoding: gzip"] : [];
      const transport = makeTransport();
      const taken = { bytes: 0 };
      const memoryBefore = process.memoryUsage().arrayBuffers;
      const { recorder } = await send(transport, offer(content, headers, taken), hooks);
      await recorder.until("head");
      await standstill(transport, taken);
      // The socket buffers of the operating system hold some bytes on both sides.
      expect(taken.bytes).toBeLessThan(8 * MiB);
      expect(recorder.body.length).toBeLessThan(2 * MiB);
      expect(process.memoryUsage().arrayBuffers - memoryBefore).toBeLessThan(16 * MiB);
      recorder.resume();
      await recorder.until("end");
      expect(recorder.body.equals(large)).toBe(true);
    });

    it("does not inflate a compressed body while paused", async () => {
      const transport = makeTransport();
      const bomb = wholeAnswer(gzipSync(Buffer.alloc(size)), ["content-encoding: gzip"]);
      const memoryBefore = process.memoryUsage().arrayBuffers;
      const { recorder } = await send(transport, bomb, { onHead: (one) => one.pause() });
      await recorder.until("head");
      await settle(transport);
      expect(process.memoryUsage().arrayBuffers - memoryBefore).toBeLessThan(8 * MiB);
      recorder.resume();
      await recorder.until("end");
      expect(recorder.body.length).toBe(size);
    });

    it("holds back a small body and its end after any number of pauses and resumes", async () => {
      const transport = makeTransport();
      const { recorder } = await send(transport, wholeAnswer("body"), {
        onHead: (one) => [one.resume(), one.pause(), one.pause()],
      });
      await recorder.until("head");
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      recorder.resume();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
    });

    const document = noise(2_000_000);
    const answerInChunks = (socket: Socket) => {
      socket.write(responseHeaders(200, ["transfer-encoding: chunked"]));
      for (let at = 0; at < document.length; at += 50_000)
        socket.write(framed(document.subarray(at, at + 50_000)));
      socket.write(framed(""));
    };

    it("loses no byte if every event pauses the exchange until the next turn", async () => {
      const pauseAndResume = (one: Recorder) => [one.pause(), setImmediate(() => one.resume())];
      const hooks = { onHead: pauseAndResume, onChunk: pauseAndResume };
      const { recorder } = await send(makeTransport(), answerInChunks, hooks);
      await recorder.until("end");
      expect(recorder.body.equals(document)).toBe(true);
    });

    it("of an ended exchange do not affect the next exchange over the same socket", async () => {
      const answered: Socket[] = [];
      const transport = makeTransport();
      const { server, recorder: first } = await send(transport, (socket, { index }) => {
        socket.write(
          index === 0 ? wholeAnswer("first") : `${responseHeaders(200, ["content-length: 10"])}secon`,
        );
        answered.push(socket);
      });
      await first.until("end");
      await turn();
      const second = record(transport, requestTo(server.origin)).send();
      await second.until("chunk");
      first.resume();
      first.pause();
      first.abort();
      answered[1]?.write("d end");
      await second.finished();
      expect(second.events).toEqual(["sent", "head", "chunk", "end"]);
      expect({ body: second.body.toString(), socketCount: server.allSockets }).toEqual({
        body: "second end",
        socketCount: 1,
      });
    });
  });
}
