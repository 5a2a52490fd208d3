import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PdfCheck } from "../../src/call/pdf-check.ts";
import { property } from "../support/fuzz.ts";
import { renderPdf } from "../support/render-pdf.ts";

const ascii = (text: string) => Buffer.from(text, "latin1");
const x = (length: number) => "x".repeat(length);

interface Verdict {
  begins: boolean;
  ends: boolean;
  wasDecoded: boolean;
}

/** The result for a body in these chunks. Each chunk is overwritten after it was checked. */
function judge(...chunks: Uint8Array[]): Verdict {
  const check = new PdfCheck();
  for (const chunk of chunks) {
    const passedOn = Buffer.from(chunk);
    check.update(passedOn);
    expect(passedOn.equals(chunk), "the chunk is unchanged").toBe(true);
    passedOn.fill("%PDF-%%EOF");
  }
  return { begins: check.begins === true, ends: check.ends(), wasDecoded: check.wasDecoded };
}

/** The same result, computed from all bytes at once. */
function judgeWhole(bytes: Uint8Array): Verdict {
  const text = Buffer.from(bytes).toString("latin1");
  const hasHeader = text.slice(0, 1024).includes("%PDF-");
  const wasDecoded = hasHeader && looksDecoded(bytes.subarray(0, 4096));
  return { begins: hasHeader && !wasDecoded, ends: endsWhole(text), wasDecoded };
}

function endsWhole(text: string): boolean {
  const content = text.replace(/[\0\t\n\f\r ]+$/, "");
  const end = content.lastIndexOf("%%EOF");
  if (end < 0 || end < content.length - 1024) return false;
  const before = /([^\0\t\n\f\r ]*)[\0\t\n\f\r ]*$/.exec(text.slice(Math.max(0, end - 24), end))?.[1] ?? "";
  const isLinearized = /^[^/]*(?:\/[A-Z](?![A-Za-z])[^/]*)*\/Linearized/.test(text.slice(0, 1024));
  if (before.startsWith("%%End") || (before === "0" && isLinearized)) return false;
  const after = text.slice(end + 5).replace(/^(?:[\0\t\n\f\r ]|%[^\r\n]*(?:[\r\n]|$))+/, "");
  if (/^(?:\d+[\0\s]+\d+[\0\s]+obj|xref|endstream)/.test(after)) return false;
  const isPartOfWord = after.length > 1 && ["xref", "endstream"].some((word) => word.startsWith(after));
  return !isPartOfWord && !/^\d+([\0\s]+(\d+([\0\s]+(ob?)?)?)?)?$/.test(after);
}

function looksDecoded(bytes: Uint8Array): boolean {
  // The last character may be incomplete.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
  const again = Buffer.from(text);
  if (!again.equals(bytes.subarray(0, again.length)) || again.length < bytes.length - 3) return false;
  const comments = text.matchAll(
    /%([?\u00a0-\u00ff\u0152-\u02dc\u2010-\u2122]{4,})(?=[^?\u00a0-\u00ff\u0152-\u02dc\u2010-\u2122])/g,
  );
  const isComment = [...comments].some(([, comment]) => comment !== "äüöß");
  return /[\ufffd\u0080-\u009f]/.test(text) || isComment || /^.?["']%/.test(text);
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

/** A linearized document up to the end of its first part. */
const firstPart =
  "%PDF-1.7\n%\xbf\xf7\xa2\xfe\n4 0 obj\n<< /Linearized 1 /L 9000 >>\nendobj\nstartxref\n0\n%%EOF\n";
const firstVersion = "%PDF-1.7\n%\xbf\xf7\xa2\xfe\nstartxref\n123\n%%EOF\n";
const characterMap = "%PDF-1.7\n%\x80\x80\x80\x80\n8 0 obj\n<< >>\nstream\nend\nend\n%%EndResource\n%%EOF\n";

describe("An end marker inside a document", () => {
  it.each([
    ["the first part of a linearized document", firstPart],
    ["a character map", characterMap],
  ])("does not count if the body ends directly after it: %s", (_, text) => {
    for (const end of [text, text.trimEnd(), `${text}\0\r\n`]) {
      for (const size of [1, 3, 7, 64, 4096]) {
        expect(judge(...inChunks(ascii(end), size)).ends, `${size} bytes`).toBe(false);
      }
    }
  });

  it.each([
    ["an object", "12 0 obj\n<< /Type /Page >>"],
    ["an object after a comment", "%BeginExifToolUpdate\n1 0 obj\n<<"],
    ["an object after white space", "\0\r\n   12\t0\nobj<<"],
    ["the beginning of an object", "12 0 o"],
    ["two numbers", "12 0"],
    ["a lone number", "12"],
    ["a lone number and padding", `12${"\0\n".repeat(30)}`],
    ["a cross-reference table", "xref\n0 6\n0000000000 65535 f"],
    ["the beginning of a cross-reference table", "xre"],
    ["the end of a stream", "endstream\nendobj"],
    ["the beginning of the end of a stream", "ends"],
  ])("does not count before %s", (_, after) => {
    for (const size of [1, 3, 7, 64, 4096]) {
      expect(judge(...inChunks(ascii(firstVersion + after), size)).ends, `${size} bytes`).toBe(false);
    }
  });

  it.each([
    ["a complete earlier version of an updated document", ""],
    ["a comment", "% hint_offset=569\n% hint_length=121"],
    ["other text", "SomeData"],
    ["a single letter", "e"],
    ["a number and other text", "00 n\r\n0000306861 00000 n"],
    ["a second marker", "%%EOF\n"],
  ])("cannot be told from the last one before %s", (_, after) => {
    for (const size of [1, 3, 7, 64, 4096]) {
      expect(judge(...inChunks(ascii(firstVersion + after), size)).ends, `${size} bytes`).toBe(true);
    }
  });

  it.each([
    ["linearized", firstPart, "12 0 obj\n<< /Type /Page >>\nendobj\n"],
    ["with a character map", characterMap, "endstream\nendobj\n12 0 obj\n<< /Type /Page >>\nendobj\n"],
  ])("does not count in any truncation of a document that is %s", (_, start, rest) => {
    const document = ascii(`${start}${rest}startxref\n173\n%%EOF\n`);
    for (let length = 0; length < document.length - 1; length++) {
      expect(judge(document.subarray(0, length)).ends, `${length} bytes`).toBe(false);
    }
    expect(judge(document).ends).toBe(true);
  });

  it("counts at offset 0 unless the document is linearized", () => {
    const notLinearized = firstPart.replace("/Linearized", "/Type /Linearized");
    expect(judge(ascii(notLinearized)).ends).toBe(true);
    const otherOrder = firstPart.replace("/Linearized 1 /L", "/T 44455\n/O 6\n/Linearized 1 /L");
    expect(judge(ascii(otherOrder)).ends).toBe(false);
  });
});

describe("A PDF that was decoded as text", () => {
  /** An intact document with the comment of a producer, and with or without a compressed stream. */
  const documentOf = (comment: string, stream = "x\x9c\x03\x00\x80\xff\xf2\x8d") =>
    Buffer.from(`%PDF-1.7\n%${comment}\n1 0 obj\n<< >>\nstream\n${stream}\nendstream\n%%EOF\n`, "latin1");
  const windows1252 = new TextDecoder("windows-1252");
  const decodings: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ["UTF-8", (bytes) => Buffer.from(bytes.toString())],
    ["Latin-1", (bytes) => Buffer.from(bytes.toString("latin1"))],
    ["Windows-1252", (bytes) => Buffer.from(windows1252.decode(bytes))],
    ["UTF-8, in a JSON string", (bytes) => Buffer.from(JSON.stringify(bytes.toString()))],
    ["Latin-1, in an ASCII JSON string", (bytes) => Buffer.from(escaped(bytes.toString("latin1")))],
  ];
  const escaped = (text: string) =>
    JSON.stringify(text).replace(/[\x80-\xff]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
  const comments = {
    "many producers": "\xe2\xe3\xcf\xd3",
    Chromium: "\xd3\xeb\xe9\xe1",
    pdfTeX: "\xd0\xd4\xc5\xd8",
    Cairo: "\xb5\xed\xae\xfb",
    pdfmake: "\xff\xff\xff\xff",
    "pdf-lib": "\x81\x81\x81\x81",
    Typst: "\x80\x80\x80\x80",
    ReportLab: "\x93\x8c\x8b\x9e ReportLab",
    Word: "\xb5\xb5\xb5\xb5",
    LibreOffice: "\xc3\xa4\xc3\xbc\xc3\xb6\xc3\x9f",
    MuPDF: "\xc2\xb5\xc2\xb6",
    WeasyPrint: "\xf0\x9f\x96\xa4",
  };

  for (const [producer, comment] of Object.entries(comments)) {
    it.each(decodings)(`is recognised by its bytes: ${producer}, decoded as %s`, (_, decode) => {
      const intact = documentOf(comment);
      const decoded = decode(intact);
      for (const size of [1, 2, 5, 13, 4096]) {
        expect(judge(...inChunks(intact, size)), `intact, ${size} bytes`).toMatchObject({
          begins: true,
          wasDecoded: false,
        });
        expect(judge(...inChunks(decoded, size)), `decoded, ${size} bytes`).toMatchObject({
          begins: false,
          wasDecoded: true,
        });
      }
    });
  }

  it.each(["UTF-8", "Latin-1", "Windows-1252"])("is recognised by its comment alone after %s", (name) => {
    const decode = new Map(decodings).get(name) as (bytes: Buffer) => Buffer;
    for (const comment of [comments["many producers"], comments.pdfmake, comments.Typst]) {
      expect(judge(decode(documentOf(comment, "BT ET"))).wasDecoded, comment).toBe(true);
    }
  });

  // The decoder of some Node versions leaves the bytes 80 to 9F as control characters.
  it.each(["€€€€", "“Œ‹ž"])(
    "is recognised by the characters of Windows-1252 in its comment: %s",
    (comment) => {
      expect(judge(Buffer.from(`%PDF-1.7\n%${comment}\nBT ET\n%%EOF\n`)).wasDecoded).toBe(true);
    },
  );

  it.each(["äüöß", "µ¶", "🖤", "вгуп"])("is not suspected because of the comment %s", (comment) => {
    const check = new PdfCheck();
    check.update(Buffer.from(`%PDF-1.7\n%${comment}\n1 0 obj\n`));
    expect(check.begins).toBe(true);
  });

  it("is recognised if its bytes above 127 were replaced by question marks", () => {
    const questioned = documentOf("\xe2\xe3\xcf\xd3")
      .toString("latin1")
      .replace(/[\x80-\xff]/g, "?");
    expect(judge(ascii(questioned)).wasDecoded).toBe(true);
  });

  it.each([
    ["has a comment in UTF-8 and an intact stream", documentOf("\xc3\xa2\xc3\xa3\xc3\x8f\xc3\x93")],
    ["has U+FFFD in its comment and an intact stream", documentOf("\xef\xbf\xbd".repeat(4))],
    ["has only text in UTF-8", documentOf("\xc2\xa5\xc2\xb1\xc3\xab", "caf\xc3\xa9 \xe2\x82\xac")],
    ["has only ASCII", documentOf("creation", "BT ET")],
    ["begins with a byte order mark", Buffer.concat([ascii("\xef\xbb\xbf"), documentOf("\xe2\xe3\xcf\xd3")])],
  ])("is not seen in a document that %s", (_, bytes) => {
    for (const size of [1, 5, 4096]) {
      expect(judge(...inChunks(bytes, size))).toEqual({ begins: true, ends: true, wasDecoded: false });
    }
  });

  it("is reported when the first 4,096 bytes have arrived, or when the body ends", () => {
    const check = new PdfCheck();
    check.update(Buffer.from("%PDF-1.7\n%\ufffd\ufffd\ufffd\ufffd\n"));
    expect(check.begins).toBe(undefined);
    expect(check.wasDecoded).toBe(true);
    check.update(ascii(x(4096)));
    expect(check.begins).toBe(false);
  });
});

describe("Any body", () => {
  const fills = [fc.nat(1100), fc.integer({ min: 1000, max: 1040 })].map((length) => length.map(x));
  const marks = fc.constantFrom("%PDF-", "%%EOF", "%%EOF\n", "%%EO", "F", "%PD", "%", "-");
  const words = [
    "0",
    "12",
    "obj",
    "xref",
    "endstream",
    "en",
    "%%EndResource",
    "/Linearized",
    "/T",
    "\n",
    " ",
    "\r%",
  ];
  const after = fc
    .array(fc.constantFrom(...words), { maxLength: 7 })
    .map((texts) => `${texts.slice(0, 3).join("\n")}\n%%EOF\n${texts.slice(3).join(" ")}`);
  const bytesOfText = [
    "\xe2\xe3\xcf\xd3",
    "\xef\xbf\xbd",
    "\xc3\xa4",
    "\xc2\x9c",
    "\xe2\x82\xac",
    "%",
    "?",
    '"',
    "\xff",
  ];
  const high = fc
    .array(fc.constantFrom(...bytesOfText), { maxLength: 7 })
    .map((texts) => `%${texts.join("")}\n`);
  const padding = fc.nat(1100).map((length) => "\0\t\n\f\r ".repeat(length / 6));
  const mixed = fc.string({ unit: fc.constantFrom(..."\0 \nx%E"), maxLength: 9 });
  const within = fc.tuple(fc.nat(1100), fc.nat(1100)).map(([a, b]) => `${x(a)}%%EOF${x(b)}`);
  const piece = fc.oneof(marks, marks, ...fills, padding, mixed, within, after, after, high);
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
    expect(judge(bytes)).toEqual({ begins: true, ends: true, wasDecoded: false });
    expect(judge(bytes.subarray(0, -10))).toEqual({ begins: true, ends: false, wasDecoded: false });
  });
});
