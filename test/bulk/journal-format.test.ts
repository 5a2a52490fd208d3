import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeHeader,
  encodeLine,
  LineReader,
  lineBytes,
  readBeginning,
} from "../../src/bulk/journal/journal-format.ts";
import { hashJob, newRecord } from "../../src/bulk/journal/key-table.ts";
import { property } from "../support/fuzz.ts";

const lineOf = (number: number) => encodeLine(Uint32Array.of(number, 1, 2, 3, 4, 5));
const lines = (count: number) => Array.from({ length: count }, (_, index) => lineOf(index)).join("");
const header = encodeHeader({ salt: "c2FsdA", run: { template: "invoice" } });

/** Reads what follows the header, in chunks of a size; tells lines by their number. */
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

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const chunkBytes = fc.integer({ min: 1, max: 3 * lineBytes });

describe("a journal that was cut off", () => {
  property("knows exactly the whole lines before", () =>
    fc.property(fc.nat(6), fc.nat(), chunkBytes, (count, place, size) => {
      const whole = Buffer.concat([header, Buffer.from(lines(count))]);
      const cut = whole.subarray(0, place % (whole.length + 1));
      const beginning = readBeginning(cut);
      if (cut.length < header.length) return beginning.kind === "nothing";
      if (beginning.kind !== "header") return false;
      const kept = Math.floor((cut.length - header.length) / lineBytes);
      expect(read(cut.subarray(beginning.bytes), size)).toEqual({
        numbers: upTo(kept),
        damagedLines: 0,
        wholeBytes: kept * lineBytes,
      });
      return true;
    }),
  );
});

describe("a journal with a byte that is another", () => {
  property("loses that line at most, and says so", () =>
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.nat(),
      fc.oneof(fc.nat(255), fc.constant(10)),
      chunkBytes,
      (count, place, value, size) => {
        const bytes = Buffer.from(lines(count));
        const at = place % bytes.length;
        fc.pre(bytes[at] !== value);
        bytes[at] = value;
        const hit = Math.floor(at / lineBytes);
        const { numbers, damagedLines } = read(bytes, size);
        // Some characters stand for the same as others: see the tests of a line.
        if (numbers.length === count) return true;
        expect(numbers).toEqual(upTo(count).filter((number) => number !== hit));
        // A last line whose newline is gone looks like one that was not written to its end.
        if (at === bytes.length - 1) return damagedLines === 0;
        // A newline within the line makes two of it.
        return damagedLines === 1 || (value === 10 && damagedLines === 2);
      },
    ),
  );

  it("is refused where that stands in its first line", () => {
    const kinds = new Set<string>();
    for (let at = 0; at < header.length; at++) {
      const bytes = Buffer.concat([header, Buffer.from(lines(1))]);
      bytes[at] = (bytes[at] as number) ^ 1;
      kinds.add(readBeginning(bytes).kind);
    }
    expect([...kinds].sort()).toEqual(["damaged", "foreign"]);
  });
});

describe("damage", () => {
  it.each([
    ["a stretch of zeros between lines", `${lineOf(0)}${"\0".repeat(3 * lineBytes)}${lineOf(1)}`, 3],
    ["lines of something else", `${lineOf(0)}hello\n${lineOf(1)}`, 1],
    [
      "a line cut off in the middle, by another way of writing",
      `${lineOf(5).slice(0, 20)}${lineOf(0)}${lineOf(1)}`,
      1,
    ],
    ["a line that lost a byte", `${lineOf(0)}${lineOf(5).slice(1)}${lineOf(1)}`, 1],
    ["at the end, newline included", `${lineOf(0)}${lineOf(1)}what is this?\n`, 1],
    ["before a last line that was not written to its end", `${lineOf(0)}${lineOf(1)}what?\nabcdef`, 1],
    ["many lines ago, and again", `x\n${lineOf(0)}y\n${lineOf(1)}z\n`, 3],
    [
      "nothing but a last line not written to its end",
      `${lineOf(0)}${lineOf(1)}${lineOf(2).slice(0, -1)}`,
      0,
    ],
    ["zeros at the end, which a power cut leaves", `${lineOf(0)}${lineOf(1)}${"\0".repeat(4096)}`, 0],
  ])("of this kind costs no other line: %s", (_kind, text, damagedLines) => {
    const bytes = Buffer.from(text, "latin1");
    for (const size of [bytes.length, 1, 7, 64, lineBytes]) {
      const wholeBytes = text.lastIndexOf("\n") + 1;
      expect(read(bytes, size)).toEqual({ numbers: [0, 1], damagedLines, wholeBytes });
    }
  });
});

const record = fc.uint32Array({ minLength: 6, maxLength: 6 });

function hashOf(salt: string, key: string, input: string): number[] {
  const hashed = newRecord();
  hashJob(salt, key, input, hashed);
  return [...hashed];
}

/** The records in some bytes. */
function readRecords(bytes: Buffer): number[][] {
  const records: number[][] = [];
  const reader = new LineReader((read) => records.push([...read]));
  reader.read(bytes);
  return records;
}

describe("a line of the journal", () => {
  property("is read as the record that was written", () =>
    fc.property(record, (written) => {
      const line = encodeLine(written);
      expect(readRecords(Buffer.from(line))).toEqual([[...written]]);
      return line.length === lineBytes;
    }),
  );

  it("holds the hashes and their checksum in base64url", () => {
    const bytes = Buffer.alloc(28, 0xfb);
    const written = new Uint32Array(bytes.buffer, bytes.byteOffset, 6);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 24)), 24);
    expect(encodeLine(written)).toBe(`${bytes.toString("base64url")}\n`);
  });
});

describe("the first line of the journal", () => {
  const run = fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }));

  property("is read as the salt and the run", () =>
    fc.property(fc.base64String(), run, (salt, members) => {
      const bytes = encodeHeader({ salt, run: members });
      const beginning = readBeginning(Buffer.concat([bytes, Buffer.from("more\n")]));
      if (beginning.kind !== "header") return false;
      expect(beginning.header).toEqual({ salt, run: JSON.parse(JSON.stringify(members)) });
      return beginning.bytes === bytes.length;
    }),
  );

  it.each([1, 3])("of version %i is told from a damaged one", (version) => {
    const summed = `{"format":"template-pdf bulk journal","version":${version},"more":true`;
    const sum = crc32(summed).toString(16).padStart(8, "0");
    expect(readBeginning(Buffer.from(`${summed},"sum":"${sum}"}\n`)).kind).toBe("otherVersion");
  });
});

describe("the hashes of a job", () => {
  it("tell keys and inputs apart that only differ in half a surrogate pair", () => {
    const alike = ["\ud800", "\ud801", "\ufffd", '"\\ud800"', ' escaped "\\ud800"', ""];
    const hashes = alike.map((text) => hashOf("salt", text, text).join());
    expect(new Set(hashes).size).toBe(alike.length);
  });

  it("are others with another salt, and of a key others than of an input", () => {
    const [one, other] = [hashOf("one", "a", "a"), hashOf("other", "a", "a")];
    const all = [one.slice(0, 3), one.slice(3), other.slice(0, 3), other.slice(3)].map(String);
    expect(new Set(all).size).toBe(4);
  });
});
