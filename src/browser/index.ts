/**
 * What a page does with a document: saves it, or shows it.
 *
 * @packageDocumentation
 */

export { download } from "./download.ts";
export { type ObjectUrl, objectUrl } from "./object-url.ts";
export type { AnyPdf, HeldPdf } from "./read-blob.ts";
