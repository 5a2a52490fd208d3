import type { Font, PdfDocument } from "pdfmake/js/PDFDocument.js";
import { hasRightToLeft, layoutInOrder, withoutDirectionMarks } from "./right-to-left.ts";

/** The characters that a font lacks, but that can be replaced without a change of the meaning. */
const replacements: readonly (readonly [RegExp, string])[] = [
  // Spaces, and line breaks within a line.
  [/[\p{Zs}\t\n\v\f\r\u0085\u2028\u2029]/u, " "],
  // Hyphens and the minus sign.
  [/[\u2010\u2011\u2212]/, "-"],
];

/** Joiners change the glyphs of their neighbors. fontkit hides them, but only if the font has them. */
const joiner = /\p{Join_Control}/u;

/** fontkit looks up a variation selector together with the character before it. */
const variation = /\p{Variation_Selector}/u;

/** Characters without a glyph that do not change others: soft hyphens, byte order marks, invisible separators. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;

/** Characters that can be printed alone. */
const printable = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The maximum number of characters in a warning. */
const maxNamed = 10;

/**
 * Lets each font of a document draw text from right to left, and replace or omit harmless characters that it lacks. Others become
 * empty boxes.
 *
 * @param prototype - the prototype of all documents in this thread
 * @returns the warning about the characters that the fonts of a document lack, if any
 */
export function adaptFonts(prototype: PdfDocument): (document: PdfDocument) => string[] {
  const { font: openFont } = prototype;
  const missing = new WeakMap<PdfDocument, Set<string>>();
  const adapted = new WeakSet<Font>();
  // Called for fonts of the definition and of SVG images.
  prototype.font = function (...source) {
    const document = openFont.apply(this, source);
    const ofDocument = missing.get(this) ?? new Set<string>();
    missing.set(this, ofDocument);
    if (!adapted.has(this._font)) {
      adapted.add(this._font);
      adapt(this._font, ofDocument);
    }
    return document;
  };
  return (document) => describeMissing(missing.get(document) ?? new Set());
}

function adapt(font: Font, missing: Set<string>): void {
  const { encode, layout } = font;
  const characters = new FontCharacters(font);
  font.encode = function (text, ...more) {
    for (const character of characters.missingIn(characters.shown(text))) missing.add(character);
    return encode.call(this, text, ...more);
  };
  font.layout = function (text, features, isOnlyWidth) {
    const shown = characters.shown(text);
    return hasRightToLeft(shown)
      ? layoutInOrder(this, shown, features)
      : layout.call(this, withoutDirectionMarks(shown), features, isOnlyWidth);
  };
}

class FontCharacters {
  readonly #font: Font["font"];
  /** What the font shows for each character; `undefined` if the font lacks it. */
  readonly #known = new Map<string, string | undefined>();

  constructor({ font }: Font) {
    this.#font = font;
  }

  /** Replaces or omits characters that the font lacks. */
  shown(text: string): string {
    const shown = this.#replaced(text);
    const missing = this.missingIn(shown).length;
    if (missing === 0) return shown;
    // A font may have é, but not the accent alone.
    const composed = this.#replaced(text.normalize("NFC"));
    return this.missingIn(composed).length < missing ? composed : shown;
  }

  missingIn(text: string): string[] {
    return [...text].filter((character) => this.#show(character) === undefined);
  }

  #replaced(text: string): string {
    let shown = "";
    for (const character of text) shown += this.#show(character) ?? character;
    return shown;
  }

  #show(character: string): string | undefined {
    if (!this.#known.has(character)) this.#known.set(character, this.#find(character));
    return this.#known.get(character);
  }

  #find(character: string): string | undefined {
    if (variation.test(character) || withoutDirectionMarks(character) === "") return character;
    if (invisible.test(character) && !(joiner.test(character) && this.#has(character))) return "";
    if (this.#has(character)) return character;
    return replacements.find(([pattern, to]) => pattern.test(character) && this.#has(to))?.[1];
  }

  #has(character: string): boolean {
    // Some fonts have a blank glyph for a control character, which is a sign of damaged data.
    return !/\p{Cc}/u.test(character) && this.#font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
  }
}

function describeMissing(missing: ReadonlySet<string>): string[] {
  if (missing.size === 0) return [];
  // Sorted, so that they do not spell a value.
  const named = [...missing].sort().map(nameOf);
  const more = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : "";
  return [
    `its fonts lack ${named.slice(0, maxNamed).join(", ")}${more}, so empty boxes are shown. Use another font (see --fonts)`,
  ];
}

function nameOf(character: string): string {
  const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
  return printable.test(character) ? `${character} (${code})` : code;
}
