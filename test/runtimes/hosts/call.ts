import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

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
  leave(): void;
}

/** Calls by a socket of its own, as a browser would that shows all it gets. */
export function startCall(url: string, init: CallInit = {}): Calling {
  const { method = "POST", headers = {}, body = "", hidesLength = false } = init;
  const length = hidesLength || method === "GET" ? {} : { "content-length": Buffer.byteLength(body) };
  const asked = request(url, {
    method,
    agent: new Agent(),
    headers: { "content-type": "application/json", ...length, ...headers },
  });
  const head = once(asked, "response").then(([answer]: IncomingMessage[]) => answer as IncomingMessage);
  // Who leaves is told so by Node.
  asked.on("error", () => {});
  head.catch(() => {});
  asked.end(body);
  return { head, leave: () => asked.destroy() };
}

/** Makes a call and reads the answer as far as it goes. */
export async function call(url: string, init: CallInit = {}): Promise<Answer> {
  return readAnswer(await startCall(url, init).head);
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
