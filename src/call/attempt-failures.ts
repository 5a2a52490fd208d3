import {
  ConfigurationError,
  ConnectionError,
  InvalidPdfError,
  TimeoutError,
  type TimeoutPhase,
  TruncatedPdfError,
} from "../errors/errors.ts";
import { causesOf, readForeign, readForeignText, safeString } from "../errors/foreign-values.ts";
import { pageAddress } from "../runtime/environment.ts";
import type { Explanation, ResponseHead } from "../transport/transport.ts";
import {
  apiError,
  describeResponse,
  nameCall,
  responseFacts,
  retryAfterOf,
  templateBroken,
} from "./api-error.ts";
import { encodingOfPdf, wasDecodedAsText } from "./decoded-text.ts";
import { type Repeat, repeatAfter } from "./retry-policy.ts";
import type { SentRequest } from "./sent-request.ts";

/** Why an attempt failed. */
export interface AttemptFailure {
  readonly repeat: Repeat;
  /** The delay that the service requests, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Creates the error once it is known whether the attempt is retried. Its message ends with `note`, which says why not. */
  readonly error: (note: string) => unknown;
}

/** How much of a document arrived. */
export interface Received {
  readonly receivedBytes: number;
  readonly promisedBytes: number | undefined;
}

/** The service did not respond. `isUnsent` tells whether it is certain that the request was not sent. */
export function noResponse(
  cause: unknown,
  explained: Explanation | undefined,
  isUnsent: boolean,
  request: SentRequest,
): AttemptFailure {
  if (isPassedOn(cause, request)) return { repeat: "never", error: () => cause };
  const wasSent = !isUnsent && !explained?.isUnsent;
  const error = (note: string) => {
    const safe = request.redactor.causeWithoutSecrets(cause);
    const reason =
      explained?.reason === undefined
        ? innermostMessage(safe)
        : request.redactor.withoutKey(explained.reason);
    const what = wasSent ? "Got no response from" : "Could not reach";
    const rendered = wasSent ? mayBeRendered : "";
    const advice = request.redactor.withoutKey(explained?.advice ?? adviceFor(request.origin));
    return new ConnectionError(`${what} ${nameCall(request)} (${reason}).${rendered} ${advice}${note}`, {
      attempts: request.attempts,
      cause: safe,
    });
  };
  return { repeat: explained?.isLasting ? "never" : wasSent ? "ambiguous" : "safe", error };
}

const mayBeRendered = " The document may have been rendered.";

/** Matches the `digest` of an error with which Next.js's `fetch` stops rendering a page. */
const nextDigest =
  /^(?:NEXT_|(?:BAILOUT_TO_CLIENT_SIDE_RENDERING|DYNAMIC_SERVER_USAGE|HANGING_PROMISE_REJECTION)$)/;

/** Whether a rejection must reach the caller unchanged, because the request itself did not fail. */
function isPassedOn(cause: unknown, { redactor }: SentRequest): boolean {
  try {
    // An invalid dispatcher or proxy setting is only detected when it is used.
    if (ConfigurationError.is(cause)) return true;
  } catch {
    // A custom `fetch` may reject with an object that throws when it is read.
    return false;
  }
  if (!nextDigest.test(readForeignText(cause, "digest") ?? "")) return false;
  const texts = ["message", "stack", "digest", "cause"].map((name) => safeString(readForeign(cause, name)));
  return texts.every((text) => redactor.withoutKey(text) === text);
}

/** Browsers do not report missing CORS headers, so different origins are the only hint. */
function adviceFor(origin: string): string {
  const page = pageAddress();
  const ownOrigin = page === undefined ? origin : new URL(page).origin;
  const crossing =
    ownOrigin === origin
      ? ""
      : ` The server must allow ${ownOrigin} (CORS; see \`origins\` of createHandler).`;
  return `Check \`baseUrl\` and the network.${crossing}`;
}

/**
 * The response has an error status.
 *
 * @param text - the part of the body that arrived
 * @param cause - the failure that interrupted the body, if any
 */
export function refusal(
  head: ResponseHead,
  text: string,
  request: SentRequest,
  cause: unknown,
): AttemptFailure {
  return {
    // The emulator says that its template can never be rendered.
    repeat: text.includes(templateBroken) ? "never" : repeatAfter(head.status),
    retryAfterMs: retryAfterOf(head),
    error: (note) => apiError(head, text, request, note, cause),
  };
}

/** The cause of an `ApiError` whose response body did not end in time. */
export function refusalOver(limitMs: number, head: ResponseHead, request: SentRequest): TimeoutError {
  const message = `The rest of the response did not arrive within ${limitMs} ms.`;
  return new TimeoutError(message, { ...responseFacts(head, request), phase: "stall", limitMs });
}

/** A successful response is not a PDF. */
export function notAPdf(head: ResponseHead, text: string, request: SentRequest): AttemptFailure {
  const error = (note: string) => {
    const { redactor } = request;
    const contentType = contentTypeOf(head, request);
    const excerpt = redactor.quote(text, 120);
    const encoding = encodingOfPdf(text);
    const advice = encoding
      ? `This is a PDF ${encoding}: make the service or proxy send its bytes.`
      : (request.advice?.response(head, request, text) ?? "Check `baseUrl`.");
    const type = contentType ? JSON.stringify(contentType) : "no content type";
    const body = text === "" ? " and an empty body" : `, not a PDF: ${JSON.stringify(excerpt)}`;
    return new InvalidPdfError(`${describeResponse(head, request)} with ${type}${body}. ${advice}${note}`, {
      ...responseFacts(head, request),
      contentType,
      excerpt,
    });
  };
  return { repeat: "never", error };
}

/** A PDF was decoded as text on its way, and its bytes above 127 are lost. */
export function decodedAsText(head: ResponseHead, text: string, request: SentRequest): AttemptFailure {
  const error = (note: string) =>
    new InvalidPdfError(
      `${describeResponse(head, request)} with a PDF that ${wasDecodedAsText}. Pass on its bytes unchanged.${note}`,
      {
        ...responseFacts(head, request),
        contentType: contentTypeOf(head, request),
        excerpt: request.redactor.quote(text, 120),
      },
    );
  return { repeat: "never", error };
}

function contentTypeOf(head: ResponseHead, { redactor }: SentRequest): string | undefined {
  const type = head.header("content-type");
  return type === undefined ? undefined : redactor.quote(type, 100);
}

/** A successful response has a content encoding that is not supported or, if decoding failed with `cause`, that was not applied. */
export function undecoded(head: ResponseHead, request: SentRequest, cause?: unknown): AttemptFailure {
  const error = (note: string) => {
    const { redactor } = request;
    const coding = redactor.quote(head.unsupportedCoding ?? head.header("content-encoding") ?? "", 100);
    const what =
      cause === undefined ? "in the unsupported encoding" : "with a body that is not in its content-encoding";
    return new InvalidPdfError(
      `${describeResponse(head, request)} ${what} ${JSON.stringify(coding)}. Disable it in the service or proxy.${note}`,
      {
        ...responseFacts(head, request),
        excerpt: "",
        cause: redactor.causeWithoutSecrets(cause),
      },
    );
  };
  return { repeat: "never", error };
}

/** A document is incomplete. */
export function truncated(
  head: ResponseHead,
  received: Received,
  request: SentRequest,
  cause?: unknown,
): AttemptFailure {
  const error = (note: string) => {
    const safe = request.redactor.causeWithoutSecrets(cause);
    const why = cause === undefined ? "" : ` (${innermostMessage(safe)})`;
    const end = why || isShort(received) ? "" : ", without the PDF end-of-file marker";
    return new TruncatedPdfError(
      `The document from ${nameCall(request)} was truncated after ${amountOf(received)}${why}${end}. Generate it again.${note}`,
      { ...responseFacts(head, request), ...received, cause: safe },
    );
  };
  return { repeat: "ambiguous", error };
}

/** An attempt reached a limit in `timeouts`. `proxy` is the address of the proxy to the service, if it is known. */
export function timedOut(
  phase: Exclude<TimeoutPhase, "total">,
  limitMs: number,
  received: Received,
  head: ResponseHead | undefined,
  request: SentRequest,
  proxy?: string,
): AttemptFailure {
  const where = nameCall(request);
  const through = proxy === undefined ? "" : ` through the proxy at ${proxy}`;
  const setting = proxy === undefined ? "`baseUrl`" : "HTTP_PROXY, HTTPS_PROXY";
  const limit = `within ${limitMs} ms (\`timeouts.${phase}\`)`;
  const messages: { readonly [name in typeof phase]: string } = {
    connect: `Could not reach ${where}${through} ${limit}. Check ${setting} and the network.`,
    firstByte: `Got no response from ${where} ${limit}.${mayBeRendered} Raise the limit if rendering takes longer.`,
    stall: `The document from ${where} stalled after ${amountOf(received)}: no more data arrived ${limit}. Generate it again.`,
    unread: `The document from ${where} was not read ${limit}. Read it sooner, or raise the limit.`,
  };
  const error = (note: string) => {
    const facts = head ? responseFacts(head, request) : { attempts: request.attempts };
    return new TimeoutError(messages[phase] + note, { ...facts, phase, limitMs });
  };
  return { repeat: phase === "connect" ? "safe" : "ambiguous", error };
}

/** The error of a call that reached `timeouts.total`. `cause` is the error of the previous attempt, if any. */
export function totalOver(
  limitMs: number,
  attempts: number,
  call: Pick<SentRequest, "uid" | "origin">,
  cause: unknown,
): TimeoutError {
  const limit = `${nameCall(call)} within ${limitMs} ms (\`timeouts.total\`)`;
  return new TimeoutError(
    attempts === 0
      ? `Nothing was sent to ${limit}: the \`apiKey\` function or the template's schema did not finish.`
      : `Got no complete document from ${limit}. Raise the limit if rendering takes longer.${triedTimes(attempts)}`,
    { attempts, phase: "total", limitMs, cause },
  );
}

/** The part of a message that counts the attempts. */
export function triedTimes(attempts: number): string {
  return attempts > 1 ? ` Tried ${attempts} times.` : "";
}

function amountOf(received: Received): string {
  return `${received.receivedBytes}${isShort(received) ? ` of ${received.promisedBytes}` : ""} bytes`;
}

function isShort({ receivedBytes, promisedBytes }: Received): boolean {
  return promisedBytes !== undefined && receivedBytes < promisedBytes;
}

/** Returns the message of the innermost cause, for example `connect ECONNREFUSED 127.0.0.1:443`. */
function innermostMessage(cause: unknown): string {
  const innermost = causesOf(cause).at(-1);
  if (typeof innermost === "string") return innermost;
  const [message, code, name] = ["message", "code", "name"].map((key) => readForeignText(innermost, key));
  return message || (code ?? name ?? "for an unspecified reason");
}
