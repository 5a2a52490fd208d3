import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { sumOf } from "../../../runtimes/smoke/expect.mjs";
import { answer, pdfHead, type ScriptedFault, type Step } from "../../../src/service/faults/faults.ts";
import { play } from "../../../src/service/faults/play-on-socket.ts";
import { fakePdf } from "../../../src/testing/fake-pdf.ts";
import { groups } from "../../faults/rows/index.ts";
import { RequestReader, type SeenRequest } from "../../support/faults/request-reader.ts";
import { listenRaw } from "../../support/sockets.ts";

/** The files that a page can load, by path. */
type Pages = Readonly<Record<string, { readonly type: string; readonly text: string }>>;

type Call = Omit<SeenRequest, "lines">;

/** The recorded calls for one template. */
class Calls {
  readonly requests: { method: string; headers: Readonly<Record<string, string>>; values: unknown }[] = [];
  readonly connections = new Set<Socket>();
  sentBytes = 0;
  inFlight = 0;
}

/** Longer than the 64 KiB that an unread document may hold. */
const document = fakePdf({ bytes: 100_000 });
const rows = new Map(groups.flatMap((group) => group.rows).map((row) => [row.fault.name, row]));
const whole = (headers: Readonly<Record<string, string>> = {}): readonly Step[] => [
  pdfHead(document.length, {
    "content-disposition": "attachment; filename*=UTF-8''Invoice%20%E2%80%93%20%C2%A3.pdf",
    "x-request-id": "request-of-the-service",
    ...headers,
  }),
  { do: "write", bytes: document },
];

/** Sends an endless document with backpressure, and counts its bytes. */
async function sendEndless(calls: Calls, socket: Socket): Promise<void> {
  await play([pdfHead(2 ** 40), { do: "write", bytes: "%PDF-1.7\n" }], socket);
  const piece = Buffer.alloc(64 * 1024, "% endless\n");
  while (!socket.destroyed) {
    await play([{ do: "write", bytes: piece }], socket);
    calls.sentBytes += piece.length;
  }
}

/**
 * Starts the service that all runtimes call. It uses raw sockets to simulate faults that no server would produce. A template's uid
 * contains the name of a fault and the number of calls that have it. The checks also read the recorded calls.
 */
export async function startSmokeService(pages: Pages) {
  const callsByUid = new Map<string, Calls>();
  const changes = new EventEmitter().setMaxListeners(0);

  function callsFor(uid: string): Calls {
    const calls = callsByUid.get(uid) ?? new Calls();
    callsByUid.set(uid, calls);
    return calls;
  }

  async function generate(uid: string, [method = "", path = ""]: string[], call: Call, socket: Socket) {
    const calls = callsFor(uid);
    const isKnown = calls.connections.has(socket);
    calls.connections.add(socket);
    calls.requests.push({ method, headers: call.headers, values: JSON.parse(call.body.toString()) });
    calls.inFlight += 1;
    changes.emit("change");
    try {
      if (!path.startsWith("/keyless") && call.headers["authorization"] !== "API-Key smoke-suite-key")
        return await play(answer(401, "{}"), socket);
      const [fault, times] = JSON.parse(uid) as [string, number];
      if (fault === "" || calls.requests.length > times) return await play(whole(), socket);
      if (fault === "an endless document") return await sendEndless(calls, socket);
      await play(stepsOf(fault, isKnown), socket);
      if (rows.has(fault)) socket.end();
    } finally {
      calls.inFlight -= 1;
      changes.emit("change");
    }
  }

  async function respond(call: Call, socket: Socket): Promise<void> {
    const line = call.line.split(" ");
    const [method, path = ""] = line;
    const uid = /\/api\/v1\/templates\/([^/?]+)\/generate-sync$/.exec(path)?.[1];
    if (uid !== undefined) return generate(decodeURIComponent(uid), line, call, socket);
    const page = pages[path];
    if (page) return play(answer(200, Buffer.from(page.text), { "content-type": page.type }), socket);
    if (method !== "POST") return play(answer(404, ""), socket);
    const calls = callsFor(JSON.parse(call.body.toString()).uid);
    const isDue = () =>
      path === "/seen" || (calls.requests.length > 0 && (path === "/when-requested" || calls.inFlight === 0));
    while (!isDue()) await once(changes, "change");
    const { requests, sentBytes, inFlight } = calls;
    const body = Buffer.from(JSON.stringify({ requests, sentBytes, inFlight }));
    return play(answer(200, body, { "content-type": "application/json" }), socket);
  }

  const server = await listenRaw((socket) => {
    let turn = Promise.resolve();
    const onRequest = (request: Omit<Call, "body">, body: Buffer) => {
      turn = turn.then(() => respond({ ...request, body }, socket));
    };
    const reader = new RequestReader({ onHeaders: () => {}, onRequest });
    socket.on("data", (piece: Buffer) => reader.push(piece));
  });
  return { server, document: { byteLength: document.length, sum: sumOf(document) } };
}

/** Returns the bytes and events of a fault. The names are those of this file and of test/faults/rows. */
function stepsOf(fault: string, isKnownConnection: boolean): readonly Step[] {
  if (fault === "429 that asks to wait no time") return answer(429, "{}", { "retry-after": "0" });
  if (fault === "a document that may be kept for an hour")
    return whole({ "cache-control": "public, max-age=3600" });
  if (fault === "the kept connection is reset under every second request")
    return isKnownConnection ? [{ do: "reset" }] : whole();
  const row = rows.get(fault);
  if (!row) throw new Error(`The fault ${fault} is unknown.`);
  return (row.fault as ScriptedFault).script(document);
}
