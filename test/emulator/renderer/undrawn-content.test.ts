import { describe, expect, it } from "vitest";
import { readPdf } from "../../support/pdf-text.ts";
import { render } from "../../support/render-pdf.ts";
import { pixel } from "../emulated.ts";

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");
const rows = (count: number) => Array.from({ length: count }, (_, index) => [`row ${index + 1}`]);
const high = { text: lines(120) };
const image = `data:image/png;base64,${pixel}`;

const missing = (count: number) => `${count} lines do not fit on a page and are missing`;
const unplaced = (count: number) =>
  count === 1
    ? "1 text has no place in the layout and is missing, such as a cell that a colSpan covers"
    : `${count} texts have no place in the layout and are missing, such as cells that a colSpan covers`;

describe("the renderer warns about", () => {
  it.each<[string, object, string]>([
    [
      "a row with `dontBreakRows`",
      { content: { table: { dontBreakRows: true, body: [[high]] } } },
      missing(120),
    ],
    ["an unbreakable stack", { content: { unbreakable: true, stack: rows(120).flat() } }, missing(120)],
    ["an unbreakable text", { content: { ...high, unbreakable: true } }, missing(120)],
    ["header rows", { content: { table: { headerRows: 120, body: rows(121) } } }, missing(120)],
    [
      "rows that are kept with the header",
      { content: { table: { headerRows: 1, keepWithHeaderRows: 119, body: rows(120) } } },
      missing(120),
    ],
    ["a high footer", { content: "letter", footer: { text: lines(9) } }, missing(7)],
    [
      "a high header in columns",
      { content: "letter", header: { columns: [{ text: lines(9) }] } },
      missing(7),
    ],
    ["a high background", { content: "letter", background: () => high }, missing(61)],
    [
      "a section's high footer",
      { content: [{ section: ["letter"], footer: { text: lines(9) } }] },
      missing(7),
    ],
    ["an unbreakable list", { content: { unbreakable: true, ul: rows(120).flat() } }, missing(120)],
    [
      "a nested table",
      { content: { table: { dontBreakRows: true, body: [[{ table: { body: rows(120) } }]] } } },
      missing(120),
    ],
    [
      "an unbreakable element after a page break",
      { content: ["first", { pageBreak: "before", ...high, unbreakable: true }] },
      missing(120),
    ],
    ["pages after `maxPagesNumber`", { content: high, maxPagesNumber: 2 }, missing(12)],
    [
      "a picture and a QR code in an unbreakable stack",
      {
        content: {
          unbreakable: true,
          stack: [
            { image, width: 10, height: 700 },
            { qr: "a", fit: 300 },
          ],
        },
      },
      "2 pictures do not fit on a page and are missing",
    ],
    [
      "text outside the page",
      { content: ["a", { text: "b", absolutePosition: { x: 700, y: 40 } }] },
      "1 line extends beyond the page",
    ],
    [
      "text that is moved above the page",
      { content: [{ text: "b", relativePosition: { x: 0, y: -90 } }] },
      "1 line extends beyond the page",
    ],
    [
      "columns that are wider than the page",
      { content: { table: { widths: [300, 300, 300], body: [["a", "b", "c"]] } } },
      "1 line extends beyond the page",
    ],
    [
      "a word that cannot be broken",
      { content: { text: "x".repeat(200), noWrap: true } },
      "1 line extends beyond the page",
    ],
    [
      "a watermark that is wider than the page",
      { content: "a", watermark: { text: "far too long a text for this page", fontSize: 100 } },
      "1 line extends beyond the page",
    ],
    ["text above `maxHeight`", { content: { text: lines(9), maxHeight: 40 } }, "1 text is cut off"],
    [
      "cells that are covered",
      {
        content: {
          table: {
            body: [
              [{ text: "a", colSpan: 2 }, "b", { text: "c", rowSpan: 2 }],
              ["d", "e", "f"],
            ],
          },
        },
      },
      unplaced(2),
    ],
    ["an element with two contents", { content: { text: "a", stack: ["b"] } }, unplaced(1)],
  ])("%s that it does not draw", async (_, definition, expected) => {
    expect((await render(definition)).warnings).toEqual([expected]);
  });

  it("an element that occurs twice, which pdfmake draws once", async () => {
    const twice = { text: "twice" };
    expect((await render({ content: [twice, twice] })).warnings).toEqual(["1 text is cut off"]);
  });
});

it.each<[string, object, number]>([
  ["rows that are repeated", { content: { table: { headerRows: 1, body: rows(120) } } }, 120],
  ["text that continues on the next page", { content: high }, 120],
  [
    "empty cells, also under a colSpan",
    {
      content: {
        table: {
          body: [
            [{ text: "1", colSpan: 2 }, ""],
            ["2", {}],
          ],
        },
      },
    },
    2,
  ],
  [
    "a footer that fits, lists, columns, page references and a table of contents",
    {
      content: [
        { toc: { title: { text: "Contents" } } },
        { text: "Chapter", tocItem: true, id: "chapter", pageBreak: "before" },
        { text: ["see page ", { pageReference: "chapter" }] },
        { columns: [{ ol: ["one", { text: "" }] }, { width: 20, text: " " }, { image }, { qr: "a" }] },
        { svg: '<svg width="9" height="9"></svg>' },
      ],
      footer: "small",
      background: () => ({ text: "paper" }),
      watermark:
        "draft of a letter that is rather long, and that nobody should send to customers before Monday",
    },
    0,
  ],
  [
    "a document whose layout is repeated by `pageBreakBefore`",
    {
      content: [{ table: { body: [[{ text: "a", colSpan: 2 }, ""]] } }, "b"],
      footer: () => ({ text: "foot" }),
      pageBreakBefore: ({ text }: { text?: string }) => text === "b",
    },
    2,
  ],
])("the renderer draws %s without a warning", async (_, definition, count) => {
  const { bytes, warnings } = await render(definition);
  expect(warnings).toEqual([]);
  const { text } = await readPdf(bytes);
  for (let index = 1; index <= count; index += 1)
    expect(text).toMatch(count === 2 ? /./ : new RegExp(` ${index}\\b`));
});
