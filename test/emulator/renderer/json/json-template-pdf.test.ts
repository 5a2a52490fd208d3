import { describe, expect, it } from "vitest";
import { type PdfContent, readPdf } from "../../../support/pdf-text.ts";
import { renderPdf } from "../../../support/render-pdf.ts";
import { definitionOf } from "./json-filling.ts";

async function pdfOf(json: object, values: Record<string, unknown>): Promise<PdfContent> {
  return readPdf(await renderPdf(definitionOf(json, values)));
}

const invoice = {
  content: [
    { text: "Invoice {{number}}", style: "title" },
    { $if: "note", $show: { text: "{{note}}", italics: true } },
    {
      table: {
        headerRows: 1,
        widths: ["auto", "*", 80],
        body: [
          ["No.", "Item", "Price"],
          { $each: "lines", $show: ["{{@number}}", "{{description}}", "{{price}} {{../currency}}"] },
        ],
      },
      layout: {
        hLineWidth: [0, 2, 0.5],
        vLineWidth: 0,
        hLineColor: ["black", "#aaa"],
        hLineStyle: [null, null, { dash: { length: 2, space: 1 } }],
        fillColor: ["#eee", null],
        paddingTop: 3,
        hLineWhenBroken: false,
      },
    },
    { svg: '<svg viewBox="0 0 100 20"><text x="0" y="15">{{signature}}</text></svg>', width: 100 },
    { text: "Total {{total}} {{currency}}", alignment: "right" },
  ],
  header: { text: "{{seller.name}}", margin: [40, 20] },
  footer: {
    table: { widths: ["*"], body: [["Page {{@page}} of {{@pages}}"]] },
    layout: { defaultBorder: false },
    margin: [40, 10],
  },
  background: { text: "sheet {{@page}}", fontSize: 6 },
  info: { title: "Invoice {{number}}" },
  styles: { title: { fontSize: 20 } },
};

const values = {
  number: "2026-001",
  currency: "£",
  seller: { name: "Brönte & Łoś" },
  note: "Due in {{days}} days",
  signature: "A < B & C",
  lines: Array.from({ length: 120 }, (_, index) => ({
    description: `Item ${index + 1}.`,
    price: index + 0.5,
  })),
  total: 7200,
};

describe("a filled template, rendered by pdfmake", () => {
  it("shows every value, over several pages with the head of the table and the numbers of the pages", async () => {
    const { pages, text } = await pdfOf(invoice, values);
    expect(pages).toBeGreaterThan(2);
    text.split("\n").forEach((page, index) => {
      expect(page).toContain("Brönte & Łoś");
      expect(page).toContain(`Page ${index + 1} of ${pages}`);
      expect(page).toContain(`sheet ${index + 1}`);
      if (index < pages - 1) expect(page).toContain("No. Item Price");
    });
    for (const [index, { description, price }] of values.lines.entries()) {
      expect(text).toContain(`${index + 1} ${description} ${price} £`);
    }
    for (const shown of ["Invoice 2026-001", "Due in {{days}} days", "A < B & C", "Total 7200 £"]) {
      expect(text).toContain(shown);
    }
  });

  it("is the same a second time", async () => {
    expect(await pdfOf(invoice, values)).toEqual(await pdfOf(invoice, values));
  });

  it("may turn out with nothing in its lists", async () => {
    const each = { $each: "lines", $show: ["{{this}}"] };
    const json = {
      content: [
        "first",
        { table: { body: [each] }, layout: { hLineWidth: 1 } },
        { ul: [each] },
        { ol: [each] },
        { columns: [each] },
        { stack: [each] },
        { text: [each] },
        "last",
      ],
      header: { $if: "lines", $show: "header" },
    };
    expect(await pdfOf(json, { lines: [] })).toEqual({
      pages: 1,
      text: expect.stringMatching(/^first .*last$/),
    });
  });

  it("counts in sections, too", async () => {
    const json = {
      content: [
        { section: ["one"], footer: "{{@page}} of {{@pages}} in {{a}}" },
        { section: ["two"], footer: "inherit" },
      ],
    };
    const { text } = await pdfOf(json, { a: "part A" });
    expect(text.split("\n")).toEqual([
      expect.stringContaining("1 of 2 in part A"),
      expect.stringContaining("2 of 2 in part A"),
    ]);
  });
});
