import { glyphsOf } from "./glyphs.ts";
import { type OtherFonts, partsForFonts } from "./other-fonts.ts";
import { type Run, runsOf } from "./runs.ts";
import type { StandardFont } from "./standard-font.ts";
import { codeOf, widthOf } from "./win-ansi.ts";

/** The fonts of a document, which learn what is drawn in them. */
export interface Fonts {
  readonly standard: StandardFont;
  readonly others: OtherFonts;
}

/** One row of a page: a line of the text, or a part of one that is too long for a row. */
export interface Row {
  /** The operators that draw it and go on to the next row. */
  readonly operators: string;
  /** Which of the other fonts it needs. */
  readonly fonts: readonly number[];
  readonly characters: number;
  /** How wide it is, in points. */
  readonly width: number;
}

/** The distance from one row to the next, in points. */
export const leading = 14;

const usualSize = 12;
const smallestUsualSize = 6;
/** Between the margins of a page of A4, in points. */
export const usualWidth = 515;
/** Between the margins of the widest page that every reader takes: 14,400 points, ISO 32000-1, annex C.2. */
const largestWidth = 14_320;

/** Poppler leaves out tiny characters where a page has more than 50,000 of them. */
export const mostCharacters = 40_000;

/**
 * Makes rows of a text. A line is one row: a reader gives a line back where there is a row. So a line that is too
 * long for the page is drawn smaller, then on a wider page.
 */
export function* rowsOf(text: string, fonts: Fonts): Generator<Row> {
  if (text === "") return;
  for (const line of text.replace(/\p{Surrogate}/gu, "\ufffd").split(/\r\n?|\n/)) {
    const parts = partsOf(line);
    for (const [index, part] of parts.entries()) yield rowOf(part, index === parts.length - 1, fonts);
  }
}

function partsOf(line: string): string[] {
  if (line.length <= mostCharacters) return [line];
  const parts: string[] = [];
  let at = 0;
  while (at < line.length) {
    let end = at + mostCharacters;
    // Not between the halves of a character.
    if (/[\udc00-\udfff]/.test(line[end] ?? "")) end -= 1;
    parts.push(line.slice(at, end));
    at = end;
  }
  return parts;
}

function rowOf(part: string, endsLine: boolean, fonts: Fonts): Row {
  // The reader of ours tells by this whether the line goes on; for others it is the same.
  const next = endsLine ? "T*" : `0 -${leading} Td`;
  const codes = codesOf(part);
  if (codes) {
    fonts.standard.use(codes);
    const width = codes.reduce((sum, code) => sum + widthOf(code), 0);
    const size = sizeFor(width);
    const shown = part === "" ? "" : `/F ${size} Tf (${literal(codes)}) Tj `;
    return { operators: shown + next, fonts: [], characters: part.length, width: pointsOf(width, size) };
  }
  const runs = runsOf(part).map(({ direction, shown }) => ({ direction, glyphs: glyphsOf(shown) }));
  const glyphs = runs.flatMap((run) => run.glyphs);
  fonts.standard.use(glyphs.flatMap(({ look }) => (typeof look === "number" ? [look] : [])));
  const width = glyphs.reduce((sum, glyph) => sum + glyph.width, 0);
  const size = sizeFor(width);
  // All of them at once, where one font is enough: a reader then finds one run of text.
  if (partsForFonts(glyphs).length === 1) fonts.others.take(glyphs);
  const used = new Set<number>();
  let operators = "";
  let count = 0;
  for (const run of runs) {
    for (const shown of partsForFonts(run.glyphs)) {
      const { font, hex } = fonts.others.take(shown);
      used.add(font);
      operators += `/${nameOf(run.direction, count)}${font} ${size} Tf <${hex}> Tj `;
      count += 1;
    }
  }
  return {
    operators: operators + next,
    fonts: [...used],
    characters: part.length,
    width: pointsOf(width, size),
  };
}

/**
 * The name of a font tells our reader the direction. Others end a run of text where the name changes, so it does, as
 * each run is to be turned round by itself.
 */
function nameOf(direction: Run["direction"], count: number): string {
  const [even, odd] = direction === "left" ? (["R", "S"] as const) : (["T", "U"] as const);
  return count % 2 === 0 ? even : odd;
}

function codesOf(text: string): number[] | undefined {
  const codes: number[] = [];
  for (const character of text) {
    const code = codeOf(character);
    if (code === undefined) return undefined;
    codes.push(code);
  }
  return codes;
}

function literal(codes: readonly number[]): string {
  let text = "";
  for (const code of codes)
    text +=
      code === 0x28 || code === 0x29 || code === 0x5c
        ? `\\${String.fromCharCode(code)}`
        : String.fromCharCode(code);
  return text;
}

/** The size of the font, for a width in thousandths of it. */
function sizeFor(width: number): number {
  const fits = (available: number) => Math.floor((available / width) * 1e7) / 1e4;
  if (pointsOf(width, usualSize) <= usualWidth) return usualSize;
  return Math.min(Math.max(smallestUsualSize, fits(usualWidth)), fits(largestWidth));
}

function pointsOf(width: number, size: number): number {
  return (width * size) / 1000;
}
