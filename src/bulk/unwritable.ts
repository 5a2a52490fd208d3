import { isInstance, readForeign, readForeignText } from "../errors/foreign-values.ts";
import { describeSystemError } from "../files/system-errors.ts";

/** The error codes of a location that cannot store any more documents. */
const unwritableCodes = ["ENOSPC", "EDQUOT", "EROFS"];

/** Describes why no more documents can be stored, if the error or one of its causes says so. */
export function describeUnwritable(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; isInstance(at, Error) && depth < 10; depth++) {
    if (unwritableCodes.includes(readForeignText(at, "code") ?? "")) return describeSystemError(at);
    at = readForeign(at, "cause");
  }
  return undefined;
}
