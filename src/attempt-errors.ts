import { answerFacts, type CallFacts, whatHappened } from "./api-error.ts";
import { ConfigurationError, ConnectionError, InvalidPdfError, TruncatedPdfError } from "./errors.ts";
import type { ResponseHead } from "./transport/types.ts";

/** Makes the errors of an attempt that brought no document: what happened, to what, and what to do next. */

/** How far a document came. */
export interface Received {
  readonly receivedBytes: number;
  readonly promisedBytes: number | undefined;
}

/**
 * No answer came.
 *
 * @param sent - whether the request left; `undefined` where that cannot be seen
 */
export function notConnected(cause: unknown, sent: boolean | undefined, call: CallFacts): unknown {
  // What is wrong with the dispatcher or the proxy settings shows only when they are used.
  if (ConfigurationError.is(cause)) return cause;
  const safe = call.secrets.causeWithoutSecrets(cause);
  const where = `the service at ${call.origin} for template ${JSON.stringify(call.uid)}`;
  const what =
    sent === false
      ? `Could not reach ${where} (${reasonOf(safe)}).`
      : `No answer came from ${where} (${reasonOf(safe)}); the document may have been rendered all the same.`;
  return new ConnectionError(
    `${what} Check \`baseUrl\`, and that the service can be reached from here; then try again.`,
    { attempts: call.attempts, cause: safe },
  );
}

/** The answer is a success that holds something else. */
export function notAPdf(head: ResponseHead, text: string, call: CallFacts): InvalidPdfError {
  const type = head.header("content-type");
  const what = type === undefined ? "without a content type" : `with ${quote(type, 100, call)}`;
  const begins = text === "" ? "and an empty body" : `that begins ${quote(text, 120, call)}`;
  return new InvalidPdfError(
    `${whatHappened(head, call)} ${what} ${begins}: this is no PDF. Check that \`baseUrl\` leads to the service and not to a login page or a proxy.`,
    answerFacts(head, call),
  );
}

/** The answer is encoded in a way that cannot be undone. */
export function undecoded(head: ResponseHead, call: CallFacts): InvalidPdfError {
  return new InvalidPdfError(
    `${whatHappened(head, call)}, encoded as ${quote(head.undecoded ?? "", 100, call)}, which was not asked for and cannot be undone. Switch that encoding off at the service or the proxy before it.`,
    answerFacts(head, call),
  );
}

/** A document began and did not end. */
export function cutOff(
  head: ResponseHead,
  received: Received,
  call: CallFacts,
  cause?: unknown,
): TruncatedPdfError {
  const { receivedBytes, promisedBytes } = received;
  const safe = call.secrets.causeWithoutSecrets(cause);
  const amount =
    promisedBytes !== undefined && receivedBytes < promisedBytes
      ? `${receivedBytes} of ${promisedBytes} bytes arrived`
      : `${receivedBytes} bytes arrived, without the end mark of a PDF`;
  const why = cause === undefined ? "" : ` (${reasonOf(safe)})`;
  return new TruncatedPdfError(
    `The document for template ${JSON.stringify(call.uid)} from ${call.origin} was cut off: ${amount}${why}. Take nothing of it for the document; generate it again.`,
    { ...answerFacts(head, call), ...received, ...(cause !== undefined && { cause: safe }) },
  );
}

function quote(text: string, maxLength: number, call: CallFacts): string {
  return JSON.stringify(call.secrets.quote(text, maxLength));
}

/** The innermost thing that went wrong, in few words: `connect ECONNREFUSED 127.0.0.1:443`. */
function reasonOf(cause: unknown): string {
  let innermost = cause;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  if (!(innermost instanceof Error)) return typeof innermost === "string" ? innermost : "for no reason given";
  const { code } = innermost as { code?: unknown };
  return innermost.message || (typeof code === "string" ? code : innermost.name);
}
