import type { PdfResponse } from "../call/attempt.ts";
import { afterFollowing, callersFrames } from "../errors/caller-stack.ts";
import { TimeoutError } from "../errors/errors.ts";
import { isInstance, readForeign } from "../errors/foreign-values.ts";
import { nextLoopTurn } from "../runtime/timers.ts";

/** A document that was returned and is not read yet. Does not refer to the document, which may be garbage. */
interface Unread {
  readonly uid: string;
  /** Has the stack of the code that awaits the document. It is formatted on demand, because most documents are read soon. */
  seen: { readonly stack?: unknown };
  frames?: readonly string[];
}

const unread = new Set<Unread>();
/** The documents of this turn of the event loop. */
const young = new Set<Unread>();
const collected = new FinalizationRegistry<Unread>(warn);
let hasWarned = false;
let hasExitListener = false;

/**
 * Resolves a pending result with its document. A process warning follows, once in a process, if the document is never read: it is
 * released after `timeouts.unread`, or collected as garbage, or the process exits.
 */
export function resolveWatched<Document extends object>(
  resolve: (document: Document | Promise<Document>) => void,
  document: Document,
  { body, request }: PdfResponse,
): void {
  if (hasWarned) return resolve(document);
  const watched: Unread = { uid: request.uid, seen: {} };
  unread.add(watched);
  collected.register(document, watched, watched);
  body.onUsed = (reason) => {
    unread.delete(watched);
    collected.unregister(watched);
    if (isInstance(reason, TimeoutError) && readForeign(reason, "phase") === "unread") warn(watched);
  };
  if (!hasExitListener) process.once("exit", warnAtExit);
  hasExitListener = true;
  const fulfill = () => {
    Error.captureStackTrace?.(watched.seen, fulfill);
    formatLater(watched);
    return document;
  };
  resolve(afterFollowing(fulfill));
}

/** An unformatted stack keeps objects of the caller alive, and these may hold the document. */
function formatLater(watched: Unread): void {
  young.add(watched);
  if (young.size > 1) return;
  nextLoopTurn().then(() => {
    for (const each of young) if (unread.has(each)) format(each);
    young.clear();
  });
}

function format(watched: Unread): readonly string[] {
  watched.frames ??= callersFrames(watched.seen.stack);
  watched.seen = {};
  return watched.frames;
}

function warn(watched: Unread): void {
  if (!hasWarned) process.emitWarning(warningOf(watched));
}

function warnAtExit(exitCode: number): void {
  const [first] = unread;
  // A program that fails may not get as far as to read its documents.
  if (!first || hasWarned || exitCode !== 0) return;
  // `emitWarning` would wait for a tick, which does not come any more.
  process.emit("warning", warningOf(first));
}

function warningOf(watched: Unread): Error {
  hasWarned = true;
  const warning = new Error(
    `A document for template ${JSON.stringify(watched.uid)} was generated, but never read. Call an output method such as saveTo() or bytes(), or cancel().`,
  );
  const detail = format(watched).slice(0, 1).join("");
  const parts = { name: "TemplatePdfWarning", code: "TEMPLATE_PDF_UNREAD", ...(detail && { detail }) };
  return Object.assign(warning, parts, {
    stack: [`${parts.name}: ${warning.message}`, ...format(watched)].join("\n"),
  });
}
