import type { LayoutNode, Line, Marked, PdfmakeInternals } from "pdfmake";
import type { PdfDocument } from "pdfmake/js/PDFDocument.js";

/** How far text may extend beyond an edge of the page, in points. Widths are rounded. */
const tolerance = 1;

const pictureKinds = ["Image", "SVG", "Qr"] as const;

/**
 * Finds the content of each document that pdfmake (0.3.11) drops without an error: lines and pictures that do not fit on a page, text
 * outside the page, and text that has no place in the layout, such as a table cell that a `colSpan` covers.
 *
 * @returns the warnings about a document that has been rendered, without its texts
 */
export function watchUndrawnContent(internals: PdfmakeInternals): (document: PdfDocument) => string[] {
  const { layoutBuilder, preprocessor, writer, renderer } = internals;
  const contents = new WeakMap<PdfDocument, Content>();
  // pdfmake lays out and draws one document at a time, synchronously.
  let current = new Content();

  const { layoutDocument, processLeaf } = layoutBuilder;
  layoutBuilder.layoutDocument = function (structure, document, ...more) {
    current = new Content();
    contents.set(document, current);
    return layoutDocument.call(this, structure, document, ...more);
  };
  layoutBuilder.processLeaf = function (node) {
    const isSpent = node._inlines?.length === 0;
    processLeaf.call(this, node);
    // An element that occurs twice has no lines left for the second time, and `maxHeight` ends an element early.
    if (isSpent || (node._inlines?.length ?? 0) > 0) current.noteCut(node);
    else current.notePlaced(node);
  };

  const { preprocessDocument, preprocessBlock } = preprocessor;
  preprocessor.preprocessDocument = function (structure) {
    const node = preprocessDocument.call(this, structure);
    current.beginLayout(node);
    return node;
  };
  // Called for each header, footer and background.
  preprocessor.preprocessBlock = function (structure) {
    const node = preprocessBlock.call(this, structure);
    current.addBlock(node);
    return node;
  };

  const { addLine } = writer;
  writer.addLine = function (line, ...more) {
    if (line.inlines.some(({ text }) => text.trim() !== "")) current.lines.add(markOf(line));
    return addLine.call(this, line, ...more);
  };
  const { renderLine, renderVector } = renderer;
  renderer.renderLine = function (line, x, y) {
    const isFirst = current.lines.delete(line._mark);
    if (isFirst && isOutside(line, x, y, this.pdfDocument.page)) current.outside += 1;
    return renderLine.call(this, line, x, y);
  };
  for (const kind of pictureKinds) {
    const add = writer[`add${kind}`];
    writer[`add${kind}`] = function (picture, ...more) {
      // A QR code is drawn as vectors.
      const [drawn = picture] = picture._canvas ?? [];
      current.pictures.add(markOf(drawn));
      return add.call(this, picture, ...more);
    };
    if (kind === "Qr") continue;
    const render = renderer[`render${kind}`];
    renderer[`render${kind}`] = function (picture) {
      current.pictures.delete(picture._mark);
      return render.call(this, picture);
    };
  }
  renderer.renderVector = function (vector) {
    current.pictures.delete(vector._mark);
    return renderVector.call(this, vector);
  };
  const { renderWatermark } = renderer;
  renderer.renderWatermark = function (page) {
    const { width, height } = page.watermark._size.rotatedSize;
    const { page: drawn } = this.pdfDocument;
    // The size that pdfmake determines exceeds the page a little.
    if (Math.max(width / drawn.width, height / drawn.height) > 1.1) current.outside += 1;
    return renderWatermark.call(this, page);
  };
  return (document) => contents.get(document)?.warnings() ?? [];
}

/** The content of one document. pdfmake repeats the layout if `pageBreakBefore` adds a page break. */
class Content {
  /** The marks of lines that have a position but are not drawn yet. */
  readonly lines = new Set<unknown>();
  /** The same for pictures. */
  readonly pictures = new Set<unknown>();
  /** The number of drawn lines that are partly or completely outside the page. */
  outside = 0;
  /** The texts of the definition. The first layout replaces covered cells, so it determines them. */
  #texts: ReadonlySet<object> | undefined;
  readonly #blockTexts = new Set<object>();
  readonly #placed = new Set<object>();
  #cut = 0;

  beginLayout(structure: LayoutNode): void {
    this.#texts ??= textsIn(structure);
    for (const set of [this.#blockTexts, this.#placed, this.lines, this.pictures]) set.clear();
    this.#cut = 0;
  }

  addBlock(structure: LayoutNode): void {
    for (const text of textsIn(structure)) this.#blockTexts.add(text);
  }

  notePlaced(node: object): void {
    this.#placed.add(node);
  }

  noteCut(node: LayoutNode): void {
    if (hasText(node)) this.#cut += 1;
    this.#placed.add(node);
  }

  warnings(): string[] {
    const texts = [...(this.#texts ?? []), ...this.#blockTexts];
    const unplaced = texts.filter((text) => !this.#placed.has(text)).length;
    return [
      ...warning(this.lines.size, "line", "does not fit on a page and is missing", unfitMany),
      ...warning(this.pictures.size, "picture", "does not fit on a page and is missing", unfitMany),
      ...warning(this.outside, "line", "extends beyond the page", "extend beyond the page"),
      ...warning(this.#cut, "text", "is cut off", "are cut off"),
      ...warning(
        unplaced,
        "text",
        "has no place in the layout and is missing, such as a cell that a colSpan covers",
        "have no place in the layout and are missing, such as cells that a colSpan covers",
      ),
    ];
  }
}

const unfitMany = "do not fit on a page and are missing";

function warning(count: number, what: string, one: string, many: string): string[] {
  if (count === 0) return [];
  return [count === 1 ? `1 ${what} ${one}` : `${count} ${what}s ${many}`];
}

/** pdfmake copies lines and pictures with their properties, so a property identifies them. */
function markOf(drawn: Marked): object {
  drawn._mark ??= {};
  return drawn._mark;
}

/** Finds the elements with text in a structure, including those that pdfmake ignores. */
function textsIn(structure: unknown): Set<object> {
  const texts = new Set<object>();
  const seen = new Set<unknown>();
  const rest = [structure];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === "string" || typeof value === "number") {
      // pdfmake has replaced all others by elements.
      if (String(value).trim() !== "") texts.add({});
      continue;
    }
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (Array.isArray(value)) {
      for (const item of value) rest.push(item);
      continue;
    }
    const node: LayoutNode = value;
    if (hasText(node)) texts.add(node);
    rest.push(node.section, node.columns, node.stack, node.ul, node.ol, node.table?.body);
  }
  return texts;
}

function hasText({ text }: LayoutNode): boolean {
  const rest: unknown[] = [text];
  while (rest.length > 0) {
    const value = rest.pop();
    if (Array.isArray(value)) for (const item of value) rest.push(item);
    else if (typeof value === "object" && value !== null) rest.push((value as LayoutNode).text);
    else if (String(value ?? "").trim() !== "") return true;
  }
  return false;
}

function isOutside(line: Line, x: number, y: number, page: PdfDocument["page"]): boolean {
  const middle = y + line.getHeight() / 2;
  const isWithin =
    x > -tolerance && x + line.getWidth() < page.width + tolerance && middle > 0 && middle < page.height;
  return !isWithin;
}
