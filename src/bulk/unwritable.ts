import { describeSystemError } from "../files/system-errors.ts";

/** The codes of a place that takes no more documents, whichever comes next. */
const unwritableCodes = ["ENOSPC", "EDQUOT", "EROFS"];

/** Describes why nothing more can be stored, if an error or one of its causes says so. */
export function describeUnwritable(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 10; depth++) {
    if (unwritableCodes.includes((at as NodeJS.ErrnoException).code ?? "")) return describeSystemError(at);
    at = at.cause;
  }
  return undefined;
}
