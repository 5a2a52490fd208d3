import { TruncatedPdfError } from "template-pdf";

/** Returns a signal and a function that aborts it. */
export function controlled() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason) };
}

/** Abort reasons: values that are not errors, and errors that look like other failures. */
export const reasons = [
  undefined,
  null,
  "the customer left",
  new DOMException("too slow", "TimeoutError"),
  new TruncatedPdfError("mine", { receivedBytes: 1, attempts: 7 }),
  Object.assign(new Error("reset"), { code: "ECONNRESET", syscall: "read" }),
] as const;
