import type { Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Agent, type Dispatcher, interceptors, MockAgent, RetryAgent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { OwnAgents } from "../../src/transport/agents.ts";
import type { DispatcherLike } from "../../src/transport/transport.ts";
import { undiciTransport } from "../../src/transport/undici.ts";
import { closed, head, later, serveRaw, turn, wholeAnswer } from "../support/sockets.ts";
import { describeTransport } from "./contract.ts";
import { exchange, type Hooks, record, requestTo, send } from "./recorder.ts";

describeTransport("undici", () => {
  const agents = new OwnAgents();
  onTestFinished(() => agents.close());
  return undiciTransport((origin) => agents.dispatcherFor(origin), agents.sockets);
});

/** Records an exchange by a dispatcher that is destroyed when the test has finished. */
function by(dispatcher: Dispatcher) {
  onTestFinished(() => dispatcher.destroy());
  return undiciTransport(() => dispatcher);
}

const request = requestTo("http://service.test");
const dispatchedBy = (dispatch: DispatcherLike["dispatch"], hooks?: Hooks) =>
  record(
    undiciTransport(() => ({ dispatch })),
    request,
    hooks,
  );

describe("the undici transport", () => {
  it("shows a caller's dispatcher the headers by their names", () => {
    const dispatch = vi.fn((_options: { headers: object }) => true);
    const headers = ["authorization", "API-Key key", "X-Mixed-Case", "kept", "__proto__", "seen"];
    record(
      undiciTransport(() => ({ dispatch })),
      { ...request, headers },
    ).send();
    expect(Object.entries(dispatch.mock.calls[0]?.[0].headers ?? {})).toEqual([
      ["authorization", "API-Key key"],
      ["X-Mixed-Case", "kept"],
      ["__proto__", "seen"],
    ]);
  });

  it("reports a queued request as sent when it leaves, and never sends an aborted one", async () => {
    const transport = by(new Agent({ connections: 1 }));
    const arrival = later<Socket>();
    const server = await serveRaw((socket) => {
      if (server.requests.length === 1) arrival.resolve(socket);
      else socket.write(wholeAnswer(""));
    });
    const first = record(transport, requestTo(server.origin)).send();
    const aborted = record(transport, requestTo(server.origin)).send();
    const queued = record(transport, requestTo(server.origin)).send();
    const socket = await arrival.promise;
    await turn();
    aborted.abort();
    expect([first.events, queued.events]).toEqual([["sent"], []]);
    socket.write(wholeAnswer(""));
    await queued.until("end");
    expect([aborted.events, server.requests.length]).toEqual([[], 2]);
  });

  type Interceptor = ReturnType<ReturnType<MockAgent["get"]>["intercept"]>;
  describe("with a mock that responds during the dispatch", () => {
    const mock = (hooks: Hooks, reply: (mocked: Interceptor) => void, isMatched = true) => {
      const agent = new MockAgent();
      agent.disableNetConnect();
      const pool = agent.get(request.origin);
      if (isMatched) reply(pool.intercept({ path: request.path, method: "POST" }));
      onTestFinished(() => agent.close());
      return record(
        undiciTransport(() => agent),
        request,
        hooks,
      ).send();
    };
    const answering = (hooks: Hooks = {}) => mock(hooks, (mocked) => mocked.reply(200, "%PDF- mocked"));

    it("reports the events in order, and holds back what comes while paused", () => {
      const recorder = answering({ onHead: (one) => one.pause() });
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(recorder.body.toString()).toBe("%PDF- mocked");
    });

    it.each(["onSent", "onHead", "onChunk"] as const)(
      "reports nothing more when aborted in %s",
      async (stage) => {
        const recorder = answering({ [stage]: (one: { abort(): void }) => one.abort() });
        const heard = [...recorder.events];
        await turn();
        expect(recorder.events).toEqual(heard);
        expect(heard).not.toContain("end");
      },
    );

    it("reports the error of the mock, and if no mock matches", async () => {
      const error = new Error("mocked failure");
      const failed = mock({}, (mocked) => mocked.replyWithError(error));
      await failed.finished();
      expect(failed.failure).toBe(error);
      const unmatched = mock({}, () => {}, false);
      expect(unmatched.events).toEqual(["failure"]);
      expect(String(unmatched.failure)).toContain("MockNotMatchedError");
    });
  });

  it("reports why its dispatcher could not be loaded, once, and not to aborted exchanges", async () => {
    const source = later<void>();
    const cause = new Error("could not be loaded");
    const transport = undiciTransport(() => source.promise.then(() => Promise.reject(cause)));
    const waiting = record(transport, request).send();
    const aborted = record(transport, request).send();
    aborted.abort();
    source.resolve();
    await waiting.until("failure");
    await turn();
    expect([waiting.events, waiting.failure, aborted.events]).toEqual([["failure"], cause, []]);
  });

  const cause = new TypeError("its own failure");
  const throwCause = () => {
    throw cause;
  };
  it.each([
    ["the source of its dispatcher", undiciTransport(throwCause)],
    ["its dispatcher", undiciTransport(() => ({ dispatch: throwCause }))],
  ])("reports what %s throws", (_what, transport) => {
    const recorder = record(transport, request).send();
    expect([recorder.events, recorder.failure]).toEqual([["failure"], cause]);
  });

  interface OldHandler {
    onConnect(abort: (reason: unknown) => void): void;
    onError(error: unknown): void;
  }
  const invalid = (method: string) => {
    throw Object.assign(new Error(`invalid ${method} method`), { name: "InvalidArgumentError" });
  };
  const abortOld = vi.fn();
  const connectOld = (_options: unknown, handler: OldHandler) => {
    handler.onConnect(abortOld);
    handler.onError(new Error("aborted"));
    return true;
  };
  const failOld = (_options: unknown, handler: OldHandler) => {
    handler.onError(new Error("invalid onHeaders method"));
    return false;
  };
  it.each<[string, DispatcherLike["dispatch"], unknown[]]>([
    ["misses onConnect", () => invalid("onConnect"), []],
    ["misses onError", () => invalid("onError"), []],
    ["calls onConnect", connectOld, [[expect.any(ConfigurationError)]]],
    ["reports by onError", failOld, []],
  ])("refuses a dispatcher of undici 6 that %s", (_which, dispatch, aborts) => {
    abortOld.mockClear();
    const recorder = dispatchedBy(dispatch).send();
    expect(recorder.events).toEqual(["failure"]);
    expect(recorder.failure).toBeInstanceOf(ConfigurationError);
    expect(String(recorder.failure)).toContain("undici 6 or older");
    expect(abortOld.mock.calls).toEqual(aborts);
  });

  it.each([
    ["gzip", gzipSync("whole"), "\0"],
    ["deflate", deflateSync("whole"), "x"],
    ["br", brotliCompressSync("whole"), "x"],
  ])("reuses the socket when padding follows a body in %s", async (coding, whole, padding) => {
    // More than the decoder holds, so that the socket waits at the moment in which the decoder ends.
    const content = Buffer.concat([whole, Buffer.alloc(500_000, padding)]);
    const transport = by(new Agent({ connections: 1 }));
    const first = await exchange(transport, (socket, { index }) =>
      socket.write(index ? wholeAnswer("next") : wholeAnswer(content, [`content-encoding: ${coding}`])),
    );
    expect([first.events.at(-1), first.body.toString()]).toEqual(["end", "whole"]);
    const next = record(transport, requestTo(first.server.origin)).send();
    await next.finished();
    expect(next.body.toString()).toBe("next");
  });

  it("holds events back for a dispatcher that ignores pauses", () => {
    interface Handler {
      onRequestStart(controller: object): void;
      onResponseStart(controller: object, status: number, headers: object): void;
      onResponseData(controller: object, chunk: Uint8Array): void;
      onResponseEnd(controller: object, trailers: object): void;
    }
    const dispatch = (_options: unknown, handler: Handler) => {
      const controller = { pause() {}, resume() {}, abort() {} };
      handler.onRequestStart(controller);
      handler.onResponseStart(controller, 200, {});
      for (const text of ["a", "b", "c"]) handler.onResponseData(controller, Buffer.from(text));
      handler.onResponseEnd(controller, {});
      return true;
    };
    const hooks: Hooks = { onHead: (one) => one.pause(), onChunk: (one) => one.pause() };
    const recorder = dispatchedBy(dispatch, hooks).send();
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      recorder.resume();
      seen.push(`${recorder.body} ${recorder.events.at(-1)}`);
    }
    expect(seen).toEqual(["a chunk", "ab chunk", "abc chunk", "abc end"]);
  });

  it("accepts a response that its dispatcher has decoded", async () => {
    const answer = wholeAnswer(gzipSync("%PDF- decoded"), ["content-encoding: gzip"]);
    const recorder = await exchange(by(new Agent().compose(interceptors.decompress())), answer);
    expect(recorder.body.toString()).toBe("%PDF- decoded");
    // The encoding that the dispatcher has decoded is not reported.
    expect(recorder.head.header("content-encoding")).toBeUndefined();
    expect(recorder.head.toHeaders().get("content-encoding")).toBeNull();
  });

  it.each([false, true])(
    "reports one exchange if its dispatcher retries, and aborts the retry (%s)",
    async (aborts) => {
      const second = later<Socket>();
      let requests = 0;
      const agent = new RetryAgent(new Agent(), { methods: ["POST"], minTimeout: 1 });
      const hooks: Hooks = aborts ? { onHead: (one) => one.abort() } : {};
      const { recorder } = await send(
        by(agent),
        (socket) => {
          requests += 1;
          if (requests === 1) return socket.destroy();
          second.resolve(socket);
          return socket.write(aborts ? `${head(200, ["content-length: 9"])}body` : wholeAnswer("body"));
        },
        hooks,
      );
      if (aborts) await closed(await second.promise);
      else await recorder.finished();
      expect(recorder.events).toEqual(aborts ? ["sent", "head"] : ["sent", "head", "chunk", "end"]);
      expect(requests).toBe(2);
    },
  );
});
