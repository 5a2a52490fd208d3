import { type Is, TemplatePdfError } from "../../errors/errors.ts";
import { describeSystemError } from "../../files/system-errors.ts";

/** The journal of a bulk run cannot be used: it is in use, of another run, or cannot be read or written. */
export class JournalError extends TemplatePdfError {
  declare static readonly is: Is<JournalError>;
  override readonly code = "journal_failed";
  override get name(): string {
    return "JournalError";
  }

  /** The journal's path. */
  declare readonly path: string;

  constructor(message: string, facts: { readonly path: string; readonly cause?: unknown }) {
    super(message, facts);
  }
}

/** Makes the error for what went wrong with a journal: `The journal "<path>" <what>.` */
export function journalError(path: string, what: string, cause?: unknown): JournalError {
  const facts = cause === undefined ? { path } : { path, cause };
  return new JournalError(`The journal ${JSON.stringify(path)} ${what}.`, facts);
}

/** Makes the error for what the system refused. */
export function systemRefused(path: string, verb: "opened" | "written", cause: unknown): JournalError {
  const next =
    verb === "written"
      ? "what it has recorded is kept: mend that, and start the run again"
      : "mend that, or name another journal";
  const why = describeSystemError(cause, { EEXIST: "a part of its path is a file, not a folder" });
  return journalError(path, `cannot be ${verb}: ${why}; ${next}`, cause);
}
