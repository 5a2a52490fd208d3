/**
 * The characters that the standard font has, as a PDF numbers them, and how wide each is.
 *
 * @see ISO 32000-1, annex D.2 (WinAnsiEncoding), and Adobe's metrics of the 14 standard fonts
 */

/** What WinAnsi has at 128 to 159, where Latin-1 has control characters. A space stands for nothing. */
const insteadOfControls = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/** WinAnsi's hyphen: its number is a soft hyphen's in Latin-1, and a reader would give the wrong one back. */
const softHyphen = 0xad;

const isShown = (code: number) =>
  (code >= 0x20 && code <= 0x7e) ||
  (code >= 0x80 && code <= 0x9f && insteadOfControls[code - 0x80] !== " ") ||
  (code >= 0xa0 && code <= 0xff && code !== softHyphen);

/** The character of each number; where the font has none, the one that Latin-1 has there. */
const characters: readonly string[] = Array.from({ length: 256 }, (_, code) =>
  isShown(code) && code >= 0x80 && code <= 0x9f
    ? (insteadOfControls[code - 0x80] as string)
    : String.fromCharCode(code),
);

const codes: ReadonlyMap<string, number> = new Map(
  characters.flatMap((character, code) => (isShown(code) ? [[character, code] as const] : [])),
);

// From 32 on, and from 128 on: a thousandth of the size of the font each.
const lowWidths = `
  278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584
  584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278
  278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500
  500 334 260 334 584`;
const highWidths = `
  556 0 222 556 333 1000 556 556 333 1000 667 333 1000 0 611 0 0 222 222 333 333 350 556 1000 333 1000 500 333 944 0 500
  667 278 333 556 556 556 556 260 556 333 737 370 556 584 0 737 333 400 584 333 333 333 556 537 278 333 333 365 556 834 834
  834 611 667 667 667 667 667 667 1000 722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722
  722 667 667 611 556 556 556 556 556 556 889 500 556 556 556 556 278 278 278 278 556 556 556 556 556 556 556 584 611 556
  556 556 556 500 556 500`;
const numbersOf = (list: string) => list.trim().split(/\s+/).map(Number);
const widths: readonly number[] = [
  ...Array.from({ length: 32 }, () => 0),
  ...numbersOf(lowWidths),
  0,
  ...numbersOf(highWidths),
];

/** The number of a character in the standard font; `undefined` where the font does not have it. */
export function codeOf(character: string): number | undefined {
  return codes.get(character);
}

/** How wide the character of a number is, in thousandths of the size of the font. */
export function widthOf(code: number): number {
  return widths[code] ?? 0;
}

/** The text that bytes of WinAnsi stand for. */
export function textOfCodes(bytes: Iterable<number>): string {
  let text = "";
  for (const byte of bytes) text += characters[byte];
  return text;
}
