import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { sumOf } from "../../../runtimes/smoke/expect.mjs";
import { answer, pdfHead, type ScriptedFault, type Step } from "../../../src/service/faults/fault-script.ts";
import { play } from "../../../src/service/faults/play-on-socket.ts";
import { fakePdf } from "../../../src/testing/fake-pdf.ts";
import { groups } from "../../faults/rows/index.ts";
import { RequestReader, type SeenRequest } from "../../support/faults/request-reader.ts";
import { listenRaw, type SocketServer } from "../../support/sockets.ts";

/** The files that a page can load, by path. */
type Pages = Readonly<Record<string, { readonly type: string; readonly text: string }>>;

type SeenCall = Omit<SeenRequest, "connection">;

/** The recorded calls for one template. */
class Calls {
  readonly requests: { method: string; headers: Readonly<Record<string, string>>; values: unknown }[] = [];
  readonly connections = new Set<Socket>();
  sentBytes = 0;
  inFlight = 0;
  fault = "";
  faultsLeft = 0;
}

/** Longer than the 64 KiB that an unread document may hold. */
const document = fakePdf({ bytes: 100_000 });

/** Longer than what the system buffers. */
const large = fakePdf({ bytes: 16 * 1024 * 1024 });

const key = "API-Key smoke-suite-key";

const rows = new Map(groups.flatMap((group) => group.rows).map((row) => [row.fault.name, row]));

const traits = (bytes: Uint8Array) => ({ byteLength: bytes.length, sum: sumOf(bytes) });

/**
 * The service that all runtimes call. It uses raw sockets to simulate faults that no server would produce. The checks plan
 * faults for a template, and read the recorded calls.
 */
export class SmokeService {
  readonly #calls = new Map<string, Calls>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #pages: Pages;
  #server: SocketServer | undefined;

  private constructor(pages: Pages) {
    this.#pages = pages;
  }

  static async start(pages: Pages): Promise<SmokeService> {
    const service = new SmokeService(pages);
    service.#server = await listenRaw((socket) => service.#serve(socket));
    return service;
  }

  /** The base URL of the service. */
  get address(): string {
    return this.#server?.origin ?? "";
  }

  close(): Promise<void> | undefined {
    return this.#server?.close();
  }

  #serve(socket: Socket): void {
    let turn = Promise.resolve();
    const reader = new RequestReader({
      onHead: () => {},
      onRequest: (request, body) => {
        turn = turn.then(() => this.#answer({ ...request, body }, socket));
      },
    });
    socket.on("data", (piece: Buffer) => reader.push(piece));
  }

  async #answer(request: SeenCall, socket: Socket): Promise<void> {
    const [method = "", path = ""] = request.line.split(" ");
    const uid = /^(?:\/keyless)?\/api\/v1\/templates\/([^/?]+)\/generate-sync$/.exec(path)?.[1];
    if (uid !== undefined) return this.#generate(decodeURIComponent(uid), method, path, request, socket);
    const page = this.#pages[path];
    if (page) return play(answer(200, Buffer.from(page.text), { "content-type": page.type }), socket);
    if (method !== "POST") return play(answer(404, ""), socket);
    const result = await this.#control(path, JSON.parse(Buffer.from(request.body).toString()));
    return play(
      answer(200, Buffer.from(JSON.stringify(result)), { "content-type": "application/json" }),
      socket,
    );
  }

  /** Answers the requests of the checks: plans faults, and returns recorded calls. */
  async #control(path: string, body: { uid: string; fault?: string; times?: number }): Promise<unknown> {
    const calls = this.#callsFor(body.uid);
    if (path === "/plan") {
      calls.fault = body.fault ?? "";
      calls.faultsLeft = calls.fault === "" ? 0 : (body.times ?? Number.POSITIVE_INFINITY);
      return traits(documentFor(calls.fault));
    }
    if (path === "/when-requested") await this.#until(() => calls.requests.length > 0);
    if (path === "/when-finished") await this.#until(() => calls.requests.length > 0 && calls.inFlight === 0);
    const { requests, sentBytes, inFlight } = calls;
    return { requests, sentBytes, inFlight };
  }

  async #generate(uid: string, method: string, path: string, request: SeenCall, socket: Socket) {
    const { headers, body } = request;
    const calls = this.#callsFor(uid);
    const isKnown = calls.connections.has(socket);
    calls.connections.add(socket);
    calls.requests.push({ method, headers, values: JSON.parse(Buffer.from(body).toString()) });
    calls.inFlight += 1;
    this.#changes.emit("change");
    try {
      if (!path.startsWith("/keyless") && headers["authorization"] !== key)
        return await play(answer(401, "{}"), socket);
      if (calls.faultsLeft <= 0) return await play(whole(document), socket);
      calls.faultsLeft -= 1;
      if (calls.fault === "an endless document") return await this.#sendEndless(calls, socket);
      await play(stepsOf(calls.fault, isKnown), socket);
      if (rows.has(calls.fault)) socket.end();
    } finally {
      calls.inFlight -= 1;
      this.#changes.emit("change");
    }
  }

  /** Sends an endless document with backpressure, and counts its bytes. */
  async #sendEndless(calls: Calls, socket: Socket): Promise<void> {
    await play([pdfHead(2 ** 40), { do: "write", bytes: "%PDF-1.7\n" }], socket);
    const piece = Buffer.alloc(64 * 1024, "% endless\n");
    while (!socket.destroyed) {
      await play([{ do: "write", bytes: piece }], socket);
      calls.sentBytes += piece.length;
    }
  }

  #callsFor(uid: string): Calls {
    const calls = this.#calls.get(uid) ?? new Calls();
    this.#calls.set(uid, calls);
    return calls;
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await once(this.#changes, "change");
  }
}

/** Returns the bytes and events of a fault. The names are those of this file and of test/faults/rows. */
function stepsOf(fault: string, isKnownConnection: boolean): readonly Step[] {
  if (fault === "429 that asks to wait no time") return answer(429, "{}", { "retry-after": "0" });
  if (fault === "a document that may be kept for an hour")
    return whole(document, { "cache-control": "public, max-age=3600" });
  if (fault === "the kept connection is reset under every second request")
    return isKnownConnection ? [{ do: "reset" }] : whole(document);
  if (fault === "a large document") return whole(large);
  const row = rows.get(fault);
  if (!row) throw new Error(`The fault ${fault} is unknown.`);
  return (row.fault as ScriptedFault).script(document);
}

/** Returns the complete document of a fault. */
function documentFor(fault: string): Uint8Array {
  if (fault === "a large document") return large;
  return rows.get(fault)?.scene.whole?.(document) ?? document;
}

function whole(bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): readonly Step[] {
  const defaults = {
    "content-disposition": "attachment; filename*=UTF-8''Invoice%20%E2%80%93%20%C2%A3.pdf",
    "x-request-id": "request-of-the-service",
  };
  return [pdfHead(bytes.length, { ...defaults, ...headers }), { do: "write", bytes }];
}
