import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PdfCheck } from "../../src/call/pdf-check.ts";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { property, slowProperty } from "../support/fuzz.ts";
import { readByLines } from "./read-by-lines.ts";

function isWhole(bytes: Uint8Array): boolean {
  const verifier = new PdfCheck();
  verifier.update(bytes);
  return verifier.begins === true && verifier.ends();
}

/** Returns the text at each offset of the cross-reference table, which it finds through the end of the file. */
function objectsByTable(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes).toString("latin1");
  const [, at = ""] = /\nstartxref\n(\d+)\n%%EOF\n+$/.exec(text) ?? [];
  const [head = "", size = ""] = /^xref\n0 (\d+)\n0000000000 65535 f \n/.exec(text.slice(Number(at))) ?? [];
  const entries = text.slice(Number(at) + head.length);
  expect(entries.slice(20 * (Number(size) - 1))).toMatch(/^trailer\n/);
  return Array.from({ length: Number(size) - 1 }, (_, index) => {
    const [, offset = ""] = /^(\d{10}) 00000 n \n$/.exec(entries.slice(20 * index, 20 * index + 20)) ?? [];
    return text.slice(Number(offset)).split("\n")[0] ?? "";
  });
}

const text = fc.string({ unit: "binary", maxLength: 200 });

describe("a fake PDF", () => {
  it("opens in a viewer without a warning, with its pages and its text", async () => {
    const pdf = fakePdf({ text: "Café (no. 1)\nsecond \\ line — “€12”", pages: 3 });
    expect(await readByLines(pdf)).toEqual({
      pages: 3,
      lines: ["Café (no. 1)", "second \\ line — “€12”"],
      warnings: [],
    });
  });

  it("has one empty page by default", async () => {
    expect(await readByLines(fakePdf())).toEqual({ pages: 1, lines: [""], warnings: [] });
    expect(fakePdf({})).toEqual(fakePdf());
    expect(fakePdf({ text: undefined, pages: undefined, bytes: undefined })).toEqual(fakePdf());
  });

  it("contains Latin text unchanged in its bytes, so that a test can search for it", () => {
    expect(Buffer.from(fakePdf({ text: "uid: inv_2024" })).includes("uid: inv_2024")).toBe(true);
  });

  it.each([1_000, 10_001, 1_000_003])("has exactly the requested length: %i bytes", async (bytes) => {
    const pdf = fakePdf({ bytes, text: "padded" });
    expect(pdf.length).toBe(bytes);
    expect(isWhole(pdf)).toBe(true);
    expect(await readByLines(pdf)).toEqual({ pages: 1, lines: ["padded"], warnings: [] });
  });

  it("can have every length from the shortest on, even if its offsets get one more digit", () => {
    const { length } = fakePdf();
    for (let bytes = length; bytes < length + 1_300; bytes++) {
      const pdf = fakePdf({ bytes });
      expect(pdf.length).toBe(bytes);
      expect(objectsByTable(pdf)).toEqual(["1 0 obj", "2 0 obj", "3 0 obj"]);
    }
  });

  property("has a table with correct offsets and the requested length for any text", () =>
    fc.property(text, fc.integer({ min: 1, max: 9 }), fc.nat(3_000), (text, pages, more) => {
      const shortest = fakePdf({ text, pages });
      const pdf = fakePdf({ text, pages, bytes: shortest.length + more });
      expect(pdf.length).toBe(shortest.length + more);
      const objects = objectsByTable(pdf);
      expect(objects).toEqual(objects.map((_, index) => `${index + 1} 0 obj`));
      expect(() => fakePdf({ text, pages, bytes: shortest.length - 1 })).toThrow(
        `to be at least ${shortest.length} for`,
      );
    }),
  );

  it("has the requested number of pages, up to 100,000", () => {
    const pdf = Buffer.from(fakePdf({ pages: 100_000 }));
    expect(pdf.toString("latin1").match(/\/Type \/Page /g)).toHaveLength(100_000);
    expect(pdf.includes("/Count 100000 ")).toBe(true);
  });
});

describe("fakePdf with invalid options", () => {
  const of = (options: unknown) => () => fakePdf(options as Parameters<typeof fakePdf>[0]);

  it.each([
    [null, "Expected the options of fakePdf() to be of type object, got null."],
    ["text", "Expected the options of fakePdf() to be of type object, got string."],
    [["text"], "Expected the options of fakePdf() to be of type object, got array."],
    [{ page: 2 }, "Unknown option `page` of fakePdf(). Known options: text, pages, bytes."],
    [{ text: 7 }, "Expected `text` to be of type string, got number."],
    [{ text: null }, "Expected `text` to be of type string, got null."],
    [{ text: ["a"] }, "Expected `text` to be of type string, got array."],
    [{ pages: "2" }, "Expected `pages` to be of type number, got string."],
    [{ bytes: null }, "Expected `bytes` to be of type number, got null."],
    [{ bytes: 9n }, "Expected `bytes` to be of type number, got bigint."],
  ])("throws a TypeError for %o", (options, message) => {
    expect(of(options)).toThrow(new TypeError(message));
  });

  it.each([
    [{ pages: 0 }, "Expected `pages` to be an integer from 1 to 100000, got 0."],
    [{ pages: 1.5 }, "Expected `pages` to be an integer from 1 to 100000, got 1.5."],
    [{ pages: Number.NaN }, "Expected `pages` to be an integer from 1 to 100000, got NaN."],
    [{ pages: 10_000_000 }, "Expected `pages` to be an integer from 1 to 100000, got 10000000."],
    [{ bytes: Number.NaN }, "Expected `bytes` to be an integer, got NaN."],
    [{ bytes: -1 }, "Expected `bytes` to be an integer, got -1."],
    [{ bytes: 0.5 }, "Expected `bytes` to be an integer, got 0.5."],
    [{ bytes: Number.POSITIVE_INFINITY }, "Expected `bytes` to be an integer, got Infinity."],
    [
      { bytes: 100 },
      `Expected \`bytes\` to be at least ${fakePdf().length} for this text and these pages, got 100.`,
    ],
  ])("throws a RangeError for %o", (options, message) => {
    expect(of(options)).toThrow(new RangeError(message));
  });

  it("throws a RangeError for more bytes than the runtime can allocate", () => {
    expect(of({ bytes: 9e15 })).toThrow(RangeError);
  });
});

/** Normalizes lines as PDF readers do: without blank lines, and without spaces at either end of a line. */
const seen = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "");

async function expectRead(text: string): Promise<void> {
  const { lines, warnings } = await readByLines(fakePdf({ text }));
  expect([seen(lines.join("\n")), warnings]).toEqual([seen(text), []]);
}

describe("pdf.js reads the lines of a fake PDF with", () => {
  const longLines = `${"The quick brown fox. ".repeat(20)}\n${"W".repeat(9_000)}\n${"漢".repeat(9_000)}\nlast`;
  const cjk = Array.from({ length: 700 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");
  it.each([
    ["the characters of Windows-1252 beyond Latin-1", "€ 12,50 — “quoted” ‘it’ … • Œuvre Žluťoučký ™"],
    ["Polish and English", "Brönte & Łoś Studio\nplain\nzażółć gęślą jaźń"],
    ["Greek and Cyrillic", "Αθηνά Α.Ε.\nΕρμού 42, Αθήνα\nСчёт № 7"],
    ["Chinese, Japanese and Korean", "发票号码：一二三\n日本語のテキスト\n한국어 문서"],
    ["combining marks", "e\u0301a\u0308o\u0302 and Z\u0351\u036Balgo\nnext"],
    ["Indian scripts", "नमस्ते दुनिया\nவணக்கம் உலகம்"],
    ["tabs and many spaces", "a\tb\t\tc\nx     y"],
    ["control characters", "x\u0001y\u0000z\u007Fw\u0085v\u009Fu"],
    ["text that looks like PDF syntax", "(a\\) \\n endstream endobj <</Length 1>> Tj ET %%EOF trailer"],
    ["characters beyond the first Unicode plane", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐀀 𓀀 \u{10FFFD}"],
    ["the line breaks of every system", "one\r\ntwo\rthree\nfour"],
    ["more than 255 different characters in one line", cjk],
    ["long lines, which stay within the page", longLines],
  ])("%s", (_title, text) => expectRead(text));

  it("lone surrogates, as the replacement character", async () => {
    const { lines } = await readByLines(fakePdf({ text: "a\ud800b\nc\udc00\ud800d" }));
    expect(lines).toEqual(["a\ufffdb", "c\ufffd\ufffdd"]);
  });

  // Characters that pdf.js treats specially have their own tests above.
  const word = fc
    .string({ unit: "binary", minLength: 1, maxLength: 12 })
    .filter((text) => !/[\s\p{Mn}\p{Cf}\p{Cs}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u.test(text));
  const line = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));

  slowProperty("any words", () =>
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => expectRead(lines.join("\n"))),
  );
});
