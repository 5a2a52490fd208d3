import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { PdfCheck } from "../src/call/pdf-check.ts";
import { property, slowProperty } from "./support/fuzz.ts";
import { renderPdf } from "./support/render-pdf.ts";

const ascii = (text: string) => Buffer.from(text, "latin1");
const fill = (length: number, character = "x") => ascii(character.repeat(length));

/** What a verifier says of a body that comes in these chunks, each of which is gone once it was looked at. */
function judge(...chunks: Uint8Array[]): { begins: boolean; ends: boolean } {
  const verifier = new PdfCheck();
  let isChanged = false;
  for (const chunk of chunks) {
    const handedOn = Buffer.from(chunk);
    verifier.update(handedOn);
    isChanged ||= !handedOn.equals(chunk);
    handedOn.fill("%PDF-%%EOF");
  }
  expect(isChanged, "a chunk was changed").toBe(false);
  return { begins: verifier.begins === true, ends: verifier.ends() };
}

/** The same by the words of the PDF Reference, with all bytes in hand. */
function judgeWhole(bytes: Uint8Array): { begins: boolean; ends: boolean } {
  const text = Buffer.from(bytes).toString("latin1");
  return {
    begins: text.slice(0, 1024).includes("%PDF-"),
    ends: text
      .replace(/[\0\t\n\f\r ]+$/, "")
      .slice(-1024)
      .includes("%%EOF"),
  };
}

/** Cuts bytes at the given places, each a share of the whole. */
function cut(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const places = shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("%PDF-", "%%EOF", "%%EOF\n", "%%EO", "F", "%PD", "%", "-") },
  { weight: 2, arbitrary: fc.nat(1100).map((length) => "x".repeat(length)) },
  { weight: 1, arbitrary: fc.integer({ min: 1000, max: 1040 }).map((length) => "x".repeat(length)) },
  { weight: 2, arbitrary: fc.nat(1100).map((length) => "\0\t\n\f\r ".repeat(length / 6)) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom("\0", " ", "\n", "x", "%", "E"), maxLength: 9 }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(1100), fc.nat(1100)).map(([a, b]) => `${"x".repeat(a)}%%EOF${"x".repeat(b)}`),
  },
);
const pieces = fc.array(piece, { maxLength: 9 }).map((texts) => texts.map(ascii));

describe("where the header may stand", () => {
  it.each([
    ["at the start", "%PDF-1.7", true],
    ["after a byte order mark", "\xef\xbb\xbf%PDF-1.7", true],
    ["with its last byte as the 1,024th", `${"x".repeat(1019)}%PDF-`, true],
    ["with its last byte as the 1,025th", `${"x".repeat(1020)}%PDF-`, false],
    ["nowhere, in an HTML page", "<!doctype html><p>Please log in", false],
    ["nowhere, in nothing", "", false],
    ["cut off", "%PDF", false],
    ["in lower case", "%pdf-1.7", false],
    ["after its own first byte", "%%PDF-", true],
    ["after its own first two bytes", "%P%PDF-", true],
    ["with another first byte", "xPDF-", false],
  ])("%s", (_, text, expected) => {
    expect(judge(ascii(text)).begins).toBe(expected);
    expect(judge(...cut(ascii(text), [0.2, 0.5, 0.999])).begins).toBe(expected);
  });

  it("is known as soon as it was seen, and once it can no longer come", () => {
    const verifier = new PdfCheck();
    verifier.update(fill(1019));
    expect(verifier.begins).toBeUndefined();
    verifier.update(fill(4));
    expect(verifier.begins).toBeUndefined();
    verifier.update(fill(1));
    expect(verifier.begins).toBe(false);
    const other = new PdfCheck();
    for (const byte of ascii("%PDF-")) other.update(Uint8Array.of(byte));
    expect(other.begins).toBe(true);
  });
});

describe("where the end mark may stand", () => {
  it.each([
    ["last", "%%EOF", true],
    ["before a line break", "%%EOF\r\n", true],
    ["with 1,019 bytes behind it", `%%EOF${"x".repeat(1019)}`, true],
    ["with 1,020 bytes behind it", `%%EOF${"x".repeat(1020)}`, false],
    ["with padding inside the 1,024 bytes, which counts", `%%EOF${" ".repeat(1018)}x`, true],
    ["with too much padding inside the 1,024 bytes", `%%EOF${" ".repeat(1019)}x`, false],
    ["before 80,508 NULs", `%%EOF${"\0".repeat(80_508)}`, true],
    ["before every kind of white space", `%%EOF${" \t\n\f\r\0".repeat(2000)}`, true],
    ["before other control characters, which count", `%%EOF${"\x01".repeat(1020)}`, false],
    ["nowhere, in nothing", "", false],
    ["nowhere, in padding alone", "\0".repeat(3000), false],
    ["cut off", "%%EO", false],
    ["after its own first byte", "%%%EOF", true],
    ["after its own first three bytes", "%%E%%EOF", true],
    ["without its second byte, after its own first three", "%%E%EOF", false],
    ["with another first byte", "x%EOF", false],
  ])("%s", (_, text, expected) => {
    const bytes = ascii(text);
    expect(judge(bytes).ends).toBe(expected);
    for (const size of [1, 7, 1023, 1024, 1025]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(judge(...chunks).ends).toBe(expected);
    }
  });

  it.each([1, 2, 3, 4])(
    "an end mark counts from its first byte if a chunk ends after %d of its bytes",
    (first) => {
      const expected = new Map([
        [1019, true],
        [1020, false],
      ]);
      for (const [behind, ends] of expected) {
        const bytes = ascii(`${"x".repeat(50)}%%EOF${"x".repeat(behind)}`);
        expect(judge(bytes.subarray(0, 50 + first), bytes.subarray(50 + first)).ends).toBe(ends);
      }
    },
  );

  it("an early end mark, as linearised files have, does not stand for the late one", () => {
    expect(judge(ascii("%PDF-1.7 %%EOF"), fill(2000)).ends).toBe(false);
  });
});

describe("any body", () => {
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

  property("is judged by the words of the PDF Reference, whatever the chunks are", () =>
    fc.property(pieces, shares, (chunks, places) => {
      const bytes = Buffer.concat(chunks);
      const expected = judgeWhole(bytes);
      expect(judge(...chunks)).toEqual(expected);
      expect(judge(...cut(bytes, places))).toEqual(expected);
    }),
  );

  property("is known to begin as a PDF, or not to, as soon as its bytes say so", () =>
    fc.property(pieces, shares, (chunks, places) => {
      const bytes = Buffer.concat(chunks);
      const verifier = new PdfCheck();
      let length = 0;
      for (const chunk of cut(bytes, places)) {
        verifier.update(chunk);
        length += chunk.length;
        const { begins } = judgeWhole(bytes.subarray(0, length));
        expect(verifier.begins).toBe(begins || (length >= 1024 ? false : undefined));
      }
    }),
  );

  slowProperty("is judged the same byte by byte", () =>
    fc.property(pieces, (chunks) => {
      const bytes = Buffer.concat(chunks);
      expect(judge(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(judgeWhole(bytes));
    }),
  );
});

describe("real documents", () => {
  let rendered: Uint8Array[];
  beforeAll(async () => {
    const definitions = [
      { content: "Invoice" },
      { content: Array.from({ length: 200 }, (_, row) => `Row ${row}`), compress: false },
      { content: "Secret", version: "1.7", userPassword: "letmein", info: { title: "%%EOF" } },
    ];
    rendered = await Promise.all(definitions.map(renderPdf));
  });

  it("made with pdfmake are whole", () => {
    for (const bytes of rendered) expect(judge(bytes)).toEqual({ begins: true, ends: true });
  });

  property("made with pdfmake are never whole when their end is missing", () =>
    fc.property(fc.nat(2), fc.double({ min: 0, max: 1, noNaN: true }), (which, share) => {
      const bytes = rendered[which] ?? new Uint8Array(0);
      const length = 5 + Math.floor(share * (bytes.length - 10));
      expect(judge(bytes.subarray(0, length)).ends).toBe(false);
    }),
  );

  it("found among the installed packages are whole", () => {
    const folder = fileURLToPath(new URL("../node_modules/", import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.pdf$/i.test(file),
    );
    for (const file of files) {
      expect({ file, ...judge(readFileSync(folder + file)) }).toEqual({ file, begins: true, ends: true });
    }
  });
});
