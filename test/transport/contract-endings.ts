import type { Socket } from "node:net";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  closed,
  closedOrigin,
  framed,
  later,
  noise,
  responseHeaders,
  serveRaw,
  wholeAnswer,
} from "../support/sockets.ts";
import type { MakeTransport } from "./contract.ts";
import { type Hooks, record, requestTo, send, settle } from "./recorder.ts";

const document = noise(200_000);
const halfOfTen = `${responseHeaders(200, ["content-length: 10"])}half`;
const halfOfAChunk = `${responseHeaders(200, ["transfer-encoding: chunked"])}${framed("half")}0\r\n`;

/** The moments at which an exchange with an endless body is aborted. */
const stages: [when: string, hooks: Hooks, coding: "plain" | "gzip"][] = [
  ["at the headers", { onHead: (one) => one.abort() }, "gzip"],
  ["at a chunk", { onChunk: (one) => one.abort() }, "gzip"],
  ["while paused", { onHead: (one) => [one.pause(), setImmediate(() => one.abort())] }, "plain"],
  ["while paused", { onChunk: (one) => [one.pause(), setImmediate(() => one.abort())] }, "gzip"],
  ["between two chunks", { onChunk: (one) => queueMicrotask(() => one.abort()) }, "plain"],
  ["before a pause and a resume", { onChunk: (one) => [one.abort(), one.pause(), one.resume()] }, "plain"],
];

/** How and when a connection breaks, and the events until then. `test/faults` tests many more breaks. */
const breaks: [verb: "ends" | "resets", when: string, sent: string, events: string[]][] = [
  ["resets", "in the headers", "HTTP/1.1 200 OK\r\ncontent-type: appl", ["sent", "failure"]],
  ["resets", "before the body", responseHeaders(200, ["content-length: 10"]), ["sent", "head", "failure"]],
  ["ends", "in a body with a length", halfOfTen, ["sent", "head", "chunk", "failure"]],
  ["ends", "before the last line of chunks", halfOfAChunk, ["sent", "head", "chunk", "failure"]],
];

/** An exchange that is aborted or fails. The recorder checks in every test that nothing follows its last event. */
export function describeEndings(makeTransport: MakeTransport): void {
  describe("abort", () => {
    it.each([
      ["before send()", true],
      ["in the same tick as send()", false],
    ])("prevents a request if it is called %s", async (_when, isBefore) => {
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

    it("stops all further events if it is called while the request is sent", async () => {
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

    it.each(stages)("%s ends the body and closes its socket", async (_when, hooks, coding) => {
      const content = coding === "gzip" ? gzipSync(document) : document;
      const headers = coding === "gzip" ? ["content-encoding: gzip"] : [];
      const arrival = later<Socket>();
      const transport = makeTransport();
      const answerForever = (socket: Socket) => {
        socket.write(responseHeaders(200, [...headers, `content-length: ${content.length * 1_000}`]));
        const more = () => socket.write(content, (error) => !error && setImmediate(more));
        more();
        arrival.resolve(socket);
      };
      const { recorder } = await send(transport, answerForever, hooks);
      await closed(await arrival.promise);
      const eventsBefore = [...recorder.events];
      await settle(transport);
      expect(recorder.events).toEqual(eventsBefore);
      expect(eventsBefore).not.toContain("end");
      expect(eventsBefore).not.toContain("failure");
    });
  });

  describe("failure", () => {
    it("reports why a server could not be reached", async () => {
      const transport = makeTransport();
      const recorder = record(transport, requestTo(await closedOrigin())).send();
      await recorder.finished();
      await settle(transport);
      // Only a transport that observes when a request is sent can report that it was not sent.
      expect(recorder.events).toEqual(transport.sees.sending ? ["failure"] : ["sent", "failure"]);
      expect(inspect(recorder.failure)).toContain("ECONNREFUSED");
    });

    it.each([
      ["a path with line breaks", { path: "/a b\r\nx-smuggled: 1" }],
      ["a header with line breaks", { headers: ["x-broken", "a\r\nx-smuggled: 1"] }],
    ])("is reported, not thrown, for %s", async (_what, rest) => {
      const server = await serveRaw((socket) => socket.write(wholeAnswer("")));
      const recorder = record(makeTransport(), requestTo(server.origin, rest));
      expect(() => recorder.send()).not.toThrow();
      await recorder.finished();
      // `fetch` percent-encodes such a path, so it cannot smuggle a header either.
      if (recorder.events.at(-1) === "failure") expect(server.requests).toEqual([]);
      expect(server.requests.flatMap(({ lines }) => lines).join("\n")).not.toMatch(/^x-smuggled/m);
    });

    it.each(breaks)(
      "is reported once if the server %s the connection %s",
      async (verb, _when, sent, events) => {
        const received = later<void>();
        const transport = makeTransport();
        const { recorder } = await send(transport, async (socket) => {
          socket.write(sent);
          // Waits until the first part was received, because a reset may discard bytes that were sent before.
          await received.promise;
          if (verb === "ends") socket.end();
          else socket.resetAndDestroy();
        });
        await recorder.until(events.at(-2) as "sent" | "head" | "chunk");
        received.resolve();
        await recorder.finished();
        await settle(transport);
        expect(recorder.events).toEqual(events);
        expect(recorder.failure).toBeInstanceOf(Error);
      },
    );
  });
}
