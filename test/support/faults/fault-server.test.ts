import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { answer, fault } from "../../../src/service/faults/fault-script.ts";
import { fakePdf } from "../../../src/testing/fake-pdf.ts";
import { faults } from "../../../src/testing/faults.ts";
import { earlyFault } from "./early-fault.ts";
import { FaultServer } from "./fault-server.ts";

const request = "POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";

/** Starts a server that is gone when the test is over. */
async function start(document = fakePdf()): Promise<FaultServer> {
  const server = await FaultServer.start({ document });
  onTestFinished(() => server.close());
  return server;
}

/** A client that knows nothing of HTTP. */
class Wire {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #isBroken = false;
  readonly #closed: Promise<unknown>;

  constructor(server: FaultServer) {
    this.socket = connect(server.port, "127.0.0.1");
    this.socket.on("data", (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data]);
    });
    this.socket.on("error", () => {
      this.#isBroken = true;
    });
    this.#closed = new Promise((resolve) => this.socket.once("close", resolve));
    onTestFinished(() => void this.socket.destroy());
  }

  get text(): string {
    return this.#received.toString("latin1");
  }

  async until(text: string): Promise<void> {
    while (!this.text.includes(text)) await once(this.socket, "data");
  }

  /** Resolves when the connection is gone; tells how it went. */
  async closed(): Promise<"ended" | "broken"> {
    await this.#closed;
    return this.#isBroken ? "broken" : "ended";
  }
}

/** Asks once by a connection of its own, and gives the status line. */
async function ask(server: FaultServer): Promise<string> {
  const wire = new Wire(server);
  wire.socket.write(request);
  await wire.until("\r\n\r\n");
  wire.socket.destroy();
  return wire.text.slice(9, 12);
}

describe("a server of faults", () => {
  it("sends its document where nothing is to go wrong, again and again on one connection", async () => {
    const document = fakePdf({ text: "well" });
    const server = await start(document);
    const wire = new Wire(server);
    for (let count = 1; count <= 3; count++) {
      wire.socket.write(request);
      await server.until(({ requests, playing }) => requests.length === count && playing === 0);
    }
    while (wire.text.split("%%EOF").length < 4) await once(wire.socket, "data");
    expect(wire.text.split(Buffer.from(document).toString("latin1"))).toHaveLength(4);
    expect(server.connections).toBe(1);
  });

  it("plays what was planned in that order, as often as it was told, and is well then", async () => {
    const server = await start();
    server.fail(faults.serverError({ status: 503 }), { times: 2 }).fail(faults.rateLimited(), { times: 1 });
    const statuses = [];
    for (let count = 0; count < 5; count++) statuses.push(await ask(server));
    expect(statuses).toEqual(["503", "503", "429", "200", "200"]);
  });

  it("plays a fault always where it was not told how often, until it is reset", async () => {
    const server = await start().then((server) => server.fail(faults.unauthorized()));
    expect([await ask(server), await ask(server)]).toEqual(["401", "401"]);
    server.reset();
    expect(await ask(server)).toBe("200");
  });

  it("knows its requests, in whatever pieces they come", async () => {
    const server = await start();
    const wire = new Wire(server);
    await once(wire.socket, "connect");
    for (const piece of [...(request.match(/.{1,7}/gs) ?? [])]) {
      await new Promise<void>((resolve) => wire.socket.write(piece, () => resolve()));
    }
    wire.socket.write(request + request);
    await server.until(({ requests }) => requests.length === 3);
    expect(
      server.requests.map(({ line, headers, body }) => [line, headers, Buffer.from(body).toString()]),
    ).toEqual(Array.from({ length: 3 }, () => ["POST /a HTTP/1.1", { "content-length": "2" }, "{}"]));
  });

  it("strikes before anything was asked, where that is the moment", async () => {
    const server = await start();
    server.fail(
      earlyFault("greets", () => answer(200, "hello"), "connection"),
      { times: 1 },
    );
    const wire = new Wire(server);
    await wire.until("hello");
    // That was the answer: the request gets no second one, and the next is well.
    wire.socket.write(request + request);
    await wire.until("%%EOF");
    expect(wire.text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  it("strikes while the body is still coming, and goes on reading it", async () => {
    const server = await start();
    server.fail(
      earlyFault("too large", () => answer(413, ""), "head"),
      { times: 1 },
    );
    const wire = new Wire(server);
    wire.socket.write(request.slice(0, -2));
    await wire.until("413");
    wire.socket.write("{}");
    await server.until(({ requests }) => requests.length === 1);
    wire.socket.write(request);
    await wire.until("200");
  });

  it.each([
    ["ends", fault("", () => [{ do: "end" }]), "ended"],
    ["breaks", faults.reset(), "broken"],
    ["ends in mid-body", faults.cutOff({ afterBytes: 100 }), "ended"],
    ["breaks in mid-body", faults.reset({ afterBytes: 100 }), "broken"],
  ] as const)("%s a connection", async (_, planned, how) => {
    const wire = new Wire((await start()).fail(planned));
    wire.socket.write(request);
    expect(await wire.closed()).toBe(how);
  });

  it("sends exactly as much as it is to before it stops, and stays", async () => {
    const document = fakePdf({ bytes: 5_000 });
    const server = (await start(document)).fail(faults.stall({ afterBytes: 1_234 }));
    const wire = new Wire(server);
    wire.socket.write(request);
    await wire.until(Buffer.from(document).toString("latin1", 0, 1_234));
    expect(wire.text).toHaveLength(wire.text.indexOf("%PDF") + 1_234);
    expect([server.playing, server.openSockets]).toEqual([1, 1]);
    wire.socket.destroy();
    await server.until(({ playing, openSockets }) => playing === 0 && openSockets === 0);
  });

  it("sends a slow document in pieces, and all of it", async () => {
    const document = fakePdf({ bytes: 2_000 });
    const server = (await start(document)).fail(faults.slow({ pieces: 4, everyMs: 1 }));
    const wire = new Wire(server);
    wire.socket.write(request);
    await wire.until(Buffer.from(document).toString("latin1"));
  });

  it("closes the connections that are idle", async () => {
    const server = await start();
    const wire = new Wire(server);
    wire.socket.write(request);
    await wire.until("%%EOF");
    server.hangUp();
    expect(await wire.closed()).toBe("ended");
  });

  it("leaves nothing behind when it is closed, whatever it was at", async () => {
    const server = await FaultServer.start();
    server.fail(faults.stall(), { times: 1 }).fail(faults.slow({ everyMs: 100_000 }), { times: 1 });
    const wires = Array.from({ length: 3 }, () => new Wire(server));
    for (const { socket } of wires) socket.write(request);
    await server.until(({ requests, playing }) => requests.length === 3 && playing === 2);
    await server.close();
    expect([server.openSockets, server.playing]).toEqual([0, 0]);
    await Promise.all(wires.map((wire) => wire.closed()));
    await expect(ask(server)).rejects.toThrow("ECONNREFUSED");
  });
});
