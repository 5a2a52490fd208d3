import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as format from "../../src/bulk/journal/journal-format.ts";
import { hashJob, KeyTable, newRecord } from "../../src/bulk/journal/key-table.ts";
import { property } from "../support/fuzz.ts";

const { encodeHeader, encodeLine, LineReader, lineBytes, readBeginning } = format;
const lineOf = (number: number) => encodeLine(Uint32Array.of(number, 1, 2, 3, 4, 5));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const lines = (count: number) => upTo(count).map(lineOf).join("");
const settings = { salt: "c2FsdA", run: { template: "invoice", data: "Zoë \ud800.csv" } };
const header = encodeHeader(settings);

/** Reads the lines after the header in chunks of this size, and identifies them by number. */
function read(bytes: Buffer, chunkBytes = bytes.length || 1) {
  const numbers: number[] = [];
  const reader = new LineReader(([number]) => numbers.push(number as number));
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const copied = bytes.copy(chunk, 0, at, at + chunkBytes);
    reader.read(chunk.subarray(0, copied));
  }
  return { numbers, ...reader.end() };
}

const chunkBytes = fc.integer({ min: 1, max: 3 * lineBytes });

describe("reading a journal", () => {
  property(
    "returns the header and exactly the complete lines of a truncated journal",
    (saw) =>
      fc.property(fc.nat(6), fc.nat(), chunkBytes, (count, place, size) => {
        const whole = Buffer.concat([header, Buffer.from(lines(count))]);
        const cut = whole.subarray(0, place % (whole.length + 1));
        const beginning = readBeginning(cut);
        if (cut.length < header.length) {
          saw("truncated in the header");
          expect(beginning.kind).toBe("nothing");
          return;
        }
        saw("truncated in the lines");
        if (beginning.kind !== "header") expect.fail("The header was not found.");
        expect(beginning.header).toEqual(settings);
        const kept = Math.floor((cut.length - header.length) / lineBytes);
        const expected = { numbers: upTo(kept), damagedLines: 0, wholeBytes: kept * lineBytes };
        expect(read(cut.subarray(beginning.bytes), size)).toEqual(expected);
      }),
    { outcomes: ["truncated in the header", "truncated in the lines"] },
  );

  const byte = fc.oneof(fc.nat(255), fc.constant(10));

  property(
    "loses at most the line with the damaged byte, and counts that line",
    (saw) =>
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.oneof(fc.nat(), fc.constant(-1)),
        byte,
        chunkBytes,
        (count, place, value, size) => {
          const bytes = Buffer.from(lines(count));
          const at = (place + bytes.length) % bytes.length;
          fc.pre(bytes[at] !== value);
          bytes[at] = value;
          const hit = Math.floor(at / lineBytes);
          const { numbers, damagedLines } = read(bytes, size);
          // Some base64url characters decode to the same bytes as others.
          if (numbers.length === count) return;
          expect(numbers).toEqual(upTo(count).filter((number) => number !== hit));
          // A last line without its newline looks like one that was not written completely.
          if (at === bytes.length - 1) {
            saw("without the last newline");
            expect(damagedLines).toBe(0);
            return;
          }
          // A newline inside a line splits it in two.
          const isSplit = value === 10 && damagedLines === 2;
          saw(isSplit ? "split in two" : "damaged");
          if (!isSplit) expect(damagedLines).toBe(1);
        },
      ),
    { outcomes: ["without the last newline", "split in two", "damaged"] },
  );

  const two = `${lineOf(0)}${lineOf(1)}`;
  it.each([
    ["NUL bytes between lines", `${lineOf(0)}${"\0".repeat(3 * lineBytes)}${lineOf(1)}`, 3],
    ["an incomplete line directly before an intact line", `${lineOf(5).slice(0, 20)}${two}`, 1],
    ["a damaged line and an incomplete line at the end", `${two}what?\nabcdef`, 1],
    ["several damaged lines", `x\n${lineOf(0)}y\n${lineOf(1)}z\n`, 3],
    ["a last line without a newline", `${two}${lineOf(2).slice(0, -1)}`, 0],
    ["NUL bytes at the end, as after a power failure", `${two}${"\0".repeat(4096)}`, 0],
  ])("returns all intact lines despite %s", (_kind, text, damagedLines) => {
    const bytes = Buffer.from(text, "latin1");
    const wholeBytes = text.lastIndexOf("\n") + 1;
    for (const size of [bytes.length, 1, 7, 64, lineBytes])
      expect(read(bytes, size)).toEqual({ numbers: [0, 1], damagedLines, wholeBytes });
  });

  it("detects a header with a different format version", () => {
    const summed = '{"format":"template-pdf bulk journal","version":3,"more":true';
    const sum = crc32(summed).toString(16).padStart(8, "0");
    expect(readBeginning(Buffer.from(`${summed},"sum":"${sum}"}\n`)).kind).toBe("otherVersion");
  });
});

it("a journal line contains the hashes and their checksum in base64url", () => {
  const bytes = Buffer.alloc(28, 0xfb);
  const written = new Uint32Array(bytes.buffer, bytes.byteOffset, 6);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 24)), 24);
  expect(encodeLine(written)).toBe(`${bytes.toString("base64url")}\n`);
});

describe("a job's hashes", () => {
  const hashOf = (salt: string, text: string) => {
    const hashed = newRecord();
    hashJob(salt, text, text, hashed);
    return [hashed.slice(0, 3).join(), hashed.slice(3).join()];
  };

  it("change if the salt or the text changes", () => {
    const alike = ["\ud800", "\ud801", "\ufffd", '"\\ud800"', ' escaped "\\ud800"', ""];
    const hashes = ["salt", "other"].flatMap((salt) => alike.flatMap((text) => hashOf(salt, text)));
    expect(new Set(hashes).size).toBe(4 * alike.length);
  });
});

describe("the key table", () => {
  /** There are few values, so that keys share words and slots. */
  const word = fc.constantFrom(0, 1, 1023, 1024, 0xffff_ffff);
  const record = fc.tuple(word, word, word, word, word, word).map((words) => Uint32Array.from(words));

  property("has the same entries as a Map", () =>
    fc.property(fc.array(record, { maxLength: 60 }), (records) => {
      const table = new KeyTable();
      const map = new Map<string, { input: string; index: number; place: number }>();
      for (const [index, each] of records.entries()) {
        const [key, input] = [each.slice(0, 3).join(), each.slice(3).join()];
        const known = map.get(key);
        const place = known?.place ?? map.size;
        expect(table.find(each)).toBe(known?.place ?? -1);
        if (known) {
          expect(table.hasInput(place, each)).toBe(known.input === input);
          expect(table.indexAt(place)).toBe(known.index);
          table.setInput(place, each);
        } else {
          expect(table.add(each)).toBe(place);
          expect(table.indexAt(place)).toBeUndefined();
        }
        map.set(key, { input, index, place });
        table.setIndex(place, index);
        expect([...table.recordAt(place)]).toEqual([...each]);
      }
      return table.size === map.size;
    }),
  );

  it("still finds every key after growing to many pages", () => {
    const table = new KeyTable();
    const count = 30_000;
    const of = (index: number) => Uint32Array.of(index * 0x9e37_79b1, index % 7, 3, index, 5, 6);
    for (const index of upTo(count)) table.add(of(index));
    const found = upTo(count).filter(
      (index) => table.find(of(index)) === index && table.hasInput(index, of(index)),
    );
    expect({ foundCount: found.length, size: table.size, unknown: table.find(of(count)) }).toEqual({
      foundCount: count,
      size: count,
      unknown: -1,
    });
  });
});
