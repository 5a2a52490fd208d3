import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checksum } from "../../src/bulk/journal/checksum.ts";
import { encodeHeader, readBeginning } from "../../src/bulk/journal/journal-header.ts";
import { decodeLine, encodeLine, lineBytes } from "../../src/bulk/journal/journal-line.ts";
import { hashJob, newRecord } from "../../src/bulk/key-table/salted-hash.ts";
import { property } from "../support/fuzz.ts";

const record = fc.uint32Array({ minLength: 6, maxLength: 6 });

function hashOf(salt: string, key: string, input: string): number[] {
  const hashed = newRecord();
  hashJob(salt, key, input, hashed);
  return [...hashed];
}

describe("a line of the journal", () => {
  property("gives back the record that was written, wherever it stands", () =>
    fc.property(record, fc.nat(9), (written, before) => {
      const line = encodeLine(written);
      const read = newRecord();
      const isRead = decodeLine(Buffer.from("x".repeat(before) + line), before, read);
      return isRead && line.length === lineBytes && read.every((word, index) => word === written[index]);
    }),
  );

  property("is not read where a byte of it is another, or missing", () =>
    fc.property(record, fc.nat(lineBytes - 1), fc.integer({ min: 1, max: 255 }), (written, at, flip) => {
      const changed = Buffer.from(encodeLine(written));
      const cut = changed.subarray(0, at);
      changed[at] = (changed[at] as number) ^ flip;
      return !decodeLine(changed, 0, newRecord()) && !decodeLine(cut, 0, newRecord());
    }),
  );

  it("is not read where it holds other characters than hashes have, be its checksum right", () => {
    const summed = encodeLine(newRecord()).slice(0, -19).replace("AA", "A!");
    const sum = crc32(summed).toString(16).padStart(8, "0");
    const line = `${summed},"sum":"${sum}"}\n`;
    expect(line).toHaveLength(lineBytes);
    expect(decodeLine(Buffer.from(line), 0, newRecord())).toBe(false);
    const right = Buffer.from(line.replace("A!", "AA").replace(sum, encodeLine(newRecord()).slice(-11, -3)));
    expect(decodeLine(right, 0, newRecord())).toBe(true);
  });

  it("is JSON", () => {
    const written = Uint32Array.of(0, 1, 2, 3, 4, 0xffff_ffff);
    expect(JSON.parse(encodeLine(written))).toEqual({
      key: "AAAAAAAAAAEAAAAC",
      input: "AAAAAwAAAAT_____",
      sum: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
  });

  property("has the checksum that zlib has", () =>
    fc.property(fc.uint8Array(), (bytes) => checksum(bytes) === crc32(bytes)),
  );
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

  it("of a newer version is told from a damaged one", () => {
    const summed = '{"format":"template-pdf bulk journal","version":2,"more":true';
    const sum = crc32(summed).toString(16).padStart(8, "0");
    expect(readBeginning(Buffer.from(`${summed},"sum":"${sum}"}\n`)).kind).toBe("newer");
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
