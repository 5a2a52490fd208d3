import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen, type SocketServer } from "../../support/sockets.ts";

/** What the service tells that no page may learn. */
export const secrets = {
  key: "key-that-no-page-knows",
  uid: "uid-that-no-page-knows",
  words: "words-of-the-service",
};

/** What the service plays: the values of the call say it, which reach it through the handler. */
export type Play =
  | { readonly plays: "document"; readonly bytes: number; readonly hidesLength?: boolean }
  | { readonly plays: "part"; readonly hidesLength?: boolean }
  | { readonly plays: "status"; readonly status: number }
  | { readonly plays: "silence" }
  | { readonly plays: "page" }
  | { readonly plays: "hang-up" };

/** One call as it reached the service. */
interface UpstreamCall {
  readonly values: Readonly<Record<string, unknown>>;
  readonly authorization: string | undefined;
  /** Settles when the socket of the call, or the call itself, is gone before the answer was whole. */
  readonly left: Promise<unknown>;
  /** What the service could hand over so far, in bytes. */
  readonly sentBytes: number;
  readonly hasSentAll: boolean;
  /** Breaks the answer off. */
  breakOff(): void;
}

/** The service, which counts what reaches it and what it could send. */
export interface Upstream extends SocketServer {
  /** How many calls came so far. */
  readonly callCount: number;
  /** The next call that comes. */
  nextCall(): Promise<UpstreamCall>;
}

const chunk = Buffer.alloc(65_536, "%filler\n");
const head = Buffer.from("%PDF-1.7\n");
const tail = Buffer.from("\n%%EOF\n");

/** A document of any length, made while it is sent. */
function* documentOf(bytes: number) {
  yield head;
  for (let left = bytes - head.length - tail.length; left > 0; left -= chunk.length) {
    yield chunk.subarray(0, left);
  }
  yield tail;
}

/** Starts it on a free port. */
export async function startUpstream(): Promise<Upstream> {
  let callCount = 0;
  const waiting: ((call: UpstreamCall) => void)[] = [];

  const server = await listen(async (request, response) => {
    callCount += 1;
    const values = JSON.parse(await textOf(request)) as Play & Record<string, unknown>;
    const progress = { sentBytes: 0, hasSentAll: false };
    const left = once(response, "close");
    waiting.shift()?.({
      values,
      authorization: request.headers.authorization,
      left,
      get sentBytes() {
        return progress.sentBytes;
      },
      get hasSentAll() {
        return progress.hasSentAll;
      },
      breakOff: () => request.socket.destroy(),
    });
    await play(values, response, left, progress);
  });

  return Object.defineProperties(
    Object.assign(server, {
      nextCall: () => new Promise<UpstreamCall>((resolve) => waiting.push(resolve)),
    }),
    { callCount: { get: () => callCount } },
  ) as Upstream;
}

async function play(
  values: Play,
  response: ServerResponse,
  left: Promise<unknown>,
  progress: { sentBytes: number; hasSentAll: boolean },
): Promise<void> {
  response.setHeader("set-cookie", `session=${secrets.words}`);
  response.setHeader("x-internal", secrets.words);
  response.setHeader("content-type", "application/pdf");
  if (values.plays === "silence") return;
  if (values.plays === "hang-up") {
    response.socket?.destroy();
    return;
  }
  if (values.plays === "page") {
    response.setHeader("content-type", "text/html").end(`<h1>${secrets.words}</h1>`);
    return;
  }
  if (values.plays === "status") {
    response.setHeader("retry-after", "7");
    response.writeHead(values.status).end(JSON.stringify({ message: secrets.words }));
    return;
  }
  if (values.plays === "part") {
    if (!values.hidesLength) response.setHeader("content-length", 1_000_000);
    response.write(Buffer.concat([head, chunk]));
    return;
  }
  // Values that tell nothing of the kind are those of the guide.
  const { bytes = 2_000 } = values as { bytes?: number };
  if (!values.hidesLength) response.setHeader("content-length", bytes);
  for (const piece of documentOf(bytes)) {
    if (response.destroyed) return;
    const isRoomLeft = response.write(piece);
    if (!isRoomLeft) await Promise.race([new Promise((resolve) => response.once("drain", resolve)), left]);
    progress.sentBytes += piece.length;
  }
  response.end();
  progress.hasSentAll = true;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks = await request.toArray();
  return Buffer.concat(chunks).toString();
}
