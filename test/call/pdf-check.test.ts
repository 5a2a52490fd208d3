import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PdfCheck } from "../../src/call/pdf-check.ts";
import { property } from "../support/fuzz.ts";
import { renderPdf } from "../support/render-pdf.ts";

const ascii = (text: string) => Buffer.from(text, "latin1");
const x = (length: number) => "x".repeat(length);

/** The result for a body in these chunks. Each chunk is overwritten after it was checked. */
function judge(...chunks: Uint8Array[]): { begins: boolean; ends: boolean } {
  const check = new PdfCheck();
  for (const chunk of chunks) {
    const passedOn = Buffer.from(chunk);
    check.update(passedOn);
    expect(passedOn.equals(chunk), "the chunk is unchanged").toBe(true);
    passedOn.fill("%PDF-%%EOF");
  }
  return { begins: check.begins === true, ends: check.ends() };
}

/** The same result by the rules of the PDF Reference, computed from all bytes at once. */
function judgeWhole(bytes: Uint8Array): { begins: boolean; ends: boolean } {
  const text = Buffer.from(bytes).toString("latin1");
  const end = text.replace(/[\0\t\n\f\r ]+$/, "").slice(-1024);
  return { begins: text.slice(0, 1024).includes("%PDF-"), ends: end.includes("%%EOF") };
}

/** Splits bytes at the given positions, each a fraction of the length. */
function cut(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const places = shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

/** Splits bytes into chunks of one size. */
function inChunks(bytes: Uint8Array, size: number): Uint8Array[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

describe("The PDF header", () => {
  it.each([
    ["is found at the start", "%PDF-1.7", true],
    ["is found at the start of a long body", `%PDF-${x(2000)}`, true],
    ["is found after a byte order mark", "\xef\xbb\xbf%PDF-1.7", true],
    ["is found if it ends at byte 1,024", `${x(1019)}%PDF-`, true],
    ["is not found if it ends at byte 1,025", `${x(1020)}%PDF-`, false],
    ["is not found if it is truncated", "%PDF", false],
    ["is not found in lower case", "%pdf-1.7", false],
    ["is found after an extra `%`", "%%PDF-", true],
    ["is found after an extra `%P`", "%P%PDF-", true],
    ["is not found if it begins with `x` instead of `%`", "xPDF-", false],
  ])("%s", (_, text, expected) => {
    for (const size of [1, 5, 2000]) expect(judge(...inChunks(ascii(text), size)).begins).toBe(expected);
  });

  it("is reported as unknown until it is found or can no longer appear", () => {
    const check = new PdfCheck();
    for (const [length, begins] of [
      [1019, undefined],
      [4, undefined],
      [1, false],
    ] as const) {
      check.update(ascii(x(length)));
      expect(check.begins).toBe(begins);
    }
  });
});

describe("The PDF end marker", () => {
  it.each([
    ["is found at the end", "%%EOF", true],
    ["is found if 1,019 other bytes follow", `%%EOF${x(1019)}`, true],
    ["is not found if 1,020 other bytes follow", `%%EOF${x(1020)}`, false],
    ["is found if 1,018 spaces and one other byte follow", `%%EOF${" ".repeat(1018)}x`, true],
    ["is found if every kind of padding follows", `%%EOF${" \t\n\f\r\0".repeat(2000)}`, true],
    ["is not found in a body that contains only padding", "\0".repeat(3000), false],
    ["is not found if it is truncated", "%%EO", false],
    ["is found after an extra `%`", "%%%EOF", true],
    ["is found after an extra `%%E`", "%%E%%EOF", true],
    ["is not found if only one `%` precedes `EOF`", "%%E%EOF", false],
  ])("%s", (_, text, expected) => {
    for (const size of [1, 7, 1023, 1024, 1025, 100_000]) {
      expect(judge(...inChunks(ascii(text), size)).ends).toBe(expected);
    }
  });

  it.each([1, 4])("must start in the last 1,024 bytes, even if it is split after byte %d", (first) => {
    for (const after of [1019, 1020]) {
      const bytes = ascii(`${x(50)}%%EOF${x(after)}`);
      expect(judge(bytes.subarray(0, 50 + first), bytes.subarray(50 + first)).ends).toBe(after === 1019);
    }
  });
});

describe("Any body", () => {
  const fills = [fc.nat(1100), fc.integer({ min: 1000, max: 1040 })].map((length) => length.map(x));
  const marks = fc.constantFrom("%PDF-", "%%EOF", "%%EOF\n", "%%EO", "F", "%PD", "%", "-");
  const padding = fc.nat(1100).map((length) => "\0\t\n\f\r ".repeat(length / 6));
  const mixed = fc.string({ unit: fc.constantFrom(..."\0 \nx%E"), maxLength: 9 });
  const within = fc.tuple(fc.nat(1100), fc.nat(1100)).map(([a, b]) => `${x(a)}%%EOF${x(b)}`);
  const piece = fc.oneof(marks, marks, ...fills, padding, mixed, within);
  const pieces = fc.array(piece, { maxLength: 9 }).map((texts) => texts.map(ascii));
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

  property("is checked by the rules of the PDF Reference, however it is split into chunks", () =>
    fc.property(pieces, shares, (chunks, places) => {
      const bytes = Buffer.concat(chunks);
      const expected = judgeWhole(bytes);
      expect(judge(...chunks)).toEqual(expected);
      expect(judge(...cut(bytes, places))).toEqual(expected);
    }),
  );
});

describe("A pdfmake document", () => {
  it.each([
    ["a one-page document", { content: "Invoice" }],
    ["a PDF 1.7 document with a password", { content: "Secret", version: "1.7", userPassword: "letmein" }],
  ])("passes the check unless its last 10 bytes are missing: %s", async (_, definition) => {
    const bytes = await renderPdf(definition);
    expect(judge(bytes)).toEqual({ begins: true, ends: true });
    expect(judge(bytes.subarray(0, -10))).toEqual({ begins: true, ends: false });
  });
});
