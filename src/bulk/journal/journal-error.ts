import { type Is, TemplatePdfError } from "../../errors/errors.ts";
import { describeSystemError } from "../../files/system-errors.ts";

/** The journal of a bulk run cannot be used: it is in use, belongs to another run, or cannot be read or written. */
export class JournalError extends TemplatePdfError {
  declare static readonly is: Is<JournalError>;
  override readonly code = "journal_failed";
  override get name(): string {
    return "JournalError";
  }

  /** The path of the journal. */
  declare readonly path: string;

  constructor(message: string, facts: { readonly path: string; readonly cause?: unknown }) {
    super(message, facts);
  }
}

export function journalError(path: string, what: string, cause?: unknown): JournalError {
  const facts = cause === undefined ? { path } : { path, cause };
  return new JournalError(`The journal ${JSON.stringify(path)} ${what}.`, facts);
}

export function systemRefused(path: string, verb: "opened" | "written", cause: unknown): JournalError {
  const next =
    verb === "written"
      ? "Fix this and start the run again; recorded jobs are kept"
      : "Fix this, or use another journal";
  const why = describeSystemError(cause, { EEXIST: "a part of its path is a file, not a folder" });
  return journalError(path, `cannot be ${verb}: ${why}. ${next}`, cause);
}
