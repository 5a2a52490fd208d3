import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { OwnAgents } from "../../src/transport/agents.ts";
import { undiciTransport } from "../../src/transport/undici.ts";
import type { Connector } from "../../src/transport/undici-7.ts";
import { startProxy } from "../network/proxy.ts";
import { eventually } from "../support/eventually.ts";
import { later, listenRaw, responseHeaders, serveRaw, turn, wholeAnswer } from "../support/sockets.ts";
import { exchange, record, requestTo, send } from "./recorder.ts";

/** Creates a transport for a dispatcher of undici, as it is. */
function by(dispatcher: Dispatcher) {
  onTestFinished(() => dispatcher.destroy());
  return undiciTransport(() => dispatcher);
}

/** Creates a transport with our own agents. */
function own() {
  const agents = new OwnAgents();
  onTestFinished(() => agents.close());
  return undiciTransport((origin) => agents.dispatcherFor(origin), agents.sockets);
}

const answer = wholeAnswer("body HTTP/1.1 100 Continue\r\n\r\n");
const interim = "HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100\r\n\r\n";

// If one of these tests fails, undici has fixed the fault: delete the workaround and the test.
describe("undici itself", () => {
  it("ends the process if a connection ends while its response is paused (`wakeParser`)", async () => {
    const script = `
      const { Agent } = require(${JSON.stringify(createRequire(import.meta.url).resolve("undici"))});
      const server = require("node:net").createServer((socket) => {
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\\r\\ncontent-length: 4\\r\\nconnection: close\\r\\n\\r\\nbody"));
      });
      server.listen(0, "127.0.0.1", () => {
        new Agent().dispatch({ origin: "http://127.0.0.1:" + server.address().port, path: "/", method: "POST", body: "{}" }, {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData: (controller) => { controller.pause(); server.close(); },
          onResponseEnd() {},
          onResponseError() {},
        });
      });`;
    await expect(promisify(execFile)(process.execPath, ["-e", script])).rejects.toThrow("this.paused");
  });

  it("disconnects at an unexpected 100 Continue (`acceptContinue`)", async () => {
    const recorder = await exchange(by(new Agent()), interim + answer);
    expect(recorder.events).toEqual(["sent", "failure"]);
  });

  it("connects to a proxy again and again if the proxy disconnects (`throughProxy`)", async () => {
    const proxy = await serveRaw((socket) => socket.end());
    const recorder = record(by(new ProxyAgent(proxy.origin)), requestTo("http://service.test")).send();
    await eventually(() => proxy.allSockets > 10);
    expect(recorder.events).toEqual([]);
    recorder.abort();
  });

  it("rejects a tunnel that a proxy opens with another status than 200 (`throughProxy`)", async () => {
    const proxy = await startProxy({ hosts: {}, refusal: "HTTP/1.1 204 No Content\r\n\r\n" });
    const recorder = record(by(new ProxyAgent(proxy.origin)), requestTo("http://service.test")).send();
    await recorder.finished();
    expect(String(recorder.failure)).toContain("Proxy response (204) !== 200");
  });

  it("does not close a socket that is still connecting when its request is aborted (`SocketTracker`)", async () => {
    const { aborted, openSockets } = await abortWhileConnecting(by(new Agent({ connect: { timeout: 0 } })));
    expect(aborted.events).toEqual([]);
    expect(openSockets()).toBe(1);
  });

  it("waits for a connecting socket that closes without an error (`destroyOpening`)", async () => {
    const server = await listenRaw((socket) => socket.resume());
    onTestFinished(() => server.close());
    const connector = buildConnector({ timeout: 0 }) as Connector;
    const opened: { destroy(): unknown }[] = [];
    const connect: Connector = (options, callback) => {
      const socket = connector(options, callback) as Socket;
      opened.push(socket);
      return socket;
    };
    const transport = by(new Agent({ connect: connect as buildConnector.connector }));
    const recorder = record(transport, requestTo(`https://127.0.0.1:${server.port}`)).send();
    await eventually(() => server.openSockets === 1);
    opened[0]?.destroy();
    await eventually(() => server.openSockets === 0);
    await turn();
    expect(recorder.events).toEqual([]);
    recorder.abort();
  });

  it("reports an empty chunk whenever it resumes (`isFromResume`)", async () => {
    const server = await serveRaw((socket) =>
      socket.write(`${responseHeaders(200, ["content-length: 8"])}body`),
    );
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const lengths: number[] = [];
    agent.dispatch(
      { origin: server.origin, path: "/", method: "POST", body: "{}" },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(controller, chunk) {
          lengths.push(chunk.length);
          controller.pause();
          if (lengths.length < 5) setImmediate(() => controller.resume());
        },
        onResponseError() {},
      },
    );
    await eventually(() => lengths.length === 5);
    expect(lengths).toEqual([4, 0, 0, 0, 0]);
  });

  it("takes options of requests from `Object.prototype` (`dispatchOptions`)", async () => {
    const server = await serveRaw((socket) => socket.write(wholeAnswer("")));
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const prototype = Object.prototype as { query?: object };
    const answered = later<void>();
    try {
      prototype.query = { added: "1" };
      agent.dispatch(
        { origin: server.origin, path: "/", method: "POST", body: "{}" },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseEnd: () => answered.resolve(),
          onResponseError() {},
        },
      );
    } finally {
      delete prototype.query;
    }
    await answered.promise;
    expect(server.requests[0]?.lines[0]).toBe("POST /?added=1 HTTP/1.1");
  });

  it("takes options from `Object.prototype` (`notInherited`)", () => {
    const prototype = Object.prototype as { maxOrigins?: number };
    try {
      prototype.maxOrigins = -1;
      expect(() => new Agent()).toThrow("maxOrigins");
    } finally {
      delete prototype.maxOrigins;
    }
  });
});

/** Aborts a request to a server that accepts connections, but does not answer a TLS handshake. */
async function abortWhileConnecting(transport: ReturnType<typeof undiciTransport>) {
  const server = await listenRaw((socket) => socket.on("end", () => socket.end()).resume());
  onTestFinished(() => server.close());
  const aborted = record(transport, requestTo(`https://127.0.0.1:${server.port}`)).send();
  await eventually(() => server.openSockets === 1);
  aborted.abort();
  await turn();
  await turn();
  return { aborted, openSockets: () => server.openSockets };
}

describe("the client's own agents", () => {
  it("skip interim responses, however their bytes are split", async () => {
    const bytes = Buffer.concat([Buffer.from(interim), answer]);
    const transport = own();
    const { recorder, server } = await send(transport, async (socket) => {
      socket.setNoDelay();
      const cut = server.requests.length;
      for (const part of [bytes.subarray(0, cut), bytes.subarray(cut, cut + 9), bytes.subarray(cut + 9)]) {
        socket.write(part);
        await turn();
      }
    });
    await recorder.until("end");
    for (let cut = 2; cut <= interim.length; cut++) {
      await turn();
      const next = record(transport, requestTo(server.origin)).send();
      await next.finished();
      expect(next.events, `cut at ${cut}`).toEqual(["sent", "head", "chunk", "end"]);
      expect(next.body.toString()).toBe("body HTTP/1.1 100 Continue\r\n\r\n");
    }
    expect(server.allSockets).toBe(1);
  });

  it("close a socket that is still connecting when its request is aborted", async () => {
    const { openSockets } = await abortWhileConnecting(own());
    await eventually(() => openSockets() === 0);
  });
});
