import type { Font, PdfDocument } from "pdfmake/js/PDFDocument.js";

/** Visible characters; others need no glyph. */
const isVisible = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/**
 * Collects the characters that the fonts of a document lack, which become empty boxes.
 *
 * @param prototype - the prototype of all documents in this thread
 * @returns the characters for each document
 */
export function collectMissingCharacters(prototype: PdfDocument): WeakMap<PdfDocument, ReadonlySet<string>> {
  const { provideFont } = prototype;
  const found = new WeakMap<PdfDocument, Set<string>>();
  const watched = new WeakSet<Font>();

  prototype.provideFont = function (...style) {
    const font = provideFont.apply(this, style);
    const missing = found.get(this) ?? new Set<string>();
    found.set(this, missing);
    if (!watched.has(font)) {
      watched.add(font);
      watch(font, missing);
    }
    return font;
  };
  return found;
}

function watch(font: Font, missing: Set<string>): void {
  const { encode } = font;
  const checked = new Set<string>();
  font.encode = function (text, ...more) {
    for (const character of text) {
      if (checked.has(character)) continue;
      checked.add(character);
      const codePoint = character.codePointAt(0) ?? 0;
      if (isVisible.test(character) && !font.font?.hasGlyphForCodePoint(codePoint)) missing.add(character);
    }
    return encode.call(this, text, ...more);
  };
}

/** The maximum number of characters in a warning. */
const maxNamed = 10;

export function describeMissing(missing: ReadonlySet<string>): string[] {
  if (missing.size === 0) return [];
  // Sorted, so that they do not spell a value.
  const named = [...missing].sort().map(nameOf);
  const more = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : "";
  return [
    `its fonts lack ${named.slice(0, maxNamed).join(", ")}${more}, so empty boxes are shown. Use another font (see --fonts)`,
  ];
}

function nameOf(character: string): string {
  return `${character} (U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")})`;
}
