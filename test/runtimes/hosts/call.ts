import { once } from "node:events";
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from "node:http";

const pieceBytes = 65_536;

/** How a call is made. */
export interface CallInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Sends no `content-length`. */
  readonly hidesLength?: boolean;
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether it ended as its head had promised. */
  readonly isWhole: boolean;
}

/** A call under way. */
export interface Calling {
  /** The head of the answer, whose body has not been touched. */
  readonly head: Promise<IncomingMessage>;
  /** Closes the socket; or resets it, which a server sees that has stopped reading. */
  leave(by: "closing" | "resetting"): void;
}

/** Calls by a socket of its own, as a browser would that shows all it gets. */
export function startCall(url: string, init: CallInit = {}): Calling {
  const { method = "POST", headers = {}, body = "", hidesLength = false } = init;
  const length = hidesLength || method === "GET" ? {} : { "content-length": Buffer.byteLength(body) };
  // As browsers do: without it, a server closes the socket behind its answer, and resets it with what it has not read.
  const agent = new Agent({ keepAlive: true });
  const asked = request(url, {
    method,
    agent,
    headers: { "content-type": "application/json", ...length, ...headers },
  });
  const head = once(asked, "response").then(([answer]: IncomingMessage[]) => answer as IncomingMessage);
  head.catch(() => {});
  // Who leaves is told so by Node.
  asked.on("error", () => {});
  asked.on("socket", (socket) => socket.on("error", () => {}));
  void send(asked, Buffer.from(body));
  return {
    head,
    leave: (by) => (by === "resetting" ? asked.socket?.resetAndDestroy() : asked.socket?.destroy()),
  };
}

/** Sends a body until an answer comes: who gets that does not want the rest. */
async function send(asked: ClientRequest, body: Buffer): Promise<void> {
  let isAnswered = false;
  asked.once("response", () => {
    isAnswered = true;
  });
  for (let at = 0; at < body.length; at += pieceBytes) {
    const piece = body.subarray(at, at + pieceBytes);
    await new Promise((resolve) => asked.write(piece, resolve));
    if (isAnswered || asked.destroyed) return;
  }
  asked.end();
}

/** Makes a call and reads the answer as far as it goes. */
export async function call(url: string, init: CallInit = {}): Promise<Answer> {
  const calling = startCall(url, init);
  try {
    return await readAnswer(await calling.head);
  } finally {
    calling.leave("closing");
  }
}

/** Reads an answer as far as it goes. */
export async function readAnswer(head: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  head.on("data", (chunk: Buffer) => chunks.push(chunk));
  head.on("error", () => {});
  if (!head.closed) await new Promise((resolve) => head.once("close", resolve));
  const { statusCode = 0, headers, complete } = head;
  return { status: statusCode, headers, body: Buffer.concat(chunks), isWhole: complete };
}
