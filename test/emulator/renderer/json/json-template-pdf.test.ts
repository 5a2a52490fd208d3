import { describe, expect, it } from "vitest";
import { readPdf } from "../../../support/pdf-text.ts";
import { renderPdf } from "../../../support/render-pdf.ts";
import { definitionOf } from "./json-filling.ts";

const pdfOf = async (json: object, values: Record<string, unknown>) =>
  readPdf(await renderPdf(definitionOf(json, values)));

const invoice = {
  content: [
    {
      table: {
        headerRows: 1,
        body: [
          ["No.", "Item", "Price"],
          { $each: "lines", $show: ["{{@number}}", "{{description}}", "{{price}} {{../currency}}"] },
        ],
      },
      layout: {
        ...{
          hLineWidth: [0, 2, 0.5],
          vLineWidth: 0,
          hLineColor: ["black", "#aaa"],
          fillColor: ["#eee", null],
        },
        ...{ hLineStyle: [null, null, { dash: { length: 2, space: 1 } }], hLineWhenBroken: false },
      },
    },
    { svg: '<svg viewBox="0 0 100 20"><text x="0" y="15">{{signature}}</text></svg>', width: 100 },
    { $if: "note", $show: { text: "{{note}}" } },
  ],
  header: { text: "{{seller.name}}", margin: [40, 20] },
  footer: { table: { body: [["Page {{@page}} of {{@pages}}"]] }, layout: { defaultBorder: false } },
};

const values = {
  currency: "£",
  seller: { name: "Brönte & Łoś" },
  note: "Due in {{days}} days",
  signature: "A < B & C",
  lines: Array.from({ length: 60 }, (_, index) => ({
    description: `Item ${index + 1}.`,
    price: index + 0.5,
  })),
};

describe("a JSON template rendered by pdfmake", () => {
  it("shows every value, repeats the table header, and numbers the pages", async () => {
    const { pages, text } = await pdfOf(invoice, values);
    expect(pages).toBeGreaterThan(1);
    text.split("\n").forEach((page, index) => {
      expect(page).toContain("Brönte & Łoś");
      expect(page).toContain(`Page ${index + 1} of ${pages}`);
      if (index < pages - 1) expect(page).toContain("No. Item Price");
    });
    for (const [index, { description, price }] of values.lines.entries()) {
      expect(text).toContain(`${index + 1} ${description} ${price} £`);
    }
    for (const shown of ["Due in {{days}} days", "A < B & C"]) expect(text).toContain(shown);
  });

  it("can contain empty lists", async () => {
    const each = { $each: "lines", $show: ["{{this}}"] };
    const table = { table: { body: [each] }, layout: { hLineWidth: 1 } };
    const lists = ["ul", "ol", "columns", "stack", "text"].map((name) => ({ [name]: [each] }));
    const header = { $if: "lines", $show: "header" };
    expect(await pdfOf({ content: ["first", table, ...lists, "last"], header }, { lines: [] })).toEqual({
      pages: 1,
      text: expect.stringMatching(/^first .*last$/),
    });
  });
});
