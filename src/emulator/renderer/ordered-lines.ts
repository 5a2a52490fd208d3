import type { Inline, Line, PdfmakeInternals } from "pdfmake";
import { hasRightToLeft, toParagraph, visualRuns, withDirection } from "./right-to-left.ts";

const softHyphen = "\u00ad";

/**
 * Draws the words of each line in the order in which they are read. pdfmake (0.3.11) draws all of them from left to right.
 *
 * The directions are determined for whole paragraphs, before pdfmake breaks them into lines.
 */
export function orderLines({ textInlines, layoutBuilder, renderer }: PdfmakeInternals): void {
  const { buildInlines } = textInlines;
  textInlines.buildInlines = function (text, styles) {
    const built = buildInlines.call(this, text, styles);
    let start = 0;
    for (const [index, { lineEnd }] of built.items.entries()) {
      if (!lineEnd && index < built.items.length - 1) continue;
      markParagraph(built.items.slice(start, index + 1));
      start = index + 1;
    }
    return built;
  };

  const { buildNextLine } = layoutBuilder;
  layoutBuilder.buildNextLine = function (node) {
    const line = buildNextLine.call(this, node);
    const last = line?.inlines.at(-1);
    const next = node._inlines?.[0];
    if (line && last && next) {
      // pdfmake has divided a word that is wider than its line, and copied its properties.
      if (last._place && last._place === next._place) {
        next._place = { ...last._place, start: last._place.start + last.text.length };
        line.trailingCut = 0;
      }
      if (last.text.endsWith(softHyphen) && !last.lineEnd) showHyphen(line, last);
    }
    return line;
  };

  const { renderLine } = renderer;
  renderer.renderLine = function (line, x, y) {
    renderLine.call(this, inVisualOrder(line), x, y);
  };
}

function markParagraph(inlines: readonly Inline[]): void {
  const text = inlines.map((inline) => inline.text).join("");
  if (!hasRightToLeft(text)) return;
  const paragraph = toParagraph(text);
  let start = 0;
  for (const inline of inlines) {
    inline._place = { paragraph, start };
    start += inline.text.length;
  }
}

/** A soft hyphen is only visible at the end of a line. */
function showHyphen(line: Line, last: Inline): void {
  last.text = `${last.text.slice(0, -1)}-`;
  const width = widthOf(last.text, last);
  line.inlineWidths += width - last.width;
  last.width = width;
}

function inVisualOrder(line: Line): Line {
  const first = line.inlines[0]?._place;
  const last = line.inlines.at(-1);
  if (first === undefined || last?._place === undefined) return line;
  const { paragraph } = first;
  const pieces: Inline[] = [];
  // Spaces at the end of a line extend beyond it.
  let x = -(paragraph.isRightToLeft ? line.trailingCut : line.leadingCut);
  for (const run of visualRuns(paragraph, first.start, last._place.start + last.text.length)) {
    // The space of justified text is between a word and the one before, in the order of reading.
    const shiftOfRun = line.inlines.find(({ _place }) => _place?.start === run.start)?.justifyShift ?? 0;
    if (!paragraph.isRightToLeft) x += shiftOfRun;
    for (const inline of run.isRightToLeft ? [...line.inlines].reverse() : line.inlines) {
      const offset = inline._place?.start ?? 0;
      const start = Math.max(offset, run.start);
      const part = inline.text.slice(start - offset, Math.max(0, run.end - offset));
      if (part === "") continue;
      const text = withDirection(part, run.isRightToLeft);
      const width = part === inline.text ? inline.width : widthOf(text, inline);
      const shift = start === offset && start !== run.start ? (inline.justifyShift ?? 0) : 0;
      if (!run.isRightToLeft) x += shift;
      pieces.push({ ...inline, text, x, width, justifyShift: 0, _place: undefined });
      x += run.isRightToLeft ? width + shift : width;
    }
    if (paragraph.isRightToLeft) x += shiftOfRun;
  }
  return Object.assign(Object.create(Object.getPrototypeOf(line)), line, { inlines: pieces });
}

function widthOf(text: string, { font, fontSize, fontFeatures, characterSpacing = 0 }: Inline): number {
  return font.widthOfString(text, fontSize, fontFeatures) + characterSpacing * (text.length - 1);
}
