import { describe, expect, it } from "vitest";
import { readVisualLines } from "../../support/pdf-text.ts";
import { render } from "../../support/render-pdf.ts";

const linesOf = async (text: string, { width = 500, font = "Roboto" } = {}) => {
  const { bytes, warnings } = await render({ content: { columns: [{ width, text, font }] } });
  const lines = await readVisualLines(bytes);
  return { warnings, lines: lines.map((line) => line.text.replace(/ +/g, " ").trim()) };
};

describe("a character that the font lacks", () => {
  it.each<[string, string, string, string?]>([
    ["a narrow no-break space, which Intl puts into amounts", "1\u202f000", "1 000"],
    ["other spaces", "a\u2009b\u2007c\u3000d\u205fe", "a b c d e"],
    ["a byte order mark", "\ufeffInvoice", "Invoice"],
    ["a word joiner and a zero-width space", "a\u2060b\u200bc", "abc"],
    ["marks of a direction", "\u200e12\u200f \u2066x\u2069 \u061c", "12 x"],
    ["joiners and variation selectors", "a\u200db\u200cc £\ufe0f", "abc £\ufe0f", "Roboto"],
    ["invisible letters and tags", "a\u115f\u3164\uffa0\u{e0041}b", "ab"],
    ["a soft hyphen", "thank\u00adful", "thankful"],
    ["a non-breaking hyphen and a minus sign", "A\u20114 = \u22121", "A-4 = -1"],
    ["tabs and form feeds", "a\u000bb", "a"],
    ["an accent that can be composed", "Cafe\u0301", "Café"],
  ])("is replaced or omitted if it is harmless: %s", async (_, text, expected, font = "DejaVuSans") => {
    const { lines, warnings } = await linesOf(text, { font });
    expect(warnings).toEqual([]);
    expect(lines[0]).toBe(expected);
  });

  it.each<[string, string, string]>([
    ["a control character", "a\u0007", "U+0007"],
    ["a control character with a blank glyph", "a\u0000", "U+0000"],
    ["a control character that was € before it was decoded", "\u0080 100", "U+0080"],
    ["a character for private use", "\ue000", "U+E000"],
    ["half of a surrogate pair", "a\ud83d", "U+D83D"],
    ["a code point without a character", "\ufffe", "U+FFFE"],
    ["a letter", "中", "中 (U+4E2D)"],
    ["a Hebrew letter", "א", "א (U+05D0)"],
    ["an accent that cannot be composed", "x\u0359", "U+0359"],
    ["an emoji of several characters", "\u{1f469}\u200d\u{1f4bb}", "👩 (U+1F469), 💻 (U+1F4BB)"],
  ])("is named if it becomes an empty box: %s", async (_, text, named) => {
    const { warnings } = await linesOf(text);
    expect(warnings).toEqual([
      `its fonts lack ${named}, so empty boxes are shown. Use another font (see --fonts)`,
    ]);
  });

  it("is named in headers, watermarks and SVG images", async () => {
    const svg = '<svg width="99" height="30"><text y="20">\u2776</text></svg>';
    const { warnings } = await render({ content: { svg }, header: "\u2777", watermark: "\u2778" });
    expect(warnings).toEqual([
      expect.stringContaining("its fonts lack ❶ (U+2776), ❷ (U+2777), ❸ (U+2778), so"),
    ]);
  });
});

it("a soft hyphen is shown at the end of a line, within its width", async () => {
  expect((await linesOf("inter\u00adnational trade", { width: 60 })).lines).toEqual([
    "inter-",
    "national",
    "trade",
  ]);
});
