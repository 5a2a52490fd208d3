import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { closed, head, later, noise, serveRaw, turn, wholeAnswer } from "../support/sockets.ts";
import type { MakeTransport } from "./contract.ts";
import { type Hooks, record, requestTo, send, settle } from "./recorder.ts";

const document = noise(200_000);

/** Where an exchange with a body that never ends is aborted. */
const stages: [string, Hooks][] = [
  ["at the headers", { onHead: (one) => one.abort() }],
  ["at a chunk", { onChunk: (one) => one.abort() }],
  ["while paused since the headers", { onHead: (one) => [one.pause(), setImmediate(() => one.abort())] }],
  ["while paused since a chunk", { onChunk: (one) => [one.pause(), setImmediate(() => one.abort())] }],
  ["right after a pause", { onChunk: (one) => [one.pause(), one.abort()] }],
  ["between two chunks", { onChunk: (one) => queueMicrotask(() => one.abort()) }],
  ["in a later turn", { onHead: (one) => setImmediate(() => one.abort()) }],
  ["twice", { onHead: (one) => [one.abort(), one.abort("again")] }],
  ["before a pause and a resume", { onChunk: (one) => [one.abort(), one.pause(), one.resume()] }],
];

/** An exchange that is aborted. That nothing is told afterwards, the recorder checks in every test. */
export function describeAbort(makeTransport: MakeTransport): void {
  describe("abort", () => {
    it.each([
      ["before it is sent", true],
      ["in the tick in which it is sent", false],
    ])("keeps a request from being sent if it comes %s", async (_when, isBefore) => {
      const server = await serveRaw((socket) => socket.write(wholeAnswer("")));
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin));
      if (isBefore) recorder.abort();
      recorder.send();
      recorder.abort();
      await settle(transport);
      expect(recorder.events.filter((event) => isBefore || event !== "sent")).toEqual([]);
      expect(server.requests).toEqual([]);
    });

    it("silences a request while it is being sent", async () => {
      const transport = makeTransport();
      const { recorder } = await send(transport, wholeAnswer(""), { onSent: (one) => one.abort() });
      await recorder.until("sent");
      await settle(transport);
      expect(recorder.events).toEqual(["sent"]);
    });

    it("closes the socket of a request without a response", async () => {
      const arrival = later<Socket>();
      const transport = makeTransport();
      const { recorder } = await send(transport, (socket) => arrival.resolve(socket));
      const socket = await arrival.promise;
      recorder.abort();
      await closed(socket);
      await settle(transport);
      expect(recorder.events).toEqual(["sent"]);
    });

    it.each(
      stages.flatMap(([when, hooks]) => [
        { when, hooks, coding: "plain", content: document, headers: [] },
        { when, hooks, coding: "gzip", content: gzipSync(document), headers: ["content-encoding: gzip"] },
      ]),
    )("$when closes the socket of a $coding body, and is the end", async ({ hooks, content, headers }) => {
      const arrival = later<Socket>();
      const transport = makeTransport();
      const answerForever = (socket: Socket) => {
        socket.write(head(200, [...headers, `content-length: ${content.length * 1_000}`]));
        const more = () => socket.write(content, (error) => !error && setImmediate(more));
        more();
        arrival.resolve(socket);
      };
      const { recorder } = await send(transport, answerForever, hooks);
      await closed(await arrival.promise);
      const heard = [...recorder.events];
      await settle(transport);
      expect(recorder.events).toEqual(heard);
      expect(recorder.events).not.toContain("end");
      expect(recorder.events).not.toContain("failure");
    });

    it("drops a chunk that arrived while paused", async () => {
      const arrival = later<Socket>();
      const transport = makeTransport();
      const { recorder } = await send(transport, (socket) => {
        socket.write(`${head(200, ["content-length: 12"])}1st ;`);
        arrival.resolve(socket);
      });
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

    it("ends one of two exchanges and not the other", async () => {
      const sockets: Socket[] = [];
      const transport = makeTransport();
      const { server, recorder: aborted } = await send(transport, (socket) => {
        sockets.push(socket);
        socket.write(`${head(200, ["content-length: 8"])}half`);
      });
      await aborted.until("chunk");
      const kept = record(transport, requestTo(server.origin)).send();
      await kept.until("chunk");
      aborted.abort();
      await closed(sockets[0] as Socket);
      sockets[1]?.write("rest");
      await kept.finished();
      expect([kept.events.at(-1), kept.body.toString()]).toEqual(["end", "halfrest"]);
    });
  });
}
