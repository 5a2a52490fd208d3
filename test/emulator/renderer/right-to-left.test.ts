import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toParagraph, visualRuns } from "../../../src/emulator/renderer/right-to-left.ts";
import { property } from "../../support/fuzz.ts";
import { readVisualLines } from "../../support/pdf-text.ts";
import { render } from "../../support/render-pdf.ts";

/** The lines of a document as they look. */
async function drawn(content: unknown, definition: object = {}) {
  const defaultStyle = { font: "DejaVuSans", fontSize: 10 };
  const { bytes, warnings } = await render({ content, defaultStyle, ...definition });
  expect(warnings).toEqual([]);
  return readVisualLines(bytes);
}

/** The texts of the lines, from left to right. */
async function linesOf(content: unknown, definition: object = {}): Promise<string[]> {
  return (await drawn(content, definition)).map(({ text }) => text.replace(/ +/g, " ").trim());
}

const reversed = (text: string) => [...text].reverse().join("");

describe("the renderer draws", () => {
  it.each<[string, unknown, string]>([
    ["Hebrew words from right to left", "שלום עולם", reversed("שלום עולם")],
    [
      "numbers in Hebrew from left to right",
      "סך 1,234.50 שקל",
      `${reversed("שקל")} 1,234.50 ${reversed("סך")}`,
    ],
    ["a number next to a letter", "ב2026", `2026${reversed("ב")}`],
    ["a date in Hebrew", "עד 20/11/2026.", `.20/11/2026 ${reversed("עד")}`],
    ["brackets mirrored", "ספר (עותק) [12]", `[12] (${reversed("עותק")}) ${reversed("ספר")}`],
    ["comparisons mirrored", "א < ב", `${"ב"} > ${"א"}`],
    ["Latin words in Hebrew", "חברת ACME Ltd. כאן", `${reversed("כאן")} .ACME Ltd ${reversed("חברת")}`],
    ["Hebrew words in Latin text", "To שלום עולם (Israel) 12", `To ${reversed("שלום עולם")} (Israel) 12`],
    ["a hyphen between scripts", "ל-ACME", `ACME-${"ל"}`],
    ["punctuation that is a word", "שתיים - 2", `2 - ${reversed("שתיים")}`],
    ["Arabic-Indic digits in Arabic", "من ١٢/٣/٢٠٢٦.", `.١٢/٣/٢٠٢٦ ${reversed("من")}`],
    ["Persian digits alone", "۱۲۳۴", "۱۲۳۴"],
    ["marks that are explicit", "\u202eabc\u202c \u2067x (1)\u2069", "cba x (1)"],
    ["an amount of Intl with marks", "\u200f\u200e-1.50\u00a0\u200f₪".replace("₪", "£"), "£\u00a0-1.50"],
    [
      "one text in several styles",
      ["שלום ", { text: "עולם abc [12]", bold: false, color: "red" }, " סוף"],
      `${reversed("סוף")} abc [12] ${reversed("עולם")} ${reversed("שלום")}`,
    ],
    ["each paragraph in its own direction", "שלום a\nabc ב", `a ${reversed("שלום")}`],
  ])("%s", async (_, text, expected) => {
    expect((await linesOf({ text }))[0]).toBe(expected);
  });

  it("each line of a paragraph in the direction of the paragraph", async () => {
    const text = "אאאא בבבב abcd and (1) גגגג דדדד abcd. הההה";
    const lines = await linesOf({ columns: [{ width: 70, text }] });
    expect(lines).toEqual(["בבבב אאאא", "abcd and (1)", "דדדד גגגג", "הההה .abcd"]);
  });

  it.each(["אאאא בבבב abcd and (1) גגגג דדדד abcd. הההה", "אאאא בבבב גגגג דדדד הההה וווו זזזז"])(
    "justified and right-aligned lines between the margins: %s",
    async (text) => {
      const width = 100;
      const [justified, ...others] = await drawn({ columns: [{ width, text, alignment: "justify" }] });
      expect(justified?.end).toBeCloseTo(40 + width, 0);
      expect(others.length).toBeGreaterThan(0);
      for (const { end } of await drawn({ columns: [{ width, text, alignment: "right" }] }))
        expect(end).toBeCloseTo(40 + width, 0);
    },
  );

  it("a word that is wider than its line in parts", async () => {
    const word = "אבגדהוזחטיכלמנסעפצקרשת";
    const lines = await drawn({ columns: [{ width: 50, text: `${word} ${word}` }] });
    expect(lines.map(({ text }) => reversed(text).trim()).join("")).toBe(word + word);
    for (const { text, start } of lines) if (!text.startsWith(" ")) expect(start).toBe(40);
  });

  it("watermarks and texts of SVG images in order", async () => {
    const svg =
      '<svg viewBox="0 0 300 30" width="300"><text y="20" font-family="DejaVuSans">שלום עולם (12)</text></svg>';
    const watermark = { text: "טיוטה מספר 12", font: "DejaVuSans", angle: 0, fontSize: 20 };
    const shown = (await linesOf({ svg }, { watermark })).join("\n");
    expect(shown).toContain(`(12) ${reversed("שלום עולם")}`);
    expect(shown).toContain(`12 ${reversed("טיוטה מספר")}`);
  });

  it("Arabic letters joined, also if a number follows", async () => {
    const { bytes } = await render({ content: { text: "ببب12 لا", font: "DejaVuSans" }, compress: false });
    const toUnicode = Buffer.from(bytes).toString("latin1");
    // One glyph for the initial, the medial and the final form, and a ligature.
    expect(toUnicode.match(/<0628>/g)).toHaveLength(3);
    expect(toUnicode).toContain("<0644 0627>");
  });
});

describe("visualRuns()", () => {
  const characters = "אבش١1۲a (.[😀\u0301\u{1e900}\u200f\u202e\u202c\u2067\u2069-%,";
  const texts = fc.array(fc.constantFrom(...characters), { maxLength: 30 }).map((list) => list.join(""));

  property("visualRuns() returns each character of a line once", () =>
    fc.property(texts, fc.nat(30), fc.nat(30), (text, one, other) => {
      const start = Math.min(one, other, text.length);
      const end = Math.min(Math.max(one, other), text.length);
      if (start === end) return;
      const found = visualRuns(toParagraph(text), start, end).flatMap((run) =>
        Array.from({ length: run.end - run.start }, (_, index) => run.start + index),
      );
      const all = Array.from({ length: end - start }, (_, index) => start + index);
      expect(found.sort((a, b) => a - b)).toEqual(all);
    }),
  );

  it("takes linear time", () => {
    for (const text of ["א\u2067א\u2069", "א1-1-1-1-", "א\u2068"]) {
      const { levels } = toParagraph(text.repeat(100_000 / text.length));
      expect(levels.length).toBeGreaterThan(99_000);
    }
  });

  it.each([
    ["an emoji between Hebrew letters", "א😀ב"],
    ["right-to-left letters that are surrogate pairs", "\u{1e900}\u{1e901}"],
  ])("treats %s as right-to-left", (_, text) => {
    expect(visualRuns(toParagraph(text), 0, text.length)).toEqual([
      { start: 0, end: text.length, isRightToLeft: true },
    ]);
  });
});
