import type { Socket } from "node:net";
import { type ClientOptions, ConnectionError, TemplatePdf } from "template-pdf";
import { describe, expect, it, onTestFinished } from "vitest";
import { forms, generate } from "../client/every-form.ts";
import { pdfOf, rejectionOf, transports } from "../support/service.ts";
import { framed, head, type RawRequest, serveRaw, turn } from "../transport/server.ts";

/** The same numbers every time, from 0 to less than 1. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** The document of a uid, which no other has. */
function documentOf(uid: string): Buffer {
  const pdf = pdfOf(3_000 + (Number(uid) % 40) * 500);
  pdf.write(` ${uid} `, 100);
  return pdf;
}

const uidOf = ({ lines }: RawRequest) => /templates\/(\d+)\//.exec(lines[0] ?? "")?.[1] ?? "";

/** How a connection ends that might have lived on. */
const endings: readonly (readonly [string, (socket: Socket, pdf: Buffer) => void])[] = [
  ["after a whole answer", (socket, pdf) => void socket.end(answerOf(pdf))],
  [
    "after a whole answer, by a reset",
    (socket, pdf) => socket.write(answerOf(pdf), () => socket.resetAndDestroy()),
  ],
  [
    "a little after a whole answer",
    (socket, pdf) => socket.write(answerOf(pdf), () => setImmediate(() => socket.end())),
  ],
  ["instead of an answer", (socket) => void socket.end()],
  ["instead of an answer, by a reset", (socket) => socket.resetAndDestroy()],
  ["in the middle of the head", (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-ty")],
  ["in the middle of a document", (socket, pdf) => void socket.end(answerOf(pdf).subarray(0, -999))],
  [
    "in the middle of a document in chunks",
    (socket, pdf) =>
      void socket.end(
        head(200, ["transfer-encoding: chunked"]) + framed(pdf.subarray(0, 1_100)).toString("latin1"),
      ),
  ],
];

function answerOf(pdf: Buffer): Buffer {
  return Buffer.concat([Buffer.from(head(200, [`content-length: ${pdf.length}`])), pdf]);
}

function clientOf(baseUrl: string, options: ClientOptions): TemplatePdf {
  const client = new TemplatePdf({ baseUrl, apiKey: "key-of-the-tests", ...options });
  onTestFinished(() => client.close());
  return client;
}

describe.each(transports)("a service that closes its connections at random, by %s,", (_, options) => {
  it("gives 1,000 documents, every one of them whole", async () => {
    const roll = dice(0x2545f491);
    const broken = new Map<string, number>();
    const ended: Record<string, number> = {};
    const server = await serveRaw((socket, request) => {
      const uid = uidOf(request);
      const pdf = documentOf(uid);
      const [name, end] = endings[Math.floor(roll() * endings.length)] ?? [];
      const times = broken.get(uid) ?? 0;
      // Twice for one document is enough of its own: it also meets connections that another one's answer ended.
      if (!name || !end || times === 2 || roll() < 0.7) return void socket.write(answerOf(pdf));
      ended[name] = (ended[name] ?? 0) + 1;
      broken.set(uid, times + 1);
      end(socket, pdf);
    });
    let attempts = 0;
    const client = clientOf(server.origin, {
      ...options,
      retry: { limit: 8, mayRenderTwice: true },
      hooks: { request: () => void attempts++ },
    });
    const uids = Array.from({ length: 1_000 }, (_, index) => String(index));
    const lane = async () => {
      for (let uid = uids.pop(); uid !== undefined; uid = uids.pop()) {
        const bytes = await client.generate(uid, {}).bytes();
        expect(documentOf(uid).equals(bytes)).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 25 }, lane));
    const total = Object.values(ended).reduce((sum, count) => sum + count, 0);
    console.info(
      `1,000 documents: ${attempts} attempts, ${server.allSockets} sockets, ended ${JSON.stringify(ended)}`,
    );
    expect(Object.keys(ended)).toHaveLength(endings.length);
    expect(attempts).toBeGreaterThan(1_000);
    // One more attempt for a connection that ended, at most; a whole answer before its end needs none.
    expect(attempts).toBeLessThanOrEqual(1_000 + total);
  }, 60_000);

  it.each(forms)("gives %s of a pending document that broke once before it began", async (_form, read) => {
    const pdf = pdfOf(50_000);
    const server = await serveRaw((socket) => {
      if (server.requests.length === 1) socket.destroy();
      else socket.write(answerOf(pdf));
    });
    const client = clientOf(server.origin, { ...options, retry: { limit: 1 } });
    expect(pdf.equals(await read(generate(client)))).toBe(true);
    expect(server.requests).toHaveLength(2);
  });

  it("is asked once only where nothing may be rendered twice", async () => {
    const server = await serveRaw((socket) => socket.destroy());
    const client = clientOf(server.origin, { ...options, retry: { limit: 2, mayRenderTwice: false } });
    const error = await rejectionOf(generate(client).bytes());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(transports)("a service that closed a connection while nobody used it, by %s,", (_, options) => {
  it.each([
    ["ended", (socket: Socket) => void socket.end()],
    ["reset", (socket: Socket) => void socket.resetAndDestroy()],
  ])("is asked by another one, when the news has come: %s", async (_how, end) => {
    const pdf = pdfOf(2_000);
    let idle: Socket | undefined;
    const server = await serveRaw((socket) => {
      idle = socket;
      socket.write(answerOf(pdf));
    });
    // Tries once: that the next call finds a living connection is not the merit of another try.
    const client = clientOf(server.origin, { ...options, retry: false });
    for (let round = 1; round <= 20; round++) {
      expect(pdf.equals(await generate(client).bytes())).toBe(true);
      if (!idle) throw new Error("A document came, and no connection.");
      const gone = new Promise((resolve) => idle?.once("close", resolve));
      end(idle);
      await gone;
      await turn();
      expect(server.allSockets).toBe(round);
    }
  });
});
