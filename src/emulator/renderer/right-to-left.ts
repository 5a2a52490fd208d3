import createBidi from "bidi-js";
import type { Font, GlyphRun } from "pdfmake/js/PDFDocument.js";

const bidi = createBidi();

/** Characters of scripts that are written from right to left, and marks that change the direction. */
const rightToLeft =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Characters that only set the direction (Unicode property Bidi_Control). */
const directionMarks = /\p{Bidi_Control}/gu;

/** A mark that determines the direction of the paragraph, and an override for its characters. */
const leftToRightOverride = "\u200e\u202d";
const rightToLeftOverride = "\u200f\u202e";

/** Whether a text has to be ordered before it is drawn. */
export function hasRightToLeft(text: string): boolean {
  return rightToLeft.test(text);
}

/** A paragraph and the direction of each of its characters (Unicode Standard Annex 9). */
export interface Paragraph {
  readonly text: string;
  /** An odd level means right-to-left. */
  readonly levels: Uint8Array;
  readonly isRightToLeft: boolean;
}

/** bidi-js takes quadratic time, for example for isolates, so longer paragraphs are divided. */
const maxPartLength = 4_096;

/** A part of a paragraph in one direction. `end` is exclusive. */
export interface DirectedRun {
  readonly start: number;
  readonly end: number;
  readonly isRightToLeft: boolean;
}

/** The first letter determines the direction of the paragraph, as in the rules P2 and P3. */
export function toParagraph(text: string): Paragraph {
  const plain = withoutSurrogates(text);
  const levels = new Uint8Array(text.length);
  let direction: "auto" | "rtl" | "ltr" = "auto";
  for (let start = 0; start < text.length; start += maxPartLength) {
    const part = bidi.getEmbeddingLevels(plain.slice(start, start + maxPartLength), direction);
    levels.set(part.levels, start);
    if (start === 0) direction = isOdd(part.paragraphs[0]?.level) ? "rtl" : "ltr";
  }
  return { text, levels, isRightToLeft: direction === "rtl" };
}

/** Returns the runs of one line of a paragraph from left to right. `end` is exclusive. */
export function visualRuns(paragraph: Paragraph, start: number, end: number): DirectedRun[] {
  const text = paragraph.text.slice(start, end);
  const levels = paragraph.levels.slice(start, end);
  const line = { start: 0, end: text.length - 1, level: paragraph.isRightToLeft ? 1 : 0 };
  const runs: DirectedRun[] = [];
  let run: { start: number; end: number; isRightToLeft: boolean } | undefined;
  for (const indexInLine of bidi.getReorderedIndices(text, { levels, paragraphs: [line] })) {
    const index = start + indexInLine;
    const isRightToLeft = isOdd(levels[indexInLine]);
    const isNext =
      run?.isRightToLeft === isRightToLeft && index === (isRightToLeft ? run.start - 1 : run.end);
    if (run === undefined || !isNext) {
      run = { start: index, end: index + 1, isRightToLeft };
      runs.push(run);
    } else if (isRightToLeft) run.start = index;
    else run.end = index + 1;
  }
  return runs;
}

/** Removes the characters that only set the direction, and have no glyph. */
export function withoutDirectionMarks(text: string): string {
  return text.replace(directionMarks, "");
}

/** Marks a text so that `layoutInOrder` draws all of it in one direction. */
export function withDirection(text: string, isRightToLeft: boolean): string {
  const plain = withoutDirectionMarks(text);
  if (isRightToLeft) return rightToLeftOverride + plain;
  return hasRightToLeft(plain) ? leftToRightOverride + plain : plain;
}

/**
 * Lays out a text with right-to-left parts as one line.
 *
 * pdfkit (0.19) keeps the order of words, and fontkit (2.0) reverses a whole word, with its digits, if its first letter is
 * right-to-left. Neither mirrors brackets.
 */
export function layoutInOrder({ font, scale }: Font, text: string, features: unknown): GlyphRun {
  const glyphs: GlyphRun["glyphs"] = [];
  const positions: GlyphRun["positions"] = [];
  let advanceWidth = 0;
  for (const { start, end, isRightToLeft } of visualRuns(toParagraph(text), 0, text.length)) {
    const part = text.slice(start, end);
    const shown = withoutDirectionMarks(isRightToLeft ? mirrored(part) : part);
    const run = font.layout(
      shown,
      features ?? undefined,
      undefined,
      undefined,
      isRightToLeft ? "rtl" : "ltr",
    );
    for (const [index, glyph] of run.glyphs.entries()) {
      const { xAdvance = 0, yAdvance = 0, xOffset = 0, yOffset = 0 } = run.positions[index] ?? {};
      glyphs.push(glyph);
      positions.push({
        ...{ xAdvance: xAdvance * scale, yAdvance: yAdvance * scale },
        ...{ xOffset: xOffset * scale, yOffset: yOffset * scale },
        advanceWidth: glyph.advanceWidth * scale,
      });
      advanceWidth += xAdvance * scale;
    }
  }
  return { glyphs, positions, advanceWidth };
}

/** Replaces brackets and similar characters by their mirror images (rule L4). */
function mirrored(text: string): string {
  return [...text].map((character) => bidi.getMirroredCharacter(character) ?? character).join("");
}

/** bidi-js (1.1) takes each surrogate for a letter that is written from left to right. */
function withoutSurrogates(text: string): string {
  return text.replace(/[\u{10000}-\u{10ffff}]/gu, (character) => {
    if (hasRightToLeft(character)) return "\u05d0\u05d0";
    if (/\p{M}/u.test(character)) return "\u0300\u0300";
    return /[\p{L}\p{N}]/u.test(character) ? character : "\u2022\u2022";
  });
}

function isOdd(level = 0): boolean {
  return level % 2 === 1;
}
