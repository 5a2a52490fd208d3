/// <reference lib="esnext.disposable" preserve="true" />
import { type AnyPdf, giveUp, type HeldPdf, readBlob, refuse } from "./read-blob.ts";

/** The address of a document within this page, for an `<iframe>`, an `<object>` or a link; `download` takes it, too. */
export interface ObjectUrl extends HeldPdf {
  /** Such as `blob:https://app.example.com/5c1b…`. */
  readonly url: string;
  /** Lets go of the document; the address leads nowhere then. A second call does nothing. */
  revoke(): void;
  /** The same as `revoke`, for `using`, where the browser has it. */
  [Symbol.dispose](): void;
}

/**
 * Reads a document, whole and proved, and gives it an address within this page. Until that is revoked, the page holds the document
 * in memory.
 *
 * @param pdf - what `generate` gave, awaited or not; or a `Blob` of it
 * @param options - `signal`: gives the document up where it is still on its way, and revokes the address afterwards, such as when the
 * view that shows it goes away
 * @returns the address, and how to let go of it
 * @throws {ConfigurationError} (rejects) where there are no such addresses
 * @throws whatever `generate` rejects with; the reason of `signal`
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
  const { signal } = options;
  if (typeof URL.createObjectURL !== "function") {
    refuse(
      pdf,
      "`objectUrl` needs a page or a web worker: here there is no URL.createObjectURL. Take `bytes()` or `stream()` of the document instead.",
    );
  }
  const { blob, filename } = await readUnlessAborted(pdf, signal);
  const url = URL.createObjectURL(blob);
  const revoke = () => {
    signal?.removeEventListener("abort", revoke);
    URL.revokeObjectURL(url);
  };
  signal?.addEventListener("abort", revoke, { once: true });
  const made = { url, blob, filename, revoke };
  // Not as a computed member: where there is no such symbol, that would be named "undefined".
  if (Symbol.dispose) Object.defineProperty(made, Symbol.dispose, { value: revoke });
  return made as unknown as ObjectUrl;
}

async function readUnlessAborted(pdf: AnyPdf, signal: AbortSignal | undefined): Promise<HeldPdf> {
  const leave = () => giveUp(pdf, signal?.reason);
  if (signal?.aborted) leave();
  signal?.addEventListener("abort", leave, { once: true });
  try {
    const held = await readBlob(pdf);
    signal?.throwIfAborted();
    return held;
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}
