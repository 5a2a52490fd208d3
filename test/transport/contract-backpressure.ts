import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { MakeTransport } from "./contract.ts";
import { type Recorder, record, requestTo } from "./recorder.ts";
import { head, noise, serveRaw, settle } from "./server.ts";

const MiB = 1024 * 1024;
const size = 64 * MiB;
const piece = noise(MiB);
const large = Buffer.concat(Array.from({ length: size / MiB }, () => piece));

/** What happens to a server whose receiver is slow. */
export function describeBackpressure(makeTransport: MakeTransport): void {
  describe("backpressure", () => {
    /** Offers `content` piece by piece, and counts what the system has taken from the server. */
    const offer = async (headers: readonly string[], content: Buffer) => {
      const taken = { bytes: 0 };
      const server = await serveRaw((socket: Socket) => {
        socket.write(head(200, [...headers, `content-length: ${content.length}`]));
        let at = 0;
        const next = () => {
          if (at >= content.length) return;
          const part = content.subarray(at, at + 64 * 1024);
          at += part.length;
          socket.write(part, (error) => {
            if (error) return;
            taken.bytes += part.length;
            next();
          });
        };
        next();
      });
      return { server, taken };
    };

    /** Waits until nothing has moved while other requests came and went, ten times over. */
    const standstill = async (transport: ReturnType<MakeTransport>, taken: { bytes: number }) => {
      for (let still = 0, before = -1; still < 10; ) {
        await settle(transport);
        still = taken.bytes === before ? still + 1 : 0;
        before = taken.bytes;
      }
    };

    const isWhole = (recorder: Recorder) => {
      let at = 0;
      for (const chunk of recorder.chunks) {
        if (!large.subarray(at, at + chunk.length).equals(chunk)) return false;
        at += chunk.length;
      }
      return at === size;
    };

    const pausing: [string, { onHead?(one: Recorder): void; onChunk?(one: Recorder): void }][] = [
      ["from the head on", { onHead: (one) => one.pause() }],
      [
        "from a chunk on",
        {
          onChunk: (one) => {
            if (one.chunkCount === 1) one.pause();
          },
        },
      ],
      [
        "from some later turn on",
        {
          onHead: (one) => {
            setImmediate(() => one.pause());
          },
        },
      ],
    ];
    const codings: [string, string[], Buffer][] = [
      ["plain", [], large],
      // Stored, not compressed, so that the body is as large on the wire as it is decoded.
      ["gzip", ["content-encoding: gzip"], gzipSync(large, { level: 0 })],
    ];
    const cases = codings.flatMap(([coding, headers, content]) =>
      pausing.map(([when, hooks]) => ({ coding, headers, content, when, hooks })),
    );

    it.each(cases)(
      "makes the server of a large $coding body wait, paused $when, and gives the rest later",
      async ({ headers, content, hooks }) => {
        const transport = makeTransport();
        const { server, taken } = await offer(headers, content);
        const memoryBefore = process.memoryUsage().arrayBuffers;
        const recorder = record(transport, requestTo(server.origin), hooks).send();
        await recorder.until("head");
        await standstill(transport, taken);
        // The socket buffers of the operating system hold some on either side.
        expect(taken.bytes).toBeLessThan(8 * MiB);
        expect(recorder.receivedBytes).toBeLessThan(2 * MiB);
        expect(process.memoryUsage().arrayBuffers - memoryBefore).toBeLessThan(16 * MiB);
        recorder.resume();
        await recorder.until("end");
        expect(isWhole(recorder)).toBe(true);
      },
    );

    it("makes the server wait that was paused before the head", async () => {
      const transport = makeTransport();
      const { server, taken } = await offer([], large);
      const recorder = record(transport, requestTo(server.origin)).send();
      recorder.pause();
      await recorder.until("head");
      await standstill(transport, taken);
      expect(taken.bytes).toBeLessThan(8 * MiB);
      recorder.resume();
      await recorder.until("end");
      expect(isWhole(recorder)).toBe(true);
    });

    it("does not inflate what nobody takes", async () => {
      const transport = makeTransport();
      const bomb = gzipSync(Buffer.alloc(size));
      const { server } = await offer(["content-encoding: gzip"], bomb);
      const memoryBefore = process.memoryUsage().arrayBuffers;
      const recorder = record(transport, requestTo(server.origin), { onHead: (one) => one.pause() }).send();
      await recorder.until("head");
      await settle(transport);
      expect(process.memoryUsage().arrayBuffers - memoryBefore).toBeLessThan(8 * MiB);
      recorder.resume();
      await recorder.until("end");
      expect(recorder.receivedBytes).toBe(size);
    });
  });
}
