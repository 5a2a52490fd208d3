import { request as httpRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { fetchTransport } from "../../src/transport/fetch.ts";
import type { FetchInit, FetchLike, FetchResponse } from "../../src/transport/transport.ts";
import { eventually } from "../support/eventually.ts";
import { later, responseHeaders, serveRaw, turn } from "../support/sockets.ts";
import { describeTransport } from "./contract.ts";
import { type Hooks, record, requestTo } from "./recorder.ts";

describeTransport("fetch", () => fetchTransport(() => globalThis.fetch as FetchLike, undefined), true);

const halfAnswer = `${responseHeaders(200, ["content-length: 10"])}half`;

describe("the fetch transport", () => {
  const request = requestTo("http://service.test");
  const by = (fetch: FetchLike, hooks?: Hooks) =>
    record(
      fetchTransport(() => fetch, undefined),
      request,
      hooks,
    ).send();

  it.each([
    [undefined, {}],
    ["include", { credentials: "include" }],
  ] as const)(
    "calls fetch without redirects, caching or `this` (credentials: %s)",
    async (credentials, more) => {
      const fetch = vi.fn(async (_url: string, _init: FetchInit) => new Response("body"));
      const transport = fetchTransport(() => fetch, credentials);
      const recorder = record(transport, request).send();
      await recorder.until("end");
      recorder.abort();
      // Without a prototype, because a `fetch` also reads inherited properties.
      const init = Object.assign(Object.create(null), {
        method: "POST",
        headers: [
          ["authorization", "API-Key key-of-the-tests"],
          ["content-type", "application/json"],
        ],
        body: request.json,
        redirect: "manual",
        cache: "no-store",
        signal: expect.objectContaining({ aborted: false }),
        ...more,
      });
      expect(fetch.mock.calls).toStrictEqual([[request.origin + request.path, init]]);
      // A browser's own fetch refuses any other `this`.
      expect(fetch.mock.contexts).toEqual([undefined]);
    },
  );

  const throwing = () => {
    throw new TypeError("not today");
  };
  const other = "a new Response";
  it.each<[what: string, fetch: unknown, message: string]>([
    ["throws synchronously", throwing, "not today"],
    ["is not available", undefined, "has no `fetch`"],
    ["returns nothing", async () => undefined, other],
    ["returns a non-numeric status", async () => ({ status: "200", headers: new Headers() }), other],
    ["returns a response without headers", async () => ({ status: 200 }), other],
    ["returns a response with unreadable headers", async () => ({ status: 200, headers: {} }), other],
  ])("reports one failure if fetch %s", async (_what, fetch, message) => {
    const recorder = by(fetch as FetchLike);
    await recorder.finished();
    expect(recorder.events.includes("sent")).toBe(message === other);
    expect(String(recorder.failure)).toContain(message);
  });

  it("reports a browser's opaque redirect as a redirect", async () => {
    const hidden = { type: "opaqueredirect", status: 0, headers: new Headers(), body: null };
    const recorder = by(async () => hidden);
    await recorder.finished();
    expect(recorder.head.opaqueRedirect).toBe(true);
  });

  describe("with a fetch whose response cannot be used", () => {
    type Opened = { readonly incoming: IncomingMessage; readonly headers: Headers };
    const opened = ({ signal }: FetchInit, origin: string, isBySignal: boolean) =>
      new Promise<Opened>((resolve, reject) => {
        const sent = httpRequest(origin, { method: "POST", ...(isBySignal && { signal }) }, (incoming) =>
          resolve({ incoming, headers: new Headers() }),
        );
        sent.on("error", reject).end("{}");
      });
    const status = 200;
    const closing = (incoming: IncomingMessage) => ({ return: async () => void incoming.destroy() });

    it.each<[what: string, respond: (opened: Opened) => unknown, isBySignal?: boolean]>([
      ["has the body of node-fetch", ({ incoming, headers }) => ({ status, headers, body: incoming })],
      [
        "has an iterable as its body",
        ({ incoming, headers }) => ({
          status,
          headers,
          body: { [Symbol.asyncIterator]: () => closing(incoming) },
        }),
      ],
      ["has an unknown body", ({ headers }) => ({ status, headers, body: {} }), true],
      [
        "has an unknown body that cannot be read",
        ({ headers }) =>
          Object.defineProperty({ status, headers }, "body", {
            get() {
              throw new Error("no body");
            },
          }),
        true,
      ],
      ["has no status", ({ incoming, headers }) => ({ headers, body: incoming })],
      [
        "has a body whose getReader() throws",
        ({ incoming, headers }) => {
          const getReader = () => {
            throw new Error("no reader");
          };
          return { status, headers, body: { getReader, cancel: async () => void incoming.destroy() } };
        },
      ],
      [
        "has a reader that rejects",
        ({ headers }) => {
          const fail = () => Promise.reject(new Error("not today"));
          return { status, headers, body: { getReader: () => ({ read: fail, cancel: fail }) } };
        },
        true,
      ],
    ])("closes the socket of a response that %s", async (_what, respond, isBySignal = false) => {
      const server = await serveRaw((socket) => socket.write(halfAnswer));
      const fetch = async (_url: string, init: FetchInit) =>
        respond(await opened(init, server.origin, isBySignal)) as FetchResponse;
      const recorders = Array.from({ length: 5 }, () => by(fetch));
      for (const recorder of recorders) await recorder.finished();
      expect(recorders.map(({ events }) => events.at(-1))).toEqual(Array(5).fill("failure"));
      await eventually(() => server.openSockets === 0);
    });

    it("closes the socket of such a response that arrives after the abort", async () => {
      const server = await serveRaw((socket) => socket.write(halfAnswer));
      const arrived = later<void>();
      const recorder = by(async (_url, init) => {
        const { incoming, headers } = await opened(init, server.origin, false);
        arrived.resolve();
        await turn();
        return { status, headers, body: incoming } as unknown as FetchResponse;
      });
      await arrived.promise;
      recorder.abort();
      await eventually(() => server.openSockets === 0);
      expect(recorder.events).toEqual(["sent"]);
    });

    it("survives the error that such a body emits when it is destroyed", async () => {
      const body = new Readable({ read() {}, destroy: (_error, callback) => callback(new Error("torn")) });
      const recorder = by(async () => ({ status, headers: new Headers(), body }) as unknown as FetchResponse);
      await recorder.finished();
      await turn();
      expect(body.destroyed).toBe(true);
    });
  });

  describe("with a fetch that ignores signals", () => {
    /** A body of one chunk that never ends, and the reason for which it is cancelled. */
    const endless = () => {
      const cancelled = later<unknown>();
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(5)),
        cancel: (reason) => cancelled.resolve(reason),
      });
      return { cancelled: cancelled.promise, response: new Response(body) as FetchResponse };
    };

    it("cancels a response that arrives after the abort", async () => {
      const { cancelled, response } = endless();
      const answer = later<FetchResponse>();
      const recorder = by(() => answer.promise);
      await recorder.until("sent");
      recorder.abort();
      answer.resolve(response);
      await cancelled;
      expect(recorder.events).toEqual(["sent"]);
    });

    const moments: [string, Hooks][] = [
      ["as a chunk arrives", { onChunk: (one) => one.abort() }],
      ["while waiting for the next chunk", { onChunk: (one) => setImmediate(() => one.abort()) }],
      ["while paused", { onChunk: (one) => [one.pause(), setImmediate(() => one.abort())] }],
    ];
    it.each(moments)("cancels the body when the exchange is aborted %s", async (_when, hooks) => {
      const { cancelled, response } = endless();
      const recorder = by(async () => response, hooks);
      await cancelled;
      expect(recorder.events).not.toContain("end");
    });
  });
});
