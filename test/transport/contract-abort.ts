import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { MakeTransport } from "./contract.ts";
import { type Hooks, type Recorder, record, requestTo } from "./recorder.ts";
import { closed, head, later, noise, serveRaw, settle, turn } from "./server.ts";

/** An exchange that is given up. That nothing is told afterwards, the recorder checks in every test. */
export function describeAbort(makeTransport: MakeTransport): void {
  describe("abort", () => {
    const document = noise(200_000);
    /** Serves a document that never ends, and remembers its socket. */
    const serveForever = async (headers: readonly string[] = [], content: Uint8Array = document) => {
      const { promise: socket, resolve: take } = later<Socket>();
      const server = await serveRaw((from) => {
        from.write(head(200, [...headers, `content-length: ${content.length * 1_000}`]));
        const more = () => from.write(content, (error) => !error && setImmediate(more));
        more();
        take(from);
      });
      return { server, socket };
    };

    it("keeps what was never sent from being sent", async () => {
      const server = await serveRaw((socket) => socket.write(head(200, ["content-length: 0"])));
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin));
      recorder.abort();
      recorder.send();
      await settle(transport);
      expect(recorder.events).toEqual([]);
      expect(server.requests).toEqual([]);
    });

    it("silences a request that was sent in the same breath", async () => {
      const server = await serveRaw((socket) => socket.write(head(200, ["content-length: 0"])));
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin)).send();
      recorder.abort();
      await settle(transport);
      expect(recorder.events.filter((event) => event !== "sent")).toEqual([]);
      expect(server.requests).toEqual([]);
    });

    it("silences a request in the moment in which it is sent", async () => {
      const server = await serveRaw((socket) => socket.write(head(200, ["content-length: 0"])));
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin), { onSent: (one) => one.abort() }).send();
      await recorder.until("sent");
      await settle(transport);
      expect(recorder.events).toEqual(["sent"]);
    });

    it("closes the socket of a request that was not answered yet", async () => {
      const arrival = later<Socket>();
      const server = await serveRaw((socket) => arrival.resolve(socket));
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin)).send();
      const socket = await arrival.promise;
      recorder.abort();
      await closed(socket);
      await settle(transport);
      expect(recorder.events).toEqual(["sent"]);
    });

    const stages: [string, Hooks][] = [
      ["in the moment of the head", { onHead: (one) => one.abort() }],
      ["in the moment of a chunk", { onChunk: (one) => one.abort() }],
      [
        "paused since the head",
        {
          onHead: (one) => {
            one.pause();
            setImmediate(() => one.abort());
          },
        },
      ],
      [
        "paused since a chunk",
        {
          onChunk: (one) => {
            one.pause();
            setImmediate(() => one.abort());
          },
        },
      ],
      ["paused and aborted in one breath", { onChunk: (one) => [one.pause(), one.abort()] }],
      ["in between two chunks", { onChunk: (one) => queueMicrotask(() => one.abort()) }],
      ["in some later turn", { onHead: (one) => void setImmediate(() => one.abort()) }],
      ["twice", { onHead: (one) => [one.abort(), one.abort("again")] }],
      ["and then paused and resumed", { onChunk: (one) => [one.abort(), one.pause(), one.resume()] }],
    ];
    const codings: [string, string[], Uint8Array][] = [
      ["plain", [], document],
      ["gzip", ["content-encoding: gzip"], gzipSync(document)],
    ];
    const cases = codings.flatMap(([coding, headers, content]) =>
      stages.map(([when, hooks]) => ({ coding, headers, content, when, hooks })),
    );
    it.each(cases)(
      "closes the socket of a $coding body, $when, and falls silent",
      async ({ headers, content, hooks }) => {
        const { server, socket } = await serveForever(headers, content);
        const transport = makeTransport();
        const recorder = record(transport, requestTo(server.origin), hooks).send();
        await closed(await socket);
        const heard: Recorder["events"] = [...recorder.events];
        await settle(transport);
        expect(recorder.events).toEqual(heard);
        expect(recorder.events).not.toContain("end");
        expect(recorder.events).not.toContain("failure");
      },
    );

    it("drops a chunk that arrived while paused", async () => {
      const arrival = later<Socket>();
      const server = await serveRaw((socket) => {
        socket.write(`${head(200, ["content-length: 12"])}1st ;`);
        arrival.resolve(socket);
      });
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin)).send();
      await recorder.until("chunk");
      await turn();
      recorder.pause();
      const socket = await arrival.promise;
      socket.write("2nd");
      await settle(transport);
      recorder.abort();
      await closed(socket);
      await settle(transport);
      expect(recorder.body.toString()).toBe("1st ;");
    });

    it("leaves the socket alone when the exchange has ended", async () => {
      const server = await serveRaw((socket) => socket.write(`${head(200, ["content-length: 4"])}body`));
      const transport = makeTransport();
      const first = record(transport, requestTo(server.origin)).send();
      await first.until("end");
      first.abort();
      await turn();
      const second = record(transport, requestTo(server.origin)).send();
      await second.finished();
      expect(second.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(server.allSockets).toBe(1);
    });

    it("ends one of two exchanges and not the other", async () => {
      const sockets: Socket[] = [];
      const server = await serveRaw((socket) => {
        sockets.push(socket);
        socket.write(`${head(200, ["content-length: 8"])}half`);
      });
      const transport = makeTransport();
      const doomed = record(transport, requestTo(server.origin)).send();
      await doomed.until("chunk");
      const kept = record(transport, requestTo(server.origin)).send();
      await kept.until("chunk");
      doomed.abort();
      const [first, second] = sockets;
      if (!first || !second) throw new Error("Two requests at once need two sockets.");
      await closed(first);
      second.write("rest");
      await kept.finished();
      expect([kept.events.at(-1), kept.body.toString()]).toEqual(["end", "halfrest"]);
    });
  });
}
