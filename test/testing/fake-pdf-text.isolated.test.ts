import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { slowProperty } from "../support/fuzz.ts";
import { readByLines } from "./read-by-lines.ts";

/** As every reader gives a line back: no PDF has blank lines, or spaces at the ends of one. */
const seen = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "");

async function expectRead(text: string): Promise<void> {
  const { lines, warnings } = await readByLines(fakePdf({ text }));
  expect(lines.map((line) => line.replace(/\s+/g, " ").trim()).filter((line) => line !== "")).toEqual(
    seen(text),
  );
  expect(warnings).toEqual([]);
}

describe("what pdf.js reads in a fake PDF, line for line", () => {
  it.each([
    ["what Windows has beyond Latin-1", "€ 12,50 — “quoted” ‘it’ … • Œuvre Žluťoučký ™"],
    ["Polish among English", "Brönte & Łoś Studio\nplain\nzażółć gęślą jaźń"],
    ["Greek and Cyrillic", "Αθηνά Α.Ε.\nΕρμού 42, Αθήνα\nСчёт № 7"],
    ["Chinese, Japanese and Korean", "发票号码：一二三\n日本語のテキスト\n한국어 문서"],
    ["marks that combine with letters", "e\u0301a\u0308o\u0302 and Z\u0351\u036Balgo\nnext"],
    ["scripts of India", "नमस्ते दुनिया\nவணக்கம் உலகம்"],
    ["tabs and many spaces", "a\tb\t\tc\nx     y"],
    ["control characters", "x\u0001y\u0000z\u007Fw\u0085v\u009Fu"],
    ["what a PDF's own syntax is made of", "(a\\) \\n endstream endobj <</Length 1>> Tj ET %%EOF trailer"],
    ["characters beyond the first plane", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐀀 𓀀 \u{10FFFD}"],
    ["line breaks of every system", "one\r\ntwo\rthree\nfour"],
  ])("%s", async (_title, text) => {
    await expectRead(text);
  });

  it("halves of characters, as the sign for what is none", async () => {
    const { lines } = await readByLines(fakePdf({ text: "a\ud800b\nc\udc00\ud800d" }));
    expect(lines).toEqual(["a\ufffdb", "c\ufffd\ufffdd"]);
  });

  it("long lines, none of them beyond the edge of the page", async () => {
    await expectRead(
      `${"The quick brown fox. ".repeat(20)}\nshort\n${"W".repeat(9_000)}\n${"漢".repeat(9_000)}\nlast`,
    );
  });

  it("more than 255 different characters in one line", async () => {
    await expectRead(Array.from({ length: 700 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(""));
  });

  // What pdf.js treats in ways of its own is tested above, by itself.
  const word = fc
    .string({ unit: "binary", minLength: 1, maxLength: 12 })
    .filter((text) => !/[\s\p{Mn}\p{Cf}\p{Cs}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u.test(text));
  const line = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));

  slowProperty("any words", () =>
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), async (lines) => {
      await expectRead(lines.join("\n"));
    }),
  );
});
