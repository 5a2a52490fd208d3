import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { listen } from "../support/sockets.ts";
import type { MakeTransport } from "./contract.ts";
import { record, requestTo } from "./recorder.ts";
import { framed, head, later, serveRaw, settle } from "./server.ts";

/** All messages and codes of an error and of what lies behind it. */
function reasonsOf(cause: unknown): string {
  const words: string[] = [];
  for (let at = cause; at instanceof Error; at = at.cause) {
    words.push(at.message, String((at as { code?: unknown }).code));
    if (at instanceof AggregateError) words.push(...at.errors.map(String));
  }
  return words.join(" ");
}

/** An exchange that goes wrong. That exactly one last event comes, the recorder checks in every test. */
export function describeFailures(makeTransport: MakeTransport): void {
  describe("failure", () => {
    it("tells why a server could not be reached", async () => {
      const server = await listen(() => {});
      await server.close();
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin)).send();
      await recorder.finished();
      await settle(transport);
      // Only a transport that sees the sending can tell that it never came to that.
      expect(recorder.events).toEqual(transport.sees.sending ? ["failure"] : ["sent", "failure"]);
      expect(reasonsOf(recorder.failure)).toContain("ECONNREFUSED");
    });

    it.each([
      ["a path that cannot be written", { path: "/a b\r\nx-smuggled: 1" }],
      ["a header that cannot be written", { headers: ["x-broken", "a\r\nx-smuggled: 1"] }],
      ["a header name that is none", { headers: ["not a name", "1"] }],
    ])("is told, not thrown, for %s", async (_what, rest) => {
      const server = await serveRaw((socket) => socket.write(head(200, ["content-length: 0"])));
      const recorder = record(makeTransport(), requestTo(server.origin, rest));
      expect(() => recorder.send()).not.toThrow();
      await recorder.finished();
      // `fetch` percent-encodes such a path as URLs demand; then nothing is smuggled either.
      if (recorder.events.at(-1) === "failure") expect(server.requests).toEqual([]);
      expect(server.requests.flatMap(({ lines }) => lines).join("\n")).not.toMatch(/^x-smuggled/m);
    });

    const endings: [string, (socket: Socket) => void][] = [
      ["ends", (socket) => void socket.end()],
      ["resets", (socket) => void socket.resetAndDestroy()],
    ];
    const partials: [string, string, string[]][] = [
      ["before the head", "", ["sent", "failure"]],
      ["in the status line", "HTTP/1.1 20", ["sent", "failure"]],
      ["in the middle of the head", "HTTP/1.1 200 OK\r\ncontent-type: appl", ["sent", "failure"]],
      ["before the body", head(200, ["content-length: 10"]), ["sent", "head", "failure"]],
      [
        "in a body with a length",
        `${head(200, ["content-length: 10"])}half`,
        ["sent", "head", "chunk", "failure"],
      ],
      [
        "in the middle of a chunk",
        `${head(200, ["transfer-encoding: chunked"])}a\r\nhalf`,
        ["sent", "head", "chunk", "failure"],
      ],
      [
        "between two chunks",
        `${head(200, ["transfer-encoding: chunked"])}${framed("half")}`,
        ["sent", "head", "chunk", "failure"],
      ],
      [
        "before the very last line of a chunked body",
        `${head(200, ["transfer-encoding: chunked"])}${framed("half")}0\r\n`,
        ["sent", "head", "chunk", "failure"],
      ],
    ];
    const cases = endings.flatMap(([verb, end]) =>
      partials.map(([when, partial, events]) => ({ verb, end, when, partial, events })),
    );
    it.each(cases)(
      "is told once when the server $verb the connection $when",
      async ({ end, partial, events }) => {
        const heard = later<void>();
        const server = await serveRaw(async (socket) => {
          socket.write(partial);
          // Closed only when the first part was heard: a reset may overtake what was written before it.
          await heard.promise;
          end(socket);
        });
        const transport = makeTransport();
        const recorder = record(transport, requestTo(server.origin)).send();
        await recorder.until(
          events.at(-2) === "chunk" ? "chunk" : events.at(-2) === "head" ? "head" : "sent",
        );
        heard.resolve();
        await recorder.finished();
        await settle(transport);
        expect(recorder.events).toEqual(events);
        expect(recorder.failure).toBeInstanceOf(Error);
      },
    );

    // By design of undici, and of the fetch that is built on it: such a document is found out by its own end.
    it("is not told when a body that ends with its connection is reset", async () => {
      const cut = later<void>();
      const server = await serveRaw(async (socket) => {
        socket.write(`${head(200, ["connection: close"])}half`);
        await cut.promise;
        socket.resetAndDestroy();
      });
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.until("chunk");
      cut.resolve();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
    });

    it.each([
      ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
      ["a length that is none", head(200, ["content-length: ten"])],
      ["two lengths", head(200, ["content-length: 1", "content-length: 2"])],
      ["a header without an end of its line", "HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n"],
      ["a head that never ends", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(1_000_000)}\r\n\r\n`],
    ])("is told for an answer that is %s", async (_what, answer) => {
      const server = await serveRaw((socket) => socket.write(answer));
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "failure"]);
    });

    it("is told for a chunk size that is none", async () => {
      const server = await serveRaw((socket) =>
        socket.write(`${head(200, ["transfer-encoding: chunked"])}4\r\nbody\r\nzz\r\n`),
      );
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.events.at(-1)).toBe("failure");
    });

    it("is told to a receiver that was paused, at the latest when it resumes", async () => {
      const cut = later<Socket>();
      const server = await serveRaw((socket) => {
        socket.write(`${head(200, ["content-length: 10"])}half`);
        cut.resolve(socket);
      });
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin), { onHead: (one) => one.pause() }).send();
      await recorder.until("head");
      (await cut.promise).resetAndDestroy();
      await settle(transport);
      recorder.resume();
      await recorder.finished();
      expect(recorder.events.at(-1)).toBe("failure");
    });

    it("leaves the transport fit for the next request", async () => {
      let requests = 0;
      const server = await serveRaw((socket) => {
        requests += 1;
        if (requests === 1) socket.resetAndDestroy();
        else socket.write(`${head(200, ["content-length: 4"])}body`);
      });
      const transport = makeTransport();
      const failed = record(transport, requestTo(server.origin)).send();
      await failed.until("failure");
      const next = record(transport, requestTo(server.origin)).send();
      await next.finished();
      expect(next.events).toEqual(["sent", "head", "chunk", "end"]);
    });
  });
}
