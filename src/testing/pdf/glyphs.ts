import { codeOf, widthOf } from "./win-ansi.ts";

/** What is drawn at one place of a line that has more than the standard font can show. */
export interface Glyph {
  /** What a reader gets for it. */
  readonly text: string;
  /** In thousandths of the size of the font. */
  readonly width: number;
  /** What is seen: a character of the standard font by its number, nothing, or a box in place of the character. */
  readonly look: number | "blank" | "box";
}

// pdf.js leaves out an invisible format mark, such as the joiner in an emoji of several people, unless more stands
// behind it in the same glyph. Those of scripts from right to left would turn what stands behind them round.
const units = /(?:(?![\u061c\u070f\u0890\u0891\ufeff])\p{Cf}){0,15}./gsu;

const mark = /^\p{Mn}$/u;
const invisible = /^(?:\p{Cc}|\p{Cf}+|\s)$/u;
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{3ffff}]/u;

/** Takes a text apart into what is drawn, from left to right. */
export function glyphsOf(shown: string): Glyph[] {
  return (shown.match(units) ?? []).map((text) => {
    const character = text.replace(/^\p{Cf}+(?=.)/su, "");
    const code = codeOf(character);
    const isMark = mark.test(character);
    return {
      text,
      width: code === undefined ? widthOfOther(character, isMark) : widthOf(code),
      look: code ?? (isMark || invisible.test(character) ? "blank" : "box"),
    };
  });
}

function widthOfOther(character: string, isMark: boolean): number {
  if (isMark) return 0;
  if (character === "\t") return 1112;
  return wide.test(character) ? 1000 : 600;
}
