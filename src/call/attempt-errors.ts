import {
  ConfigurationError,
  ConnectionError,
  InvalidPdfError,
  TimeoutError,
  type TimeoutPhase,
  TruncatedPdfError,
} from "../errors/errors.ts";
import { pageAddress } from "../runtime/environment.ts";
import type { ResponseHead } from "../transport/response-head.ts";
import type { Explanation } from "../transport/transport.ts";
import { answerFacts, type CallFacts, type KnownFacts, whatHappened } from "./api-error.ts";

/** What one attempt may wait for. */
export type AttemptPhase = Exclude<TimeoutPhase, "total">;

/** How much of a document arrived. */
export interface Received {
  readonly receivedBytes: number;
  readonly promisedBytes: number | undefined;
}

/** There was no response. Whether the request was `sent` may be unknown. */
export function notConnected(
  cause: unknown,
  sent: boolean | undefined,
  call: CallFacts,
  explained?: Explanation,
): unknown {
  if (isPassedOn(cause)) return cause;
  const safe = call.secrets.causeWithoutSecrets(cause);
  const where = `the service at ${call.origin} for ${templateOf(call)}`;
  const reason =
    explained?.reason === undefined ? innermostMessage(safe) : call.secrets.quote(explained.reason, 500);
  const advice = explained?.advice ?? adviceFor(call.origin);
  const what =
    sent === false
      ? `Could not reach ${where} (${reason}).`
      : `No answer came from ${where} (${reason}); the document may have been rendered all the same.`;
  return new ConnectionError(`${what} ${advice}${call.note}`, { attempts: call.attempts, cause: safe });
}

/** Whether a rejection is not a failure of the request, but must reach the caller unchanged. */
export function isPassedOn(cause: unknown): boolean {
  try {
    // A wrong dispatcher or proxy setting is only found when it is used.
    // The `fetch` of Next.js throws an error with a `digest` to stop the prerendering of a page.
    return ConfigurationError.is(cause) || typeof (cause as { digest?: unknown }).digest === "string";
  } catch {
    // A custom `fetch` may reject with nothing, or with an object that throws when it is read.
    return false;
  }
}

/** A browser does not report that a response lacked CORS headers. Only the origins suggest it. */
function adviceFor(origin: string): string {
  const page = pageAddress();
  const ownOrigin = page === undefined ? origin : new URL(page).origin;
  const crossing =
    ownOrigin === origin
      ? ""
      : ` A page of ${ownOrigin} needs the server's leave there (CORS): with createHandler, list it in \`origins\`.`;
  return `Check \`baseUrl\`, and that the service can be reached from here; then try again.${crossing}`;
}

/** The response is a success, but not a PDF. */
export function notAPdf(head: ResponseHead, text: string, call: CallFacts): InvalidPdfError {
  const type = head.header("content-type");
  const contentType = type === undefined ? undefined : call.secrets.quote(type, 100);
  const excerpt = call.secrets.quote(text, 120);
  const what = contentType === undefined ? "without a content type" : `with ${JSON.stringify(contentType)}`;
  const begins = excerpt === "" ? "and an empty body" : `that begins ${JSON.stringify(excerpt)}`;
  return new InvalidPdfError(
    `${whatHappened(head, call)} ${what} ${begins}: this is no PDF. Check that \`baseUrl\` leads to the service and not to a login page or a proxy.${call.note}`,
    { ...answerFacts(head, call), contentType, excerpt },
  );
}

/** The response has a content encoding that cannot be decoded. */
export function undecoded(head: ResponseHead, call: CallFacts): InvalidPdfError {
  const coding = JSON.stringify(call.secrets.quote(head.undecoded ?? "", 100));
  return new InvalidPdfError(
    `${whatHappened(head, call)}, encoded as ${coding}, which was not asked for and cannot be undone. Switch that encoding off at the service or the proxy before it.${call.note}`,
    { ...answerFacts(head, call), excerpt: "" },
  );
}

/** The response is a truncated document. */
export function cutOff(
  head: ResponseHead,
  received: Received,
  call: CallFacts,
  cause?: unknown,
): TruncatedPdfError {
  const { receivedBytes, promisedBytes } = received;
  const safe = call.secrets.causeWithoutSecrets(cause);
  const amount =
    receivedBytes < (promisedBytes ?? 0)
      ? `${receivedBytes} of ${promisedBytes} bytes arrived`
      : `${receivedBytes} bytes arrived, ${cause === undefined ? "without the end mark of a PDF" : "and then the connection broke"}`;
  const why = cause === undefined ? "" : ` (${innermostMessage(safe)})`;
  return new TruncatedPdfError(
    `The document for ${templateOf(call)} from ${call.origin} was cut off: ${amount}${why}. Do not use what arrived; generate it again.${call.note}`,
    { ...answerFacts(head, call), ...received, ...(cause !== undefined && { cause: safe }) },
  );
}

/** One attempt reached a limit of `timeouts`. */
export function timedOut(
  phase: AttemptPhase,
  limitMs: number,
  { receivedBytes, promisedBytes }: Received,
  head: ResponseHead | undefined,
  call: CallFacts,
): TimeoutError {
  const { origin, attempts } = call;
  const template = templateOf(call);
  const limit = `${limitMs} ms, \`timeouts.${phase}\``;
  const amount = promisedBytes === undefined ? receivedBytes : `${receivedBytes} of ${promisedBytes}`;
  const messages: { readonly [phase in AttemptPhase]: string } = {
    connect: `Could not connect to the service at ${origin} for ${template} within ${limit}.${attempts > 1 ? "" : " Nothing was sent."} Check \`baseUrl\`, and that the service can be reached from here; then try again.`,
    firstByte: `The service at ${origin} sent no byte of a document for ${template} within ${limit}; it may have been rendered all the same. Raise the limit if rendering takes that long; else try again later.`,
    stall: `The document for ${template} from ${origin} stopped arriving after ${amount} bytes: no more came for ${limit}. Do not use what arrived; generate it again.`,
    unread: `The document for ${template} was not read within ${limit}, so its connection was given up. Read it as soon as it is there, or raise the limit.`,
  };
  const facts = head ? answerFacts(head, call) : { attempts };
  return new TimeoutError(messages[phase] + call.note, { ...facts, phase, limitMs });
}

/** The body of an unsuccessful response did not end in time: the cause of its `ApiError`. */
export function refusalOver(limitMs: number, head: ResponseHead, call: KnownFacts): TimeoutError {
  const message = `The rest of the answer did not come within ${limitMs} ms.`;
  return new TimeoutError(message, { ...answerFacts(head, call), phase: "stall", limitMs });
}

/** The call reached `timeouts.total`; `cause` is the error of the attempt before, if there was one. */
export function totalOver(
  limitMs: number,
  attempts: number,
  call: Pick<CallFacts, "uid" | "origin">,
  cause: unknown,
): TimeoutError {
  const tried = attempts > 1 ? ` Tried ${attempts} times.` : "";
  const limit = `${limitMs} ms, \`timeouts.total\``;
  return new TimeoutError(
    attempts === 0
      ? `Nothing was sent for ${templateOf(call)} within ${limit}: the function given as \`apiKey\`, or the template's schema, did not come to an end.`
      : `No whole document for ${templateOf(call)} came from ${call.origin} within ${limit}. Raise it if that is not long enough; else try again later.${tried}`,
    { attempts, phase: "total", limitMs, ...(cause !== undefined && { cause }) },
  );
}

function templateOf({ uid }: Pick<CallFacts, "uid">): string {
  return `template ${JSON.stringify(uid)}`;
}

/** The message of the innermost cause, such as `connect ECONNREFUSED 127.0.0.1:443`. */
function innermostMessage(cause: unknown): string {
  let innermost = cause;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  if (!(innermost instanceof Error)) return typeof innermost === "string" ? innermost : "for no reason given";
  const { code } = innermost as { code?: unknown };
  return innermost.message || (typeof code === "string" ? code : innermost.name);
}
