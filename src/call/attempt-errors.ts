import {
  ConfigurationError,
  ConnectionError,
  InvalidPdfError,
  TimeoutError,
  type TimeoutPhase,
  TruncatedPdfError,
} from "../errors/errors.ts";
import { isInstance, readForeign, readForeignText } from "../errors/foreign-values.ts";
import { pageAddress } from "../runtime/environment.ts";
import type { ResponseHead } from "../transport/response-head.ts";
import type { Explanation } from "../transport/transport.ts";
import { answerFacts, type CallFacts, type KnownFacts, whatHappened, whereOf } from "./api-error.ts";

/** The phases of an attempt that have a timeout. */
export type AttemptPhase = Exclude<TimeoutPhase, "total">;

/** How much of a document arrived. */
export interface Received {
  readonly receivedBytes: number;
  readonly promisedBytes: number | undefined;
}

/** Creates the error for a missing response. `isUnsent` tells whether it is certain that the request was not sent. */
export function notConnected(
  cause: unknown,
  isUnsent: boolean,
  call: CallFacts,
  explained?: Explanation,
): unknown {
  if (isPassedOn(cause)) return cause;
  const safe = call.secrets.causeWithoutSecrets(cause);
  const reason =
    explained?.reason === undefined ? innermostMessage(safe) : call.secrets.quote(explained.reason, 500);
  const advice = explained?.advice ?? adviceFor(call.origin);
  const [what, rendered] = isUnsent ? ["Could not reach", ""] : ["Got no response from", mayBeRendered];
  return new ConnectionError(`${what} ${whereOf(call)} (${reason}).${rendered} ${advice}${call.note}`, {
    attempts: call.attempts,
    cause: safe,
  });
}

const mayBeRendered = " The document may have been rendered.";

/** Whether a rejection must reach the caller unchanged, because the request itself did not fail. */
export function isPassedOn(cause: unknown): boolean {
  try {
    // An invalid dispatcher or proxy setting is only detected when it is used. Next.js's `fetch` throws an error with a `digest`
    // to stop prerendering a page.
    return ConfigurationError.is(cause) || typeof (cause as { digest?: unknown }).digest === "string";
  } catch {
    // A custom `fetch` may reject without a reason, or with an object that throws when it is read.
    return false;
  }
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

/** Creates the error for a successful response that is not a PDF. */
export function notAPdf(head: ResponseHead, text: string, call: CallFacts): InvalidPdfError {
  const type = head.header("content-type");
  const contentType = type === undefined ? undefined : call.secrets.quote(type, 100);
  const excerpt = call.secrets.quote(text, 120);
  return new InvalidPdfError(
    `${whatHappened(head, call)} with ${contentType ? JSON.stringify(contentType) : "no content type"}, not a PDF: ${JSON.stringify(excerpt)}. Check that \`baseUrl\` points to the service, not to a login page or a proxy.${call.note}`,
    { ...answerFacts(head, call), contentType, excerpt },
  );
}

/** Creates the error for a content encoding that cannot be decoded. */
export function undecoded(head: ResponseHead, call: CallFacts): InvalidPdfError {
  const coding = JSON.stringify(call.secrets.quote(head.undecoded ?? "", 100));
  return new InvalidPdfError(
    `${whatHappened(head, call)} in the unsupported encoding ${coding}. Disable it in the service or proxy.${call.note}`,
    { ...answerFacts(head, call), excerpt: "" },
  );
}

/** Creates the error for a truncated document. */
export function cutOff(
  head: ResponseHead,
  received: Received,
  call: CallFacts,
  cause?: unknown,
): TruncatedPdfError {
  const safe = call.secrets.causeWithoutSecrets(cause);
  const why = cause === undefined ? "" : ` (${innermostMessage(safe)})`;
  const end = why || isShort(received) ? "" : ", without the PDF end-of-file marker";
  return new TruncatedPdfError(
    `The document from ${whereOf(call)} was truncated after ${amountOf(received)}${why}${end}. Generate it again.${call.note}`,
    { ...answerFacts(head, call), ...received, ...(cause !== undefined && { cause: safe }) },
  );
}

/** Creates the error for an attempt that reached a limit in `timeouts`. */
export function timedOut(
  phase: AttemptPhase,
  limitMs: number,
  received: Received,
  head: ResponseHead | undefined,
  call: CallFacts,
): TimeoutError {
  const where = whereOf(call);
  const limit = `within ${limitMs} ms (\`timeouts.${phase}\`)`;
  const messages: { readonly [phase in AttemptPhase]: string } = {
    connect: `Could not reach ${where} ${limit}. Check \`baseUrl\` and the network.`,
    firstByte: `Got no response from ${where} ${limit}.${mayBeRendered} Raise the limit if rendering takes longer.`,
    stall: `The document from ${where} stalled after ${amountOf(received)}: no more data arrived ${limit}. Generate it again.`,
    unread: `The document from ${where} was not read ${limit}. Read it sooner, or raise the limit.`,
  };
  const facts = head ? answerFacts(head, call) : { attempts: call.attempts };
  return new TimeoutError(messages[phase] + call.note, { ...facts, phase, limitMs });
}

/** Creates the cause of an `ApiError` whose response body did not end in time. */
export function refusalOver(limitMs: number, head: ResponseHead, call: KnownFacts): TimeoutError {
  const message = `The rest of the response did not arrive within ${limitMs} ms.`;
  return new TimeoutError(message, { ...answerFacts(head, call), phase: "stall", limitMs });
}

/** Creates the error for a call that reached `timeouts.total`. `cause` is the error of the previous attempt, if any. */
export function totalOver(
  limitMs: number,
  attempts: number,
  call: Pick<CallFacts, "uid" | "origin">,
  cause: unknown,
): TimeoutError {
  const tried = attempts > 1 ? ` Tried ${attempts} times.` : "";
  const limit = `${whereOf(call)} within ${limitMs} ms (\`timeouts.total\`)`;
  return new TimeoutError(
    attempts === 0
      ? `Nothing was sent to ${limit}: the \`apiKey\` function or the template's schema did not finish.`
      : `Got no complete document from ${limit}. Raise the limit if rendering takes longer.${tried}`,
    { attempts, phase: "total", limitMs, ...(cause !== undefined && { cause }) },
  );
}

function amountOf(received: Received): string {
  return `${received.receivedBytes}${isShort(received) ? ` of ${received.promisedBytes}` : ""} bytes`;
}

function isShort({ receivedBytes, promisedBytes }: Received): boolean {
  return promisedBytes !== undefined && receivedBytes < promisedBytes;
}

/** The maximum depth of a chain of causes. A proxy may be its own cause. */
const maxDepth = 10;

/** Returns the message of the innermost cause, for example `connect ECONNREFUSED 127.0.0.1:443`. */
function innermostMessage(cause: unknown): string {
  let innermost = cause;
  for (let depth = 0; depth < maxDepth; depth++) {
    const inner = readForeign(innermost, "cause");
    if (isInstance(inner, Error)) innermost = inner;
  }
  if (typeof innermost === "string") return innermost;
  const [message, code, name] = ["message", "code", "name"].map((key) => readForeignText(innermost, key));
  return message || (code ?? name ?? "for an unspecified reason");
}
