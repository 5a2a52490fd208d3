import { describeSystemError } from "../files/system-errors.ts";

/** What a place is like that takes no more documents, whichever comes next. */
const codes = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/** Says why nothing more can be stored, where that is what an error, or what lies behind it, tells. */
export function fullness(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 10; depth++) {
    if (codes.has((at as NodeJS.ErrnoException).code ?? "")) return describeSystemError(at);
    at = at.cause;
  }
  return undefined;
}
