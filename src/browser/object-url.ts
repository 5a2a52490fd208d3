/// <reference lib="esnext.disposable" preserve="true" />
import { type AnyPdf, giveUp, type HeldPdf, readBlob, refuse } from "./read-blob.ts";

/**
 * A document that this page holds in memory, with a URL for an `<iframe>`, an `<object>` or a link. You can
 * also pass this object to `download`.
 */
export interface ObjectUrl extends HeldPdf {
  /** The URL, for example `blob:https://app.example.com/5c1b…`. */
  readonly url: string;
  /** Revokes the URL and releases the document. A second call does nothing. */
  revoke(): void;
  /** The same as `revoke`, for `using` in browsers that support it. */
  [Symbol.dispose](): void;
}

/**
 * Reads a document completely, checks it, and creates an object URL for it. The page holds the document in
 * memory until you revoke the URL.
 *
 * @param pdf - the result of `generate`, awaited or not, or a `Blob` created from it
 * @param options - `signal` cancels a pending document and revokes the URL, for example when a view is closed
 * @returns the URL, and a function to revoke it
 * @throws {ConfigurationError} (rejects) in a runtime without object URLs
 * @throws the error that the call rejects with, or the abort reason of `signal`
 *
 * @example
 * ```ts
 * const preview = await objectUrl(pdfs.generate("invoice", values));
 * frame.src = preview.url;
 * closeButton.onclick = () => preview.revoke();
 * ```
 *
 * @see https://w3c.github.io/FileAPI/#url
 */
export async function objectUrl(
  pdf: AnyPdf,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ObjectUrl> {
  // Another package may have added properties to `Object.prototype`.
  const signal = Object.hasOwn(options, "signal") ? options.signal : undefined;
  if (typeof URL.createObjectURL !== "function") {
    refuse(
      pdf,
      "`objectUrl` works only in browsers, because it needs URL.createObjectURL. Use `bytes()` or `stream()` instead.",
    );
  }
  const { blob, filename } = await readUnlessAborted(pdf, signal);
  const url = URL.createObjectURL(blob);
  const revoke = () => {
    signal?.removeEventListener("abort", revoke);
    URL.revokeObjectURL(url);
  };
  signal?.addEventListener("abort", revoke);
  const made = { url, blob, filename, revoke };
  // Not a computed property: in a runtime without this symbol, it would be named "undefined".
  if (Symbol.dispose) Object.defineProperty(made, Symbol.dispose, { value: revoke });
  return made as unknown as ObjectUrl;
}

async function readUnlessAborted(pdf: AnyPdf, signal: AbortSignal | undefined): Promise<HeldPdf> {
  const leave = () => giveUp(pdf, signal?.reason);
  if (signal?.aborted) leave();
  signal?.addEventListener("abort", leave);
  try {
    const held = await readBlob(pdf);
    signal?.throwIfAborted();
    return held;
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}
