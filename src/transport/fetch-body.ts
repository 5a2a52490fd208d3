import { ConfigurationError } from "../errors/errors.ts";
import { callSafely, describeThrown } from "../errors/foreign-values.ts";
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
  [Symbol.asyncIterator]?(): ForeignIterator;
  cancel?(reason: unknown): unknown;
  destroy?(): unknown;
  on?(event: "error", listener: () => void): unknown;
}

interface ForeignIterator {
  next(): Promise<ReadResult>;
  return?(): unknown;
}

/**
 * Opens the body of a response: as a web stream, else as an async iterable, such as a Node stream, else with
 * `arrayBuffer()`, which has no progress.
 *
 * @throws {ConfigurationError} if the response has none of them, or was used before
 */
export function openBody(response: FetchResponse): BodyReader {
  const body = response.body as ForeignBody | null | undefined;
  if (response.bodyUsed || body?.locked) throw notNew();
  if (typeof body?.getReader === "function") return body.getReader();
  const iterator = body?.[Symbol.asyncIterator]?.();
  if (body && iterator) {
    const cancel = (reason: unknown) => {
      endBody(body, reason);
      return iterator.return?.();
    };
    return { read: () => iterator.next(), cancel };
  }
  if (typeof response.arrayBuffer === "function") return readerOfWhole(response, response.arrayBuffer);
  // Mocks omit the body of an error response.
  if (body === null || (body === undefined && (response.status < 200 || response.status > 299))) {
    return { read: async () => ({ done: true }), cancel: () => undefined };
  }
  throw notBytes(body);
}

function readerOfWhole(response: FetchResponse, arrayBuffer: () => Promise<unknown>): BodyReader {
  let isRead = false;
  return {
    async read() {
      if (isRead) return { done: true };
      isRead = true;
      const whole = await arrayBuffer.call(response).catch((error: unknown) => {
        // React Native before 0.72 has this method, but cannot execute it.
        if (/not (?:implemented|supported)/i.test(describeThrown(error))) throw notBytes(undefined);
        throw error;
      });
      const isBuffer = /^\[object (?:Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(whole));
      return { value: isBuffer ? new Uint8Array(whole as ArrayBuffer) : whole };
    },
    cancel: () => undefined,
  };
}

/** Ends a body that was not opened. A body that ignores the signal of its request would occupy a connection. */
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
