import { TruncatedPdfError } from "template-pdf";

/** A signal, and the way to abort it. */
export function controlled() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason) };
}

/** Errors that could be taken for another failure, and reasons that are not errors. */
export const reasons = [
  undefined,
  null,
  "the customer left",
  new DOMException("too slow", "TimeoutError"),
  new TruncatedPdfError("mine", { receivedBytes: 1, attempts: 7 }),
  Object.assign(new Error("reset"), { code: "ECONNRESET", syscall: "read" }),
] as const;
