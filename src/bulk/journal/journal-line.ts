import { hashWords, type JobRecord } from "../key-table/salted-hash.ts";
import { checksum, checksumText } from "./checksum.ts";

/** Every line of a finished job begins so: where one is damaged, the next is found by it. */
export const lineStart = '{"key":"';
const betweenHashes = '","input":"';
const beforeSum = ',"sum":"';
const lineEnd = '"}\n';

/** 96 bits in characters of 6 bits. */
const hashLength = 16;
const inputAt = lineStart.length + hashLength + betweenHashes.length;
/** What the checksum covers ends here, with the quote behind the input. */
const sumAt = inputAt + hashLength + 1;

/** How long every line of a finished job is, its newline included. */
export const lineBytes = sumAt + beforeSum.length + 8 + lineEnd.length;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** A digit's value by its character; 64 for what is none. */
const digits = new Uint8Array(256).fill(64);
for (const [value, character] of [...alphabet].entries()) digits[character.charCodeAt(0)] = value;

const scratch = Buffer.alloc(8 * hashWords);

/** The line of a finished job, of `lineBytes` ASCII characters. */
export function encodeLine(record: JobRecord): string {
  for (const [index, word] of record.entries()) scratch.writeUInt32BE(word, 4 * index);
  const key = scratch.toString("base64url", 0, 4 * hashWords);
  const input = scratch.toString("base64url", 4 * hashWords);
  const summed = `${lineStart}${key}${betweenHashes}${input}"`;
  return `${summed}${beforeSum}${checksumText(checksum(Buffer.from(summed, "latin1")))}${lineEnd}`;
}

/**
 * Reads the line that begins at a place into a record.
 *
 * @returns false where no whole line with the right checksum stands there; the record is then of no use
 */
export function decodeLine(bytes: Uint8Array, at: number, record: JobRecord): boolean {
  if (at + lineBytes > bytes.length) return false;
  return (
    stands(lineStart, bytes, at) &&
    stands(beforeSum, bytes, at + sumAt) &&
    stands(lineEnd, bytes, at + lineBytes - lineEnd.length) &&
    readSum(bytes, at + sumAt + beforeSum.length) === checksum(bytes, at, at + sumAt) &&
    readHash(bytes, at + lineStart.length, record, 0) &&
    readHash(bytes, at + inputAt, record, hashWords)
  );
}

function stands(text: string, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** The number that eight hexadecimal digits say; NaN where other characters stand. */
function readSum(bytes: Uint8Array, at: number): number {
  let sum = 0;
  for (let index = at; index < at + 8; index++) {
    const code = bytes[index] as number;
    if (code >= 48 && code <= 57) sum = sum * 16 + code - 48;
    else if (code >= 97 && code <= 102) sum = sum * 16 + code - 87;
    else return Number.NaN;
  }
  return sum;
}

/** Reads sixteen characters into three words, by hand: a million lines are read before a run goes on. */
function readHash(bytes: Uint8Array, at: number, record: JobRecord, word: number): boolean {
  let seen = 0;
  const digit = (index: number): number => {
    const value = digits[bytes[at + index] as number] as number;
    seen |= value;
    return value;
  };
  const first = (digit(0) << 26) | (digit(1) << 20) | (digit(2) << 14) | (digit(3) << 8) | (digit(4) << 2);
  const split = digit(5);
  const second = (split << 28) | (digit(6) << 22) | (digit(7) << 16) | (digit(8) << 10) | (digit(9) << 4);
  const splitAgain = digit(10);
  const third = (splitAgain << 30) | (digit(11) << 24) | (digit(12) << 18) | (digit(13) << 12);
  record[word] = first | (split >> 4);
  record[word + 1] = second | (splitAgain >> 2);
  record[word + 2] = third | (digit(14) << 6) | digit(15);
  return seen < 64;
}
