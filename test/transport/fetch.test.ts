import { request as httpRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { fetchTransport } from "../../src/transport/fetch.ts";
import type { FetchInit, FetchLike, FetchResponse } from "../../src/transport/transport.ts";
import { eventually } from "../support/eventually.ts";
import { later, responseHeaders, serveRaw, turn } from "../support/sockets.ts";
import { describeTransport } from "./contract.ts";
import { type Hooks, record, requestTo } from "./recorder.ts";

const nodesFetch = globalThis.fetch as FetchLike;
describeTransport("fetch", () => fetchTransport(() => nodesFetch, undefined), true);

/** A `fetch` whose response has another body than a web stream. */
const withBody =
  (bodyOf: (body: ReadableStream<Uint8Array> | null) => unknown): FetchLike =>
  async (url, init) => {
    const { status, headers, body } = (await nodesFetch(url, init)) as Response;
    return { status, headers, body: bodyOf(body) };
  };
const nodeStreams = withBody((body) => body && Readable.fromWeb(body as NodeWebStream));
const iterables = withBody(
  (body) => body && { [Symbol.asyncIterator]: () => (body as NodeWebStream)[Symbol.asyncIterator]() },
);
describeTransport("fetch with Node streams", () => fetchTransport(() => nodeStreams, undefined), true);
describeTransport("fetch with async iterables", () => fetchTransport(() => iterables, undefined), true);

const bufferOf = (text: string) => async () => new TextEncoder().encode(text).buffer;

/** An ArrayBuffer of another realm, as under jsdom. */
function foreignBuffer(text: string): unknown {
  const copy = runInNewContext("(bytes) => new Uint8Array(bytes).buffer");
  return copy([...Buffer.from(text)]);
}

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

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
    ["returns a response without headers and body", async () => ({ status: 200 }), "got undefined"],
    ["returns a response with unreadable headers", async () => ({ status: 200, headers: {} }), other],
  ])("reports one failure if fetch %s", async (_what, fetch, message) => {
    const recorder = by(fetch as FetchLike);
    await recorder.finished();
    expect(recorder.events.includes("sent")).toBe(message !== "not today" && message !== "has no `fetch`");
    expect(String(recorder.failure)).toContain(message);
  });

  it("reports a browser's opaque redirect as a redirect", async () => {
    const hidden = { type: "opaqueredirect", status: 0, headers: new Headers(), body: null };
    const recorder = by(async () => hidden);
    await recorder.finished();
    expect(recorder.head.opaqueRedirect).toBe(true);
  });

  const status = 200;

  it.each<[what: string, response: unknown, text: string]>([
    [
      "arrayBuffer() alone, as mocks return it",
      { ok: true, status, arrayBuffer: bufferOf("whole") },
      "whole",
    ],
    ["a null body and arrayBuffer()", { status, body: null, arrayBuffer: bufferOf("whole") }, "whole"],
    [
      "a string as its body and arrayBuffer()",
      { status, body: "text", arrayBuffer: bufferOf("whole") },
      "whole",
    ],
    ["a Buffer from arrayBuffer()", { status, arrayBuffer: async () => Buffer.from("whole") }, "whole"],
    ["an ArrayBuffer of another realm", { status, arrayBuffer: async () => foreignBuffer("whole") }, "whole"],
    ["a Node stream", { status, body: Readable.from([Buffer.from("wh"), Buffer.from("ole")]) }, "whole"],
    ["an async generator", { status, body: chunksOf("wh", "", "ole") }, "whole"],
    ["a Map of headers", { status, headers: new Map(), body: new Response("whole").body }, "whole"],
    ["no body and an error status", { ok: false, status: 404 }, ""],
  ])("reads a response with %s", async (_what, response, text) => {
    const recorder = by(async () => response as FetchResponse);
    await recorder.finished();
    expect(recorder.failure).toBe(undefined);
    expect(recorder.body.toString()).toBe(text);
    expect(recorder.head.header("x-request-id") ?? undefined).toBe(undefined);
    expect([...recorder.head.toHeaders()]).toEqual([]);
  });

  const unreadable = "a response with Uint8Array chunks or a working arrayBuffer(), got ";
  const notImplemented = async () => {
    throw new Error("FileReader.readAsArrayBuffer is not implemented");
  };
  it.each<[what: string, response: unknown, message: string]>([
    ["no status", { ok: true, body: "%PDF-1.4" }, other],
    ["a string as its body", { ok: true, status, body: "%PDF-1.4" }, `${unreadable}a string`],
    ["a Blob as its body", { status, body: new Blob(["%PDF-1.4"]) }, `${unreadable}a Blob`],
    ["no body", { status, headers: new Headers(), json: async () => ({}) }, `${unreadable}undefined`],
    ["a stream of strings", { status, body: Readable.from(["%PDF-1.4"]) }, `${unreadable}a string`],
    ["a string from arrayBuffer()", { status, arrayBuffer: async () => "%PDF-1.4" }, `${unreadable}a string`],
    [
      "an arrayBuffer() that is not implemented",
      { status, arrayBuffer: notImplemented },
      `${unreadable}undefined`,
    ],
    ["a body that was used", { status, bodyUsed: true, arrayBuffer: bufferOf("whole") }, other],
  ])("rejects a response with %s", async (_what, response, message) => {
    const recorder = by(async () => response as FetchResponse);
    await recorder.finished();
    // A failure of any other class would render the document again.
    expect(recorder.failure).toBeInstanceOf(ConfigurationError);
    expect(String(recorder.failure)).toContain(message);
  });

  it.each<[what: string, redirected: boolean | undefined, url: string | undefined, isRedirect: boolean]>([
    ["it says so", true, "http://elsewhere.test/", true],
    ["only its URL tells", undefined, "http://elsewhere.test/", true],
    ["its URL has a fragment", undefined, `${request.origin}${request.path}#page`, false],
    ["it has no URL", undefined, "", false],
    // A `fetch` may send requests somewhere else on purpose.
    ["it was sent to another address", false, "http://elsewhere.test/", false],
  ])("finds out that fetch followed a redirect: %s", async (_what, redirected, url, isRedirect) => {
    const arrayBuffer = vi.fn(bufferOf("whole"));
    const recorder = by(async () => ({ status, redirected, url, arrayBuffer }));
    await recorder.until("end");
    expect(recorder.head.opaqueRedirect).toBe(isRedirect);
    expect(recorder.head.status).toBe(isRedirect ? 0 : 200);
    expect(recorder.head.header("location")).toBe(isRedirect ? url : undefined);
    expect(arrayBuffer).toHaveBeenCalledTimes(isRedirect ? 0 : 1);
  });

  describe("with a fetch from Node's http", () => {
    type Opened = { readonly incoming: IncomingMessage; readonly headers: Headers };
    const opened = ({ signal }: FetchInit, origin: string, isBySignal: boolean) =>
      new Promise<Opened>((resolve, reject) => {
        const sent = httpRequest(origin, { method: "POST", ...(isBySignal && { signal }) }, (incoming) =>
          resolve({ incoming, headers: new Headers() }),
        );
        sent.on("error", reject).end("{}");
      });
    /** An iterable without a method that destroys it. */
    const closing = (incoming: IncomingMessage) => {
      const chunks = incoming[Symbol.asyncIterator]();
      return { next: () => chunks.next(), return: async () => void incoming.destroy() };
    };
    const iterable = (incoming: IncomingMessage) => ({ [Symbol.asyncIterator]: () => closing(incoming) });

    it.each<[what: string, bodyOf: (incoming: IncomingMessage) => unknown]>([
      ["a Node stream", (incoming) => incoming],
      ["an iterable", iterable],
    ])("closes the socket of a body that is %s when the exchange is aborted", async (_what, bodyOf) => {
      const server = await serveRaw((socket) => socket.write(halfAnswer));
      const fetch = async (_url: string, init: FetchInit) => {
        const { incoming } = await opened(init, server.origin, false);
        return { status, body: bodyOf(incoming) };
      };
      const recorder = by(fetch);
      await recorder.until("chunk");
      recorder.abort();
      await eventually(() => server.openSockets === 0);
      expect(recorder.events).toEqual(["sent", "head", "chunk"]);
    });

    it.each<[what: string, respond: (opened: Opened) => unknown, isBySignal?: boolean]>([
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
      ["has unreadable headers", ({ incoming }) => ({ status, headers: {}, body: incoming })],
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
    ])("closes the socket of a response that %s", async (what, respond, isBySignal = false) => {
      const server = await serveRaw((socket) => socket.write(halfAnswer));
      const fetch = async (_url: string, init: FetchInit) =>
        respond(await opened(init, server.origin, isBySignal)) as FetchResponse;
      const recorders = Array.from({ length: 5 }, () => by(fetch));
      for (const recorder of recorders) await recorder.finished();
      expect(recorders.map(({ events }) => events.at(-1))).toEqual(Array(5).fill("failure"));
      const isMistake = what !== "has a reader that rejects";
      expect(recorders.map(({ failure }) => ConfigurationError.is(failure))).toEqual(
        Array(5).fill(isMistake),
      );
      await eventually(() => server.openSockets === 0);
    });

    it("closes the socket of a response that arrives after the abort", async () => {
      const server = await serveRaw((socket) => socket.write(halfAnswer));
      const arrived = later<void>();
      const recorder = by(async (_url, init) => {
        const { incoming, headers } = await opened(init, server.origin, false);
        arrived.resolve();
        await turn();
        return { status, headers, body: incoming };
      });
      await arrived.promise;
      recorder.abort();
      await eventually(() => server.openSockets === 0);
      expect(recorder.events).toEqual(["sent"]);
    });

    it("survives the error that a body emits when it is destroyed", async () => {
      const body = new Readable({ read() {}, destroy: (_error, callback) => callback(new Error("torn")) });
      const recorder = by(async () => ({ status, body }));
      await recorder.until("head");
      recorder.abort();
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
