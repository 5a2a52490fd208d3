import type { Socket } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { closedOrigin, framed, head, later, serveRaw, wholeAnswer } from "../support/sockets.ts";
import type { MakeTransport } from "./contract.ts";
import { exchange, record, requestTo, send, settle } from "./recorder.ts";

const chunkedHead = head(200, ["transfer-encoding: chunked"]);

/** Where a connection breaks, and the events until then. `test/faults` plays more of them through the client. */
const partials: [string, string, string[]][] = [
  ["before the headers", "", ["sent", "failure"]],
  ["in the middle of the headers", "HTTP/1.1 200 OK\r\ncontent-type: appl", ["sent", "failure"]],
  ["before the body", head(200, ["content-length: 10"]), ["sent", "head", "failure"]],
  [
    "in a body with a length",
    `${head(200, ["content-length: 10"])}half`,
    ["sent", "head", "chunk", "failure"],
  ],
  ["in the middle of a chunk", `${chunkedHead}a\r\nhalf`, ["sent", "head", "chunk", "failure"]],
  ["before the last line", `${chunkedHead}${framed("half")}0\r\n`, ["sent", "head", "chunk", "failure"]],
];

/** An exchange that fails. That exactly one last event comes, the recorder checks in every test. */
export function describeFailures(makeTransport: MakeTransport): void {
  describe("failure", () => {
    it("carries the reason for which a server could not be reached", async () => {
      const transport = makeTransport();
      const recorder = record(transport, requestTo(await closedOrigin())).send();
      await recorder.finished();
      await settle(transport);
      // Only a transport that sees the sending can tell that it never came to that.
      expect(recorder.events).toEqual(transport.sees.sending ? ["failure"] : ["sent", "failure"]);
      expect(inspect(recorder.failure)).toContain("ECONNREFUSED");
    });

    it.each([
      ["a path with line breaks", { path: "/a b\r\nx-smuggled: 1" }],
      ["a header with line breaks", { headers: ["x-broken", "a\r\nx-smuggled: 1"] }],
      ["an invalid header name", { headers: ["not a name", "1"] }],
    ])("is reported, not thrown, for %s", async (_what, rest) => {
      const server = await serveRaw((socket) => socket.write(wholeAnswer("")));
      const recorder = record(makeTransport(), requestTo(server.origin, rest));
      expect(() => recorder.send()).not.toThrow();
      await recorder.finished();
      // `fetch` percent-encodes such a path as URLs demand; then nothing is smuggled either.
      if (recorder.events.at(-1) === "failure") expect(server.requests).toEqual([]);
      expect(server.requests.flatMap(({ lines }) => lines).join("\n")).not.toMatch(/^x-smuggled/m);
    });

    it.each(
      partials.flatMap(([when, partial, events]) => [
        { when, partial, events, verb: "ends", end: (socket: Socket): unknown => socket.end() },
        { when, partial, events, verb: "resets", end: (socket: Socket): unknown => socket.resetAndDestroy() },
      ]),
    )("comes once when the server $verb the connection $when", async ({ partial, events, end }) => {
      const received = later<void>();
      const transport = makeTransport();
      const { recorder } = await send(transport, async (socket) => {
        socket.write(partial);
        // Closed only when the first part was received: a reset may overtake what was written before it.
        await received.promise;
        end(socket);
      });
      await recorder.until(events.at(-2) as "sent" | "head" | "chunk");
      received.resolve();
      await recorder.finished();
      await settle(transport);
      expect(recorder.events).toEqual(events);
      expect(recorder.failure).toBeInstanceOf(Error);
    });

    // By design of undici, and of the fetch that is built on it: such a document is found out by its own end.
    it("does not come when a body that ends with its connection is reset", async () => {
      const cut = later<void>();
      const { recorder } = await send(makeTransport(), async (socket) => {
        socket.write(`${head(200, ["connection: close"])}half`);
        await cut.promise;
        socket.resetAndDestroy();
      });
      await recorder.until("chunk");
      cut.resolve();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
    });

    it("comes for a response of another protocol", async () => {
      const recorder = await exchange(makeTransport(), "SSH-2.0-OpenSSH_9.2\r\n\r\n");
      expect(recorder.events).toEqual(["sent", "failure"]);
    });

    it("comes to a paused receiver no later than it resumes", async () => {
      const cut = later<Socket>();
      const transport = makeTransport();
      const answer = (socket: Socket) => {
        socket.write(`${head(200, ["content-length: 10"])}half`);
        cut.resolve(socket);
      };
      const { recorder } = await send(transport, answer, { onHead: (one) => one.pause() });
      await recorder.until("head");
      (await cut.promise).resetAndDestroy();
      await settle(transport);
      recorder.resume();
      await recorder.finished();
      expect(recorder.events.at(-1)).toBe("failure");
    });

    it("leaves the transport fit for the next request", async () => {
      const transport = makeTransport();
      let requests = 0;
      const failed = await exchange(transport, (socket) => {
        requests += 1;
        if (requests === 1) socket.resetAndDestroy();
        else socket.write(wholeAnswer("body"));
      });
      const next = record(transport, requestTo(failed.server.origin)).send();
      await next.finished();
      expect(next.events).toEqual(["sent", "head", "chunk", "end"]);
    });
  });
}
