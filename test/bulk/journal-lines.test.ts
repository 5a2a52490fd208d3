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
  property("gives back the record that was written", () =>
    fc.property(record, (written) => {
      const line = encodeLine(written);
      expect(readRecords(Buffer.from(line))).toEqual([[...written]]);
      return line.length === lineBytes;
    }),
  );

  property("gives back no other record where a byte of it is another, or missing", () =>
    fc.property(record, fc.nat(lineBytes - 1), fc.integer({ min: 1, max: 255 }), (written, at, flip) => {
      const changed = Buffer.from(encodeLine(written));
      const cut = changed.subarray(0, at);
      expect(readRecords(cut)).toEqual([]);
      changed[at] = (changed[at] as number) ^ flip;
      // The last character has bits to spare, and "+" stands for "-".
      return readRecords(changed).every((read) => read.join() === written.join());
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

  property("gives back the salt and the run", () =>
    fc.property(fc.base64String(), run, (salt, members) => {
      const bytes = encodeHeader({ salt, run: members });
      const beginning = readBeginning(Buffer.concat([bytes, Buffer.from("more\n")]));
      if (beginning.kind !== "header") return false;
      expect(beginning.header).toEqual({ salt, run: JSON.parse(JSON.stringify(members)) });
      return beginning.bytes === bytes.length;
    }),
  );

  property("is not read where a byte of it is another", () =>
    fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (place, flip) => {
      const bytes = encodeHeader({ salt: "salt", run: { template: "résumé" } });
      const at = place % bytes.length;
      bytes[at] = (bytes[at] as number) ^ flip;
      return readBeginning(Buffer.concat([bytes, Buffer.from("more\n")])).kind !== "header";
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
