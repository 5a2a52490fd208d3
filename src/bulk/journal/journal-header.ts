import { crc32 } from "node:zlib";

const format = "template-pdf bulk journal";
const version = 2;
/** How every journal begins, of whatever version. */
const opening = `{"format":${JSON.stringify(format)},`;
const sumOf = (summed: string) => `,"sum":"${crc32(summed).toString(16).padStart(8, "0")}"}\n`;
const sumLength = sumOf("").length;

/** The first line of a journal. */
export interface JournalHeader {
  /** What all hashes of this journal are salted with. */
  readonly salt: string;
  /** What run the journal belongs to. */
  readonly run: Readonly<Record<string, string>>;
}

/** What the beginning of a file turned out to be. */
export type Beginning =
  | { readonly kind: "header"; readonly header: JournalHeader; readonly bytes: number }
  /** Nothing, or a header that was not written to its end: no line can have followed. */
  | { readonly kind: "nothing" }
  | { readonly kind: "damaged" | "otherVersion" | "foreign" };

/** The first line of a journal, which its own checksum ends. */
export function encodeHeader({ salt, run }: JournalHeader): Buffer {
  const summed = JSON.stringify({ format, version, salt, run }).slice(0, -1);
  return Buffer.from(summed + sumOf(summed));
}

/**
 * Tells what a file begins with.
 *
 * @param bytes - all of it, or so much that the first line of a journal would end within
 */
export function readBeginning(bytes: Buffer): Beginning {
  const length = Math.min(bytes.length, opening.length);
  if (bytes.toString("latin1", 0, length) !== opening.slice(0, length)) return { kind: "foreign" };
  const newline = bytes.indexOf("\n");
  if (newline === -1) return { kind: "nothing" };
  const line = bytes.toString("utf8", 0, newline + 1);
  const summed = line.slice(0, -sumLength);
  if (line !== summed + sumOf(summed)) return { kind: "damaged" };
  const header: JournalHeader & { readonly version: number } = JSON.parse(`${summed}}`);
  if (header.version !== version) return { kind: "otherVersion" };
  const { salt, run } = header;
  return { kind: "header", header: { salt, run }, bytes: newline + 1 };
}
