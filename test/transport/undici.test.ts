import type { Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Agent, type Dispatcher, interceptors, MockAgent, RetryAgent } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { OwnAgents } from "../../src/transport/agents.ts";
import type { DispatcherLike } from "../../src/transport/transport.ts";
import { undiciTransport } from "../../src/transport/undici.ts";
import { describeTransport } from "./contract.ts";
import { record, requestTo } from "./recorder.ts";
import { closed, head, later, serveRaw, settle, turn } from "./server.ts";

describeTransport("undici", () => {
  const agents = new OwnAgents();
  onTestFinished(() => agents.close());
  return undiciTransport((origin) => agents.dispatcherFor(origin), agents.sockets);
});

describe("the undici transport", () => {
  const by = (dispatcher: Dispatcher) => {
    onTestFinished(() => dispatcher.destroy());
    return undiciTransport(() => dispatcher);
  };

  it("adds no header but those of HTTP itself", async () => {
    const server = await serveRaw((socket) => socket.write(head(200, ["content-length: 0"])));
    await record(by(new Agent()), requestTo(server.origin)).send().until("end");
    expect(server.requests[0]?.lines).toEqual([
      "POST /api/v1/templates/inv_2024/generate-sync HTTP/1.1",
      `host: 127.0.0.1:${server.port}`,
      "connection: keep-alive",
      "authorization: API-Key key-of-the-tests",
      "content-type: application/json",
      "content-length: 23",
    ]);
  });

  it("shows somebody's dispatcher the headers by their names", async () => {
    let shown: unknown;
    const transport = undiciTransport(() => ({
      dispatch: (options) => {
        shown = options.headers;
        return true;
      },
    }));
    const headers = ["authorization", "API-Key key", "X-Mixed-Case", "kept", "__proto__", "seen"];
    record(transport, requestTo("http://service.test", { headers })).send();
    expect(Object.entries(Object(shown))).toEqual([
      ["authorization", "API-Key key"],
      ["X-Mixed-Case", "kept"],
      ["__proto__", "seen"],
    ]);
  });

  it("tells of the sending when a queued request leaves, not when it was handed over", async () => {
    const sockets: Socket[] = [];
    const reached = later<void>();
    const server = await serveRaw((socket) => {
      sockets.push(socket);
      reached.resolve();
    });
    const transport = by(new Agent({ connections: 1 }));
    const first = record(transport, requestTo(server.origin)).send();
    const queued = record(transport, requestTo(server.origin)).send();
    await reached.promise;
    await turn();
    expect([first.events, queued.events]).toEqual([["sent"], []]);
    sockets[0]?.write(head(200, ["content-length: 0"]));
    await queued.until("sent");
  });

  it("never sends what was aborted while it was queued", async () => {
    const reached = later<Socket>();
    const server = await serveRaw((socket) => reached.resolve(socket));
    const transport = by(new Agent({ connections: 1 }));
    const first = record(transport, requestTo(server.origin)).send();
    const queued = record(transport, requestTo(server.origin)).send();
    const socket = await reached.promise;
    queued.abort();
    socket.write(head(200, ["content-length: 0"]));
    await first.until("end");
    await settle(transport);
    expect(queued.events).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  describe("by a mock that answers in the very moment of the dispatch", () => {
    const mock = (reply: (pool: ReturnType<MockAgent["get"]>) => void) => {
      const agent = new MockAgent();
      agent.disableNetConnect();
      reply(agent.get("http://service.test"));
      onTestFinished(() => agent.close());
      return undiciTransport(() => agent);
    };
    const path = requestTo("").path;
    const answering = () =>
      mock((pool) => pool.intercept({ path, method: "POST" }).reply(200, "%PDF- mocked"));

    it("tells everything in order", () => {
      const recorder = record(answering(), requestTo("http://service.test")).send();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(recorder.body.toString()).toBe("%PDF- mocked");
    });

    it("holds back what the mock says though paused", () => {
      const recorder = record(answering(), requestTo("http://service.test"), {
        onHead: (one) => one.pause(),
      }).send();
      expect(recorder.events).toEqual(["sent", "head"]);
      recorder.resume();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
    });

    it.each(["onSent", "onHead", "onChunk"] as const)("falls silent when aborted in %s", async (stage) => {
      const transport = answering();
      const recorder = record(transport, requestTo("http://service.test"), {
        [stage]: (one: { abort(): void }) => one.abort(),
      });
      recorder.send();
      const heard = [...recorder.events];
      await turn();
      expect(recorder.events).toEqual(heard);
      expect(heard).not.toContain("end");
    });

    it("tells the error of a mock", async () => {
      const error = new Error("mocked failure");
      const transport = mock((pool) => pool.intercept({ path, method: "POST" }).replyWithError(error));
      const recorder = record(transport, requestTo("http://service.test")).send();
      await recorder.finished();
      expect(recorder.failure).toBe(error);
    });

    it("tells that no mock fits", () => {
      const recorder = record(
        mock(() => {}),
        requestTo("http://service.test"),
      ).send();
      expect(recorder.events).toEqual(["failure"]);
      expect(String(recorder.failure)).toContain("MockNotMatchedError");
    });
  });

  describe("by a dispatcher that has yet to come", () => {
    it("tells why it did not come, once, and not to those who left", async () => {
      const source = later<never>();
      const cause = new Error("could not be loaded");
      const transport = undiciTransport(() => source.promise.then(() => Promise.reject(cause)));
      const waiting = record(transport, requestTo("http://service.test")).send();
      const left = record(transport, requestTo("http://service.test")).send();
      left.abort();
      source.resolve(undefined as never);
      await waiting.until("failure");
      await turn();
      expect([waiting.events, waiting.failure, left.events]).toEqual([["failure"], cause, []]);
    });

    it("tells what its source threw", () => {
      const cause = new Error("no dispatcher for you");
      const transport = undiciTransport(() => {
        throw cause;
      });
      const recorder = record(transport, requestTo("http://service.test")).send();
      expect([recorder.events, recorder.failure]).toEqual([["failure"], cause]);
    });
  });

  describe("by a dispatcher of undici 6", () => {
    interface OldHandler {
      onConnect(abort: (reason: unknown) => void): void;
      onError(error: unknown): void;
    }
    const invalid = (method: string) => {
      throw Object.assign(new Error(`invalid ${method} method`), { name: "InvalidArgumentError" });
    };
    const aborted: unknown[] = [];
    const old: [string, DispatcherLike["dispatch"]][] = [
      ["that misses onConnect", () => invalid("onConnect")],
      ["that misses onError", () => invalid("onError")],
      [
        "that begins by onConnect",
        (_options, handler: OldHandler) => {
          handler.onConnect((reason) => aborted.push(reason));
          handler.onError(new Error("aborted"));
          return true;
        },
      ],
      [
        "that tells what it misses by onError",
        (_options, handler: OldHandler) => {
          handler.onError(new Error("invalid onHeaders method"));
          return false;
        },
      ],
    ];
    it.each(old)("%s says so", (_which, dispatch) => {
      const transport = undiciTransport(() => ({ dispatch }));
      const recorder = record(transport, requestTo("http://service.test")).send();
      expect(recorder.events).toEqual(["failure"]);
      expect(recorder.failure).toBeInstanceOf(ConfigurationError);
      expect(String(recorder.failure)).toContain("undici 6 or older");
    });

    it("hears that its request is not wanted", () => {
      expect(aborted).toEqual([expect.any(ConfigurationError)]);
    });
  });

  it("passes on what a dispatcher throws", () => {
    const cause = new TypeError("its own trouble");
    const transport = undiciTransport(() => ({
      dispatch() {
        throw cause;
      },
    }));
    expect(record(transport, requestTo("http://service.test")).send().failure).toBe(cause);
  });

  it.each([
    ["gzip", gzipSync("whole"), "\0"],
    ["deflate", deflateSync("whole"), "x"],
    ["br", brotliCompressSync("whole"), "x"],
  ])("gives the socket back when padding follows a body in %s", async (coding, whole, padding) => {
    // More than the decoder holds, so that the socket waits at the moment in which the decoder ends.
    const content = Buffer.concat([whole, Buffer.alloc(500_000, padding)]);
    const server = await serveRaw((socket) => {
      if (server.requests.length > 1) return socket.write(`${head(200, ["content-length: 4"])}next`);
      socket.write(head(200, [`content-encoding: ${coding}`, `content-length: ${content.length}`]));
      return socket.write(content);
    });
    const transport = by(new Agent({ connections: 1 }));
    const first = record(transport, requestTo(server.origin)).send();
    await first.finished();
    expect([first.events.at(-1), first.body.toString()]).toEqual(["end", "whole"]);
    const next = record(transport, requestTo(server.origin)).send();
    await next.finished();
    expect(next.body.toString()).toBe("next");
  });

  it("keeps its promises by a dispatcher that does not know pauses", () => {
    interface Handler {
      onRequestStart(controller: object): void;
      onResponseStart(controller: object, status: number, headers: object): void;
      onResponseData(controller: object, chunk: Uint8Array): void;
      onResponseEnd(controller: object, trailers: object): void;
    }
    const transport = undiciTransport(() => ({
      dispatch(_options, handler: Handler) {
        const controller = { pause() {}, resume() {}, abort() {} };
        handler.onRequestStart(controller);
        handler.onResponseStart(controller, 200, {});
        for (const text of ["a", "b", "c"]) handler.onResponseData(controller, Buffer.from(text));
        handler.onResponseEnd(controller, {});
        return true;
      },
    }));
    const recorder = record(transport, requestTo("http://service.test"), {
      onHead: (one) => one.pause(),
      onChunk: (one) => one.pause(),
    }).send();
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      recorder.resume();
      seen.push(`${recorder.body} ${recorder.events.at(-1)}`);
    }
    expect(seen).toEqual(["a chunk", "ab chunk", "abc chunk", "abc end"]);
  });

  describe("by a composed dispatcher", () => {
    it("takes a decoded answer as it is", async () => {
      const content = gzipSync("%PDF- decoded");
      const server = await serveRaw((socket) => {
        socket.write(head(200, ["content-encoding: gzip", `content-length: ${content.length}`]));
        socket.write(content);
      });
      const recorder = record(
        by(new Agent().compose(interceptors.decompress())),
        requestTo(server.origin),
      ).send();
      await recorder.finished();
      expect(recorder.body.toString()).toBe("%PDF- decoded");
      // What the dispatcher has undone is not told as if it were still there.
      expect(recorder.head.header("content-encoding")).toBeUndefined();
      expect(recorder.head.toHeaders().get("content-encoding")).toBeNull();
    });

    it("tells of the sending once, though the dispatcher tries twice", async () => {
      const server = await serveRaw((socket) => {
        if (server.requests.length === 1) socket.destroy();
        else socket.write(`${head(200, ["content-length: 4"])}body`);
      });
      const agent = new RetryAgent(new Agent(), { methods: ["POST"], minTimeout: 1 });
      const recorder = record(by(agent), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect(server.requests).toHaveLength(2);
    });

    it("aborts the try that is under way, not the one before it", async () => {
      const second = later<Socket>();
      const server = await serveRaw((socket) => {
        if (server.requests.length === 1) socket.destroy();
        else {
          socket.write(`${head(200, ["content-length: 9"])}body`);
          second.resolve(socket);
        }
      });
      const agent = new RetryAgent(new Agent(), { methods: ["POST"], minTimeout: 1 });
      const recorder = record(by(agent), requestTo(server.origin), { onHead: (one) => one.abort() }).send();
      await closed(await second.promise);
      expect(recorder.events.at(-1)).toBe("head");
    });
  });
});
