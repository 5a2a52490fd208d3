import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { withoutBackOff } from "../client/timing.ts";
import { clientOf, pdfOf, transports } from "../support/service.ts";
import { type RawRequest, serveRaw, wholeAnswer } from "../support/sockets.ts";

const documents = 150;

/** The document for a uid; each uid has a different one. */
function documentOf(uid: string): Buffer {
  const pdf = pdfOf(3_000 + (Number(uid) % 40) * 500);
  pdf.write(` ${uid} `, 100);
  return pdf;
}

const uidOf = ({ lines }: RawRequest) => /templates\/(\d+)\//.exec(lines[0] ?? "")?.[1] ?? "";

/** The ways in which a server ends a connection that could have been reused. */
const endings: readonly ((socket: Socket, pdf: Buffer) => unknown)[] = [
  // Closed or reset after a complete response.
  (socket, pdf) => socket.end(wholeAnswer(pdf)),
  (socket, pdf) => socket.write(wholeAnswer(pdf), () => socket.resetAndDestroy()),
  // Closed or reset instead of a response.
  (socket) => socket.end(),
  (socket) => socket.resetAndDestroy(),
  // Closed in the middle of the headers or of a document.
  (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-ty"),
  (socket, pdf) => socket.end(wholeAnswer(pdf).subarray(0, -999)),
];

it.each(transports)(
  "with %s, a client returns only complete documents even if the server closes connections",
  async (_, options) => {
    withoutBackOff();
    const broken = new Map<string, number>();
    let ended = 0;
    const server = await serveRaw((socket, request) => {
      const uid = uidOf(request);
      const pdf = documentOf(uid);
      const times = broken.get(uid) ?? 0;
      // Two failures for one document are enough, because connections closed for others can also fail it.
      if (times === 2 || server.requests.length % 4 > 0) return void socket.write(wholeAnswer(pdf));
      broken.set(uid, times + 1);
      endings[ended++ % endings.length]?.(socket, pdf);
    });
    let attempts = 0;
    const client = clientOf(server.origin, {
      ...options,
      retry: { limit: 8, mayRenderTwice: true },
      hooks: { request: () => void attempts++ },
    });
    const uids = Array.from({ length: documents }, (_, index) => String(index));
    const lane = async () => {
      for (let uid = uids.pop(); uid !== undefined; uid = uids.pop()) {
        const bytes = await client.generate(uid, {}).bytes();
        expect(documentOf(uid).equals(bytes)).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 25 }, lane));
    expect(ended).toBeGreaterThan(2 * endings.length);
    expect(attempts).toBeGreaterThan(documents);
    // Each ended connection causes at most one more attempt, and none after a complete response.
    expect(attempts).toBeLessThanOrEqual(documents + ended);
  },
);
