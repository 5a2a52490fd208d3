import { answer, type Fault, fault, pdfHead } from "./fault.ts";

/** How far into the document something happens. */
export interface AfterBytes {
  /** How many bytes of the document are sent before. Default: half of them. */
  readonly afterBytes?: number | undefined;
}

/** The faults that a test of a program needs, by name. */
export const faults = Object.freeze({
  /** The API key is refused. */
  unauthorized: (): Fault => refusal(401, "This API key is not known."),

  /** Too many requests; `retryAfter` is a number of seconds, or the header's text as it is to be. */
  rateLimited: ({ retryAfter }: { readonly retryAfter?: number | string | undefined } = {}): Fault =>
    refusal(429, "Too many requests.", retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),

  /** The service itself failed, with any status of 5xx. */
  serverError: ({ status = 500 }: { readonly status?: number | undefined } = {}): Fault =>
    refusal(status, "The document could not be rendered."),

  /** A login page with status 200. */
  notAPdf: (): Fault =>
    fault("an HTML page instead of the document", () =>
      answer(200, "<!doctype html><title>Sign in</title><h1>Sign in</h1>", { "content-type": "text/html" }),
    ),

  /** The connection ends in the middle of the document. */
  cutOff: ({ afterBytes }: AfterBytes = {}): Fault =>
    fault("the connection ends in the middle of the document", (document) => [
      pdfHead(document.length),
      { do: "write", bytes: part(document, afterBytes) },
      { do: "end" },
    ]),

  /** The document stops in the middle, and the connection stays. */
  stall: ({ afterBytes }: AfterBytes = {}): Fault =>
    fault("the document stops in the middle, and the connection stays", (document) => [
      pdfHead(document.length),
      { do: "write", bytes: part(document, afterBytes) },
      { do: "stall" },
    ]),

  /** The document comes in small pieces, one every `everyMs`. */
  slow: ({
    pieces = 40,
    everyMs = 25,
  }: {
    readonly pieces?: number;
    readonly everyMs?: number;
  } = {}): Fault =>
    fault("the document comes slowly, but steadily", (document) => [
      pdfHead(document.length),
      { do: "drip", bytes: document, pieceBytes: Math.ceil(document.length / pieces), everyMs },
    ]),

  /** The connection breaks: instead of an answer, or after some bytes of the document. */
  reset: ({ afterBytes }: AfterBytes = {}): Fault =>
    afterBytes === undefined
      ? fault("the connection is reset instead of an answer", () => [{ do: "reset" }])
      : fault("the connection is reset in the middle of the document", (document) => [
          pdfHead(document.length),
          { do: "write", bytes: part(document, afterBytes) },
          // Read by then: together with bytes, libuv tells a client of a reset as of an ordinary end.
          { do: "wait", ms: 20 },
          { do: "reset" },
        ]),
});

function refusal(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Fault {
  const body = JSON.stringify({ title: "A fault on purpose", status, detail });
  return fault(`an answer with ${status}`, () =>
    answer(status, body, { "content-type": "application/problem+json", ...headers }),
  );
}

function part(document: Uint8Array, afterBytes = document.length >> 1): Uint8Array {
  return document.subarray(0, afterBytes);
}
