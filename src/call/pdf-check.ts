import { DecodedText, isObviouslyBinary } from "./decoded-text.ts";
import { PdfEnd } from "./pdf-end.ts";

/** The first bytes, in which the header must be (PDF Reference 1.7, Appendix H, note 13). */
const window = 1024;
const header = [0x25, 0x50, 0x44, 0x46, 0x2d] as const; // %PDF-
const linearized = [0x2f, 0x4c, 0x69, 0x6e, 0x65, 0x61, 0x72, 0x69, 0x7a, 0x65, 0x64] as const; // /Linearized
const slash = linearized[0];

/**
 * Checks that a body is a complete PDF, from its first byte to its last, in constant memory and for any chunking. It does not keep
 * any part of a chunk, because chunks may change later.
 */
export class PdfCheck {
  /** The number of bytes so far. */
  #length = 0;
  #hasHeader: boolean | undefined;
  /** How many bytes of the header the last bytes match. */
  #headerBytes = 0;
  /** How many bytes of the name the last bytes match; -1 if it cannot follow. */
  #linearizedBytes = 0;
  /** Whether the document is linearized (ISO 32000-1, Annex F). */
  #isLinearized = false;
  /** Missing if the body is obviously binary. */
  #text: DecodedText | undefined;
  readonly #end = new PdfEnd();

  /** Whether the body begins like an intact PDF; `undefined` while further bytes may tell. */
  get begins(): boolean | undefined {
    if (!this.wasDecoded) return this.#hasHeader;
    return this.#text?.isFinal ? false : undefined;
  }

  /** Whether the bytes so far look like a PDF that was decoded as text on its way. */
  get wasDecoded(): boolean {
    return this.#text?.isLikely === true && this.#hasHeader === true;
  }

  /** Takes the next chunk. */
  update(chunk: Uint8Array): void {
    if (this.#hasHeader === undefined) this.#lookForHeader(chunk);
    if (this.#linearizedBytes >= 0) this.#lookForLinearized(chunk);
    if (this.#length === 0 && !isObviouslyBinary(chunk)) this.#text ??= new DecodedText();
    this.#text?.update(chunk);
    this.#end.update(chunk);
    this.#length += chunk.length;
  }

  /** Whether the body ends like a PDF. Valid after the last byte. */
  ends(): boolean {
    return this.#end.ends(this.#isLinearized);
  }

  #lookForHeader(chunk: Uint8Array): void {
    const end = Math.min(chunk.length, window - this.#length);
    for (let at = 0; at < end; at++) {
      const byte = chunk[at];
      // The header does not repeat its start.
      if (byte !== header[this.#headerBytes]) this.#headerBytes = 0;
      if (byte === header[this.#headerBytes]) this.#headerBytes += 1;
      if (this.#headerBytes < header.length) continue;
      this.#hasHeader = true;
      return;
    }
    if (this.#length + end === window) this.#hasHeader = false;
  }

  /** The first dictionary of a linearized document has this name, and other names of one letter. Most other names are longer. */
  #lookForLinearized(chunk: Uint8Array): void {
    let matched = this.#linearizedBytes;
    const end = Math.min(chunk.length, window - this.#length);
    for (let at = 0; at < end && matched >= 0; at++) {
      const byte = chunk[at] as number;
      if (matched === 0) matched = byte === slash ? 1 : 0;
      // The first letter may be any.
      else if (matched === 1 || byte === linearized[matched]) matched += 1;
      else if (isLetter(byte)) matched = -1;
      else matched = byte === slash ? 1 : 0;
      if (matched < linearized.length) continue;
      this.#isLinearized = true;
      matched = -1;
    }
    this.#linearizedBytes = this.#length + end === window ? -1 : matched;
  }
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}
