import type { Socket } from "node:net";
import { Agent, type Dispatcher, MockAgent, RetryAgent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { OwnAgents } from "../../src/transport/agents.ts";
import type { DispatcherLike } from "../../src/transport/transport.ts";
import { undiciTransport } from "../../src/transport/undici.ts";
import { closed, later, responseHeaders, serveRaw, turn, wholeAnswer } from "../support/sockets.ts";
import { describeTransport } from "./contract.ts";
import { type Hooks, record, requestTo, send, settle } from "./recorder.ts";

describeTransport("undici", () => {
  const agents = new OwnAgents();
  onTestFinished(() => agents.close());
  return undiciTransport((origin) => agents.dispatcherFor(origin), agents.sockets);
});

/** Creates a transport for a dispatcher that is destroyed when the test has finished. */
function by(dispatcher: Dispatcher) {
  onTestFinished(() => dispatcher.destroy());
  return undiciTransport(() => dispatcher);
}

const request = requestTo("http://service.test");
const dispatchedBy = (dispatch: DispatcherLike["dispatch"]) => {
  const transport = undiciTransport(() => ({ dispatch }));
  return record(transport, request);
};

describe("the undici transport", () => {
  it.each([
    ["a string", "a string"],
    [null, "null"],
    [undefined, "undefined"],
    [new ArrayBuffer(8), "an ArrayBuffer"],
  ])("rejects a chunk from a caller's dispatcher that is not bytes (row %#)", (chunk, described) => {
    const abort = vi.fn();
    const controller = { abort, pause() {}, resume() {} };
    const recorder = dispatchedBy((_options, handler) => {
      handler.onRequestStart(controller);
      handler.onResponseStart(controller, 200, {});
      handler.onResponseData(controller, chunk);
      handler.onResponseData(controller, chunk);
      return true;
    });
    recorder.send();
    expect(recorder.events).toEqual(["sent", "head", "failure"]);
    expect(recorder.failure).toBeInstanceOf(ConfigurationError);
    expect(String(recorder.failure)).toContain(`Uint8Array chunks, got ${described}.`);
    expect(abort).toHaveBeenCalledOnce();
  });

  describe("if the controller of a caller's dispatcher throws", () => {
    const refuse = () => {
      throw new Error("not today");
    };
    const controller = { abort: refuse, pause: refuse, resume: refuse };

    it("pauses, resumes and aborts without throwing", () => {
      const recorder = dispatchedBy((_options, handler) => {
        handler.onRequestStart(controller);
        handler.onResponseStart(controller, 200, {});
        return true;
      }).send();
      expect(() => recorder.pause()).not.toThrow();
      expect(() => recorder.resume()).not.toThrow();
      expect(() => recorder.abort()).not.toThrow();
      expect(recorder.events).toEqual(["sent", "head"]);
    });

    it("delivers what arrives while paused", () => {
      const paused = dispatchedBy((_options, handler) => {
        handler.onRequestStart(controller);
        handler.onResponseStart(controller, 200, {});
        paused.pause();
        handler.onResponseData(controller, Buffer.from("body"));
        handler.onResponseEnd(controller);
        return true;
      });
      paused.send();
      paused.resume();
      expect(paused.events).toEqual(["sent", "head", "chunk", "end"]);
    });

    it("reports nothing after an abort, and one failure for a chunk that is not bytes", () => {
      const aborted = dispatchedBy((_options, handler) => {
        aborted.abort();
        handler.onRequestStart(controller);
        return true;
      });
      aborted.send();
      expect(aborted.events).toEqual([]);
      const unusable = dispatchedBy((_options, handler) => {
        handler.onRequestStart(controller);
        handler.onResponseStart(controller, 200, {});
        handler.onResponseData(controller, "text");
        return true;
      }).send();
      expect(unusable.failure).toBeInstanceOf(ConfigurationError);
    });
  });

  it("passes headers to a caller's dispatcher as an object", () => {
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

  it("does not report a queued request as sent, and does not send an aborted request", async () => {
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
    expect({ first: first.events, queued: queued.events }).toEqual({ first: ["sent"], queued: [] });
    socket.write(wholeAnswer(""));
    await queued.until("end");
    expect({ events: aborted.events, requestCount: server.requests.length }).toEqual({
      events: [],
      requestCount: 2,
    });
  });

  describe("with a mock that responds during the dispatch", () => {
    const mock = (hooks: Hooks = {}) => {
      const agent = new MockAgent();
      onTestFinished(() => agent.close());
      const mocked = agent.get(request.origin).intercept({ path: request.path, method: "POST" });
      mocked.reply(200, "%PDF- mocked");
      const transport = undiciTransport(() => agent);
      return record(transport, request, hooks).send();
    };

    it("reports the events in order, and holds back events while paused", () => {
      const recorder = mock({ onHead: (one) => one.pause() });
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(recorder.body.toString()).toBe("%PDF- mocked");
    });

    it.each(["onSent", "onHead", "onChunk"] as const)(
      "reports no further events after an abort in `%s`",
      async (stage) => {
        const recorder = mock({ [stage]: (one: { abort(): void }) => one.abort() });
        const events = [...recorder.events];
        await turn();
        expect(recorder.events).toEqual(events);
        expect(events).not.toContain("end");
      },
    );
  });

  const cause = new TypeError("its own failure");
  const throwCause = () => {
    throw cause;
  };
  it.each([
    ["the function that returns the dispatcher", undiciTransport(throwCause)],
    ["the dispatcher", undiciTransport(() => ({ dispatch: throwCause }))],
    [
      "an asynchronous dispatcher",
      undiciTransport(() => ({
        dispatch: (async () => throwCause()) as unknown as DispatcherLike["dispatch"],
      })),
    ],
    ["an async function that returns the dispatcher", undiciTransport(() => Promise.reject(cause))],
  ])("reports the error from %s", async (_what, transport) => {
    const recorder = record(transport, request).send();
    await recorder.finished();
    expect({ events: recorder.events, failure: recorder.failure }).toEqual({
      events: ["failure"],
      failure: cause,
    });
  });

  const abortOld = vi.fn();
  it.each<[which: string, dispatch: DispatcherLike["dispatch"]]>([
    [
      "throws because onError is missing",
      () => {
        throw new Error("invalid onError method");
      },
    ],
    ["calls onConnect", (_, handler) => [handler.onConnect(abortOld), handler.onError()].length > 0],
    ["calls only onError", (_, handler) => handler.onError(new Error("invalid onHeaders method")) ?? false],
  ])("rejects a dispatcher from undici 6 that %s", (which, dispatch) => {
    abortOld.mockClear();
    const recorder = dispatchedBy(dispatch).send();
    expect(recorder.events).toEqual(["failure"]);
    expect(recorder.failure).toBeInstanceOf(ConfigurationError);
    expect(String(recorder.failure)).toContain("undici 6 or older");
    expect(abortOld.mock.calls).toEqual(which === "calls onConnect" ? [[recorder.failure]] : []);
  });

  it.each([
    ["raw headers", ["a", "1", Buffer.from("b"), Buffer.from("é", "latin1"), "c", "", "odd"], {}],
    ["a mock's parsed headers", undefined, { a: "1", b: ["é"], c: undefined }],
  ])("copies response headers from %s", (_which, rawHeaders, headers) => {
    const recorder = dispatchedBy((_, handler) => {
      handler.onRequestStart({});
      handler.onResponseStart({ rawHeaders }, 200, headers);
      return true;
    }).send();
    expect([...recorder.head.toHeaders()].join()).toBe("a,1,b,é,c,");
  });

  it.each([
    ["reports its second start", true],
    ["hides its second start, as older versions of undici's RetryAgent do", false],
  ])("keeps a body paused, and resumes it, if its dispatcher retries and %s", async (_what, reportsStart) => {
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const secondStart = later<boolean>();
    const broken = later<void>();
    const dispatcher: DispatcherLike = {
      dispatch: (options, handler) =>
        agent.dispatch(options, {
          onRequestStart: (controller) => handler.onRequestStart(controller),
          onResponseStart: (...head) => handler.onResponseStart(...head),
          onResponseData: (...data) => handler.onResponseData(...data),
          onResponseError() {
            agent.dispatch(options, {
              onRequestStart(controller) {
                if (reportsStart) handler.onRequestStart(controller);
                secondStart.resolve(controller.paused);
              },
              onResponseStart() {},
              onResponseData(controller, chunk) {
                arrivedBytes += chunk.length;
                handler.onResponseData(controller, chunk);
              },
              onResponseEnd: () => handler.onResponseEnd(),
              onResponseError: (...failed) => handler.onResponseError(...failed),
            });
          },
        }),
    };
    let arrivedBytes = 0;
    let requests = 0;
    const rest = Buffer.alloc(1_000_000, "b");
    const answer = async (socket: Socket) => {
      requests += 1;
      socket.write(responseHeaders(200, [`content-length: ${rest.length}`]));
      if (requests > 1) return socket.write(rest);
      socket.write("a");
      await broken.promise;
      return socket.resetAndDestroy();
    };
    const { recorder } = await send(
      undiciTransport(() => dispatcher),
      answer,
      { onChunk: (one) => one.chunks.length === 1 && [one.pause(), broken.resolve()] },
    );
    expect(await secondStart.promise).toBe(reportsStart);
    await settle(undiciTransport(() => agent));
    expect(recorder.body.toString()).toBe("a");
    // Of a paused body, at most one chunk arrives.
    expect(arrivedBytes).toBeLessThan(100_000);
    recorder.resume();
    await recorder.until("end");
    expect(recorder.body.length).toBe(1 + rest.length);
  });

  it("reports a single exchange if its dispatcher retries, and can abort the retry", async () => {
    const second = later<Socket>();
    let requests = 0;
    const agent = new RetryAgent(new Agent(), { methods: ["POST"], minTimeout: 1 });
    const answer = (socket: Socket) => {
      requests += 1;
      if (requests === 1) return socket.destroy();
      second.resolve(socket);
      return socket.write(`${responseHeaders(200, ["content-length: 9"])}body`);
    };
    const { recorder } = await send(by(agent), answer, { onHead: (one) => one.abort() });
    await closed(await second.promise);
    expect({ events: recorder.events, requests }).toEqual({ events: ["sent", "head"], requests: 2 });
  });
});
