import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { sumOf } from "../../../runtimes/smoke/expect.mjs";
import { answer, pdfHead, type ScriptedFault, type Step } from "../../../src/service/faults/fault-script.ts";
import { play } from "../../../src/service/faults/play-on-socket.ts";
import { fakePdf } from "../../../src/testing/fake-pdf.ts";
import { groups } from "../../faults/rows/index.ts";
import { RequestReader, type SeenRequest } from "../../support/faults/request-reader.ts";
import { listenRaw, type SocketServer } from "../../support/sockets.ts";

/** What a page may load, by its path. */
type Pages = Readonly<Record<string, { readonly type: string; readonly text: string }>>;

type SeenCall = Omit<SeenRequest, "connection">;

/** All that is known of the calls for one template. */
class Calls {
  readonly requests: { method: string; headers: Readonly<Record<string, string>>; values: unknown }[] = [];
  readonly connections = new Set<Socket>();
  sentBytes = 0;
  underWay = 0;
  fault = "";
  faultsLeft = 0;
}

/** Longer than the 64 KiB that an unread document may hold. */
const document = fakePdf({ bytes: 100_000 });

/** Longer than what a system holds on the way. */
const large = fakePdf({ bytes: 16 * 1024 * 1024 });

const key = "API-Key key-of-the-smoke-suite";

const rows = new Map(groups.flatMap((group) => group.rows).map((row) => [row.fault.name, row]));

const traits = (bytes: Uint8Array) => ({ byteLength: bytes.length, sum: sumOf(bytes) });

/**
 * The one service that every runtime calls: on bare sockets, so that it can go wrong as no server would by itself. The
 * checks tell it what is to happen to calls for a template, and ask it what it saw of them.
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

  /** Where it listens. */
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
    const told = await this.#control(path, JSON.parse(Buffer.from(request.body).toString()));
    return play(
      answer(200, Buffer.from(JSON.stringify(told)), { "content-type": "application/json" }),
      socket,
    );
  }

  /** What the checks tell and ask, beside the calls themselves. */
  async #control(path: string, question: { uid: string; fault?: string; times?: number }): Promise<unknown> {
    const calls = this.#callsFor(question.uid);
    if (path === "/plan") {
      calls.fault = question.fault ?? "";
      calls.faultsLeft = calls.fault === "" ? 0 : (question.times ?? Number.POSITIVE_INFINITY);
      return traits(documentFor(calls.fault));
    }
    if (path === "/when-asked") await this.#until(() => calls.requests.length > 0);
    if (path === "/when-over") await this.#until(() => calls.requests.length > 0 && calls.underWay === 0);
    const { requests, sentBytes, underWay } = calls;
    return { requests, sentBytes, underWay };
  }

  async #generate(uid: string, method: string, path: string, request: SeenCall, socket: Socket) {
    const { headers, body } = request;
    const calls = this.#callsFor(uid);
    const isKnown = calls.connections.has(socket);
    calls.connections.add(socket);
    calls.requests.push({ method, headers, values: JSON.parse(Buffer.from(body).toString()) });
    calls.underWay += 1;
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
      calls.underWay -= 1;
      this.#changes.emit("change");
    }
  }

  /** Sends a document for as long as somebody takes it, and counts what the system took. */
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

/** What happens on the wire, by the names that faults have here and in test/faults/rows. */
function stepsOf(fault: string, isKnownConnection: boolean): readonly Step[] {
  if (fault === "429 that asks to wait no time") return answer(429, "{}", { "retry-after": "0" });
  if (fault === "a document that may be kept for an hour")
    return whole(document, { "cache-control": "public, max-age=3600" });
  if (fault === "the kept connection is reset under every second request")
    return isKnownConnection ? [{ do: "reset" }] : whole(document);
  if (fault === "a large document") return whole(large);
  const row = rows.get(fault);
  if (!row) throw new Error(`Nobody knows the fault ${fault}.`);
  return (row.fault as ScriptedFault).script(document);
}

/** What a whole document is under a fault. */
function documentFor(fault: string): Uint8Array {
  if (fault === "a large document") return large;
  return rows.get(fault)?.scene.whole?.(document) ?? document;
}

function whole(bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): readonly Step[] {
  const told = {
    "content-disposition": "attachment; filename*=UTF-8''Invoice%20%E2%80%93%20%C2%A3.pdf",
    "x-request-id": "request-of-the-service",
  };
  return [pdfHead(bytes.length, { ...told, ...headers }), { do: "write", bytes }];
}
