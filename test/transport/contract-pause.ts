import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { MakeTransport } from "./contract.ts";
import { type Recorder, record, requestTo } from "./recorder.ts";
import { framed, head, noise, serveRaw, settle, turn } from "./server.ts";

/** When chunks may come. That none comes while paused, the recorder checks in every test. */
export function describePause(makeTransport: MakeTransport): void {
  describe("pause and resume", () => {
    const document = noise(2_000_000);
    const serveDocument = () =>
      serveRaw((socket) => {
        socket.write(head(200, ["transfer-encoding: chunked"]));
        for (let at = 0; at < document.length; at += 50_000) {
          socket.write(framed(document.subarray(at, at + 50_000)));
        }
        socket.write(framed(""));
      });

    it("holds a small body back, and its end, from the head on", async () => {
      const server = await serveRaw((socket) => socket.write(`${head(200, ["content-length: 4"])}body`));
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin), { onHead: (one) => one.pause() }).send();
      await recorder.until("head");
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(recorder.body.toString()).toBe("body");
    });

    it("holds chunks back that were paused before the head", async () => {
      const server = await serveDocument();
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin)).send();
      recorder.pause();
      await recorder.until("head");
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      await recorder.until("end");
      expect(recorder.body.equals(document)).toBe(true);
    });

    it("holds the rest back from a chunk on", async () => {
      const server = await serveDocument();
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin), {
        onChunk: (one) => {
          if (one.chunkCount === 1) one.pause();
        },
      }).send();
      await recorder.until("chunk");
      await settle(transport);
      expect(recorder.chunkCount).toBe(1);
      recorder.resume();
      await recorder.until("end");
      expect(recorder.body.equals(document)).toBe(true);
    });

    const resumptions: [string, (recorder: Recorder) => void][] = [
      ["in the same breath", (one) => one.resume()],
      ["in a microtask", (one) => queueMicrotask(() => one.resume())],
      ["in the next tick", (one) => process.nextTick(() => one.resume())],
      ["in the next turn", (one) => setImmediate(() => one.resume())],
    ];
    it.each(resumptions)("loses nothing when every chunk pauses and resumes %s", async (_when, resume) => {
      const server = await serveDocument();
      const recorder = record(makeTransport(), requestTo(server.origin), {
        onHead: (one) => {
          one.pause();
          resume(one);
        },
        onChunk: (one) => {
          one.pause();
          resume(one);
        },
      }).send();
      await recorder.until("end");
      expect(recorder.body.equals(document)).toBe(true);
    });

    it("obeys a pause that comes at any moment, not only during an event", async () => {
      const server = await serveDocument();
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.until("head");
      let turn = 0;
      // Turns of uneven length between pause and resume, so that both meet every state of the socket.
      const toggle = () => {
        turn += 1;
        if (turn % 3 === 1) recorder.pause();
        else if (turn % 3 === 0) recorder.resume();
        if (!recorder.events.includes("end")) setImmediate(toggle);
      };
      toggle();
      await recorder.until("end");
      expect(recorder.body.equals(document)).toBe(true);
    });

    it("takes a second pause and a second resume as one", async () => {
      const server = await serveDocument();
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin), {
        onHead: (one) => {
          one.resume();
          one.pause();
          one.pause();
        },
      }).send();
      await recorder.until("head");
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      recorder.resume();
      await recorder.until("end");
      expect(recorder.body.equals(document)).toBe(true);
    });

    it("does nothing to the next request of the same socket, once the exchange has ended", async () => {
      let answerSecond: Socket | undefined;
      const server = await serveRaw((socket, { index }) => {
        if (index === 0) socket.write(`${head(200, ["content-length: 5"])}first`);
        else {
          socket.write(`${head(200, ["content-length: 10"])}secon`);
          answerSecond = socket;
        }
      });
      const transport = makeTransport();
      const first = record(transport, requestTo(server.origin)).send();
      await first.until("end");
      await turn();
      const second = record(transport, requestTo(server.origin)).send();
      await second.until("chunk");
      expect(server.allSockets).toBe(1);
      first.resume();
      first.pause();
      first.abort();
      answerSecond?.write("d end");
      await second.finished();
      expect(second.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(second.body.toString()).toBe("second end");
    });
  });
}
