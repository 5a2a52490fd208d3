import { ConfigurationError } from "../errors/errors.ts";
import { callSafely, readForeignText } from "../errors/foreign-values.ts";
import { describeKind, isBytes } from "../errors/value-kinds.ts";
import type { FetchResponse } from "./transport.ts";

/** Reads the body of a response, one chunk at a time. */
export interface BodyReader {
  read(): Promise<ReadResult>;
  /** Ends the body, also while a chunk is being read. */
  cancel(reason: unknown): unknown;
}

export interface ReadResult {
  readonly done?: boolean | undefined;
  readonly value?: unknown;
}

/** The bodies of the published `fetch` functions: web streams, Node streams, and other iterables. */
interface ForeignBody {
  readonly locked?: boolean;
  getReader?(): BodyReader;
  [Symbol.asyncIterator]?(): { next(): Promise<ReadResult>; return?(value?: undefined): unknown };
  cancel?(reason: unknown): unknown;
  destroy?(): unknown;
  on?(event: "error", listener: () => void): unknown;
}

/**
 * Opens the body of a response: as a web stream, else as an async iterable, such as a Node stream, else with
 * `arrayBuffer()`, which has no progress.
 *
 * @throws {ConfigurationError} if the response was used before. If it has no body, the error is thrown when it is read
 */
export function openBody(response: FetchResponse): BodyReader {
  const body = response.body as ForeignBody | null | undefined;
  if (response.bodyUsed || body?.locked) throw notNew();
  if (body?.getReader) return body.getReader();
  const chunks = body?.[Symbol.asyncIterator]?.() ?? wholeOf(response);
  return {
    read: () => chunks.next(),
    cancel(reason) {
      endBody(body, reason);
      return chunks.return?.(undefined);
    },
  };
}

async function* wholeOf(response: FetchResponse): AsyncGenerator<unknown, undefined> {
  const { body, status } = response;
  if (response.arrayBuffer) {
    try {
      const whole = await response.arrayBuffer();
      // It may come from another realm. Mocks also return a Buffer.
      const isBuffer = Object.prototype.toString.call(whole) === "[object ArrayBuffer]";
      yield isBuffer ? new Uint8Array(whole as ArrayBuffer) : whole;
    } catch (error) {
      // Some versions of React Native have this method, but throw when it is called.
      if (/not implemented/.test(readForeignText(error, "message") ?? "")) throw notBytes(undefined);
      throw error;
    }
  } else if (body !== null && (body !== undefined || (status >= 200 && status < 300))) {
    // Mocks may omit the body only of an error response.
    throw notBytes(body);
  }
}

/** Ends a body. One that ignores the signal of its request would occupy a connection. */
export function endBody(body: unknown, reason: unknown): void {
  const foreign = body as ForeignBody | null | undefined;
  callSafely(() => {
    // An error that nobody listens to would end the process.
    foreign?.on?.("error", () => {});
    return foreign?.cancel?.(reason) ?? foreign?.destroy?.();
  });
}

export function checkChunk(chunk: unknown): Uint8Array {
  if (!isBytes(chunk)) throw notBytes(chunk);
  return chunk;
}

/** The response does not have the properties of a response, or was used before. */
export function notNew(): ConfigurationError {
  return new ConfigurationError("Expected `fetch` to return a new Response for every call.");
}

function notBytes(found: unknown): ConfigurationError {
  return new ConfigurationError(
    `Expected \`fetch\` to return a response with Uint8Array chunks or a working arrayBuffer(), got ${describeKind(found)}.`,
  );
}
