import { streamOf } from "./write-pdf.ts";

/** The characters of WinAnsi at 128 to 159, where Latin-1 has control characters. A space means none. */
const insteadOfControls = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/** The width of every character, in thousandths of the size. */
const advance = 600;

/**
 * The fonts of a document: one for Latin letters, which readers replace with a similar one, and fonts of boxes. Each of these
 * covers 256 consecutive characters, so that its Unicode map is one line.
 *
 * @see ISO 32000-1, 9.6.5 (Type 3 fonts), 9.10.3 (ToUnicode) and annex D.2 (WinAnsiEncoding)
 */
export class Fonts {
  #hasLatin = false;
  /** The number of the first character of each font of boxes. */
  readonly #blocks = new Set<number>();

  /** Returns the operators that show a line. */
  show(line: string, size: number): string {
    let operators = "";
    let shown = "";
    let current: number | undefined;
    const flush = () => {
      if (shown === "") return;
      const text = current === undefined ? `(${shown.replace(/[\\()]/g, "\\$&")})` : `<${shown}>`;
      operators += `/${nameOf(current)} ${size} Tf ${text} Tj `;
      shown = "";
    };
    for (const character of line.replace(/\s/g, " ")) {
      const latin = latinCodeOf(character);
      const code = character.codePointAt(0) as number;
      const block = latin === undefined ? code - (code % 256) : undefined;
      if (block !== current) flush();
      current = block;
      if (block !== undefined) this.#blocks.add(block);
      else this.#hasLatin = true;
      shown += latin === undefined ? hex(code % 256, 2) : String.fromCharCode(latin);
    }
    flush();
    return operators;
  }

  /** Adds the fonts to a document. Returns their entry for its resources. */
  addTo(objects: string[]): string {
    const names: string[] = [];
    if (this.#hasLatin) {
      // Not named Courier, because pdf.js would request a font file and warn without one.
      const descriptor = objects.push(
        `<< /Type /FontDescriptor /FontName /Cousine /Flags 33 /FontBBox [0 -300 ${advance} 1000] /ItalicAngle 0 /Ascent 833 /Descent -300 /CapHeight 660 /StemV 80 /MissingWidth ${advance} >>`,
      );
      const font = objects.push(
        `<< /Type /Font /Subtype /TrueType /BaseFont /Cousine /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 32 /Widths [${advance}] /FontDescriptor ${descriptor} 0 R >>`,
      );
      names.push(`/${nameOf(undefined)} ${font} 0 R`);
    }
    if (this.#blocks.size > 0) {
      const box = objects.push(streamOf(`${advance} 0 d0 30 w 60 0 ${advance - 120} 700 re S`));
      const widths = objects.push(`[${repeated(String(advance), 256)}]`);
      const encoding = objects.push(`<< /Type /Encoding /Differences [0 ${repeated("/box", 256)}] >>`);
      for (const block of this.#blocks) {
        const map = objects.push(streamOf(unicodeMap(block)));
        const font = objects.push(
          `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 ${advance} 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 0 /LastChar 255 /Widths ${widths} 0 R /Encoding ${encoding} 0 R /CharProcs << /box ${box} 0 R >> /Resources << >> /ToUnicode ${map} 0 R >>`,
        );
        names.push(`/${nameOf(block)} ${font} 0 R`);
      }
    }
    return names.length === 0 ? "" : `/Font << ${names.join(" ")} >>`;
  }
}

/** The number of a character in the font for Latin letters; `undefined` if the font does not contain it. */
function latinCodeOf(character: string): number | undefined {
  // The hyphen of WinAnsi has the number of the soft hyphen in Latin-1, and readers would return the wrong one.
  if (/[ -~\xa0-\xac\xae-\xff]/.test(character)) return character.charCodeAt(0);
  const index = insteadOfControls.indexOf(character);
  return index === -1 ? undefined : 0x80 + index;
}

function nameOf(block: number | undefined): string {
  return block === undefined ? "F" : `B${hex(block, 4)}`;
}

function unicodeMap(block: number): string {
  const first = String.fromCodePoint(block);
  const units = Array.from({ length: first.length }, (_, at) => hex(first.charCodeAt(at), 4)).join("");
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<00> <ff>
endcodespacerange
1 beginbfrange
<00> <ff> <${units}>
endbfrange
endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}

function repeated(text: string, times: number): string {
  return Array.from({ length: times }, () => text).join(" ");
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
