/**
 * Helpers to save or show a document in a browser.
 *
 * @packageDocumentation
 */

export { download } from "./download.ts";
export { type ObjectUrl, objectUrl } from "./object-url.ts";
export type { AnyPdf, HeldPdf } from "./read-blob.ts";
