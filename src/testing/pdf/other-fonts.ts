import type { Glyph } from "./glyphs.ts";
import type { PdfObjects } from "./pdf-objects.ts";

/** How many glyphs one font has: their numbers are one byte, and 0 is left out. */
const fontSize = 255;

/**
 * Fonts for lines that the standard font cannot show: their glyphs are drawn by the document itself, so that nothing
 * needs to be embedded and every reader shows the same; which text each stands for is written beside them.
 *
 * @see ISO 32000-1, 9.6.5 (Type 3 fonts) and 9.10.3 (ToUnicode)
 */
export class OtherFonts {
  readonly #fonts: Map<string, { readonly glyph: Glyph; readonly code: number }>[] = [];

  /** Takes as many glyphs as fit into one font, and says which font that is and how its bytes are written. */
  take(glyphs: readonly Glyph[]): { font: number; hex: string } {
    const distinct = new Set(glyphs.map(({ text }) => text));
    const last = this.#fonts.at(-1);
    const missing = last ? [...distinct].filter((text) => !last.has(text)).length : distinct.size;
    const font =
      last && last.size + missing <= fontSize ? last : new Map<string, { glyph: Glyph; code: number }>();
    if (font !== last) this.#fonts.push(font);
    let hex = "";
    for (const glyph of glyphs) {
      const entry = font.get(glyph.text) ?? { glyph, code: font.size + 1 };
      font.set(glyph.text, entry);
      hex += twoDigits(entry.code);
    }
    return { font: this.#fonts.length - 1, hex };
  }

  /** Writes them, and says under which number each can be found. */
  write(objects: PdfObjects, standardFont: number | undefined): number[] {
    const resources = standardFont === undefined ? "" : `/Font << /F ${standardFont} 0 R >>`;
    const looks = new Map<string, number>();
    return this.#fonts.map((font) => {
      const glyphs = [...font.values()].map(({ glyph }) => glyph);
      const names = glyphs.map((glyph) => nameOf(glyph));
      for (const [index, glyph] of glyphs.entries()) {
        const name = names[index] as string;
        if (!looks.has(name)) looks.set(name, objects.addStream(procedureOf(glyph)));
      }
      const procedures = [...new Set(names)].map((name) => `/${name} ${looks.get(name)} 0 R`);
      const toUnicode = objects.addStream(unicodeMap(glyphs));
      return objects.add(
        `<< /Type /Font /Subtype /Type3 /FontBBox [0 -250 1200 1000] /FontMatrix [0.001 0 0 0.001 0 0]
/FirstChar 1 /LastChar ${glyphs.length} /Widths [${glyphs.map(({ width }) => width).join(" ")}]
/Encoding << /Type /Encoding /Differences [1 ${names.map((name) => `/${name}`).join(" ")}] >>
/CharProcs << ${procedures.join(" ")} >>
/Resources << ${resources} >> /ToUnicode ${toUnicode} 0 R >>`,
      );
    });
  }
}

/** Splits glyphs so that each part fits into one font. */
export function partsForFonts(glyphs: readonly Glyph[]): Glyph[][] {
  const parts: Glyph[][] = [];
  let seen = new Set<string>();
  for (const glyph of glyphs) {
    seen.add(glyph.text);
    if (parts.length === 0 || seen.size > fontSize) {
      parts.push([]);
      seen = new Set([glyph.text]);
    }
    parts.at(-1)?.push(glyph);
  }
  return parts;
}

function nameOf({ look, width }: Glyph): string {
  return typeof look === "number" ? `c${twoDigits(look)}` : `${look}${width}`;
}

function procedureOf({ look, width }: Glyph): string {
  const start = `${width} 0 d0`;
  if (look === "blank") return start;
  if (look === "box") return `${start} 30 w 60 0 ${width - 120} 700 re S`;
  return `${start} BT /F 1000 Tf <${twoDigits(look)}> Tj ET`;
}

function unicodeMap(glyphs: readonly Glyph[]): string {
  const lines = glyphs.map(({ text }, index) => `<${twoDigits(index + 1)}> <${utf16(text)}>`);
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at += 100) {
    const block = lines.slice(at, at + 100);
    blocks.push(`${block.length} beginbfchar\n${block.join("\n")}\nendbfchar\n`);
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<00> <ff>
endcodespacerange
${blocks.join("")}endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}

function twoDigits(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

function utf16(text: string): string {
  return Array.from({ length: text.length }, (_, at) =>
    text.charCodeAt(at).toString(16).padStart(4, "0"),
  ).join("");
}
