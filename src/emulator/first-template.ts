import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readForeign } from "../errors/foreign-values.ts";
import { makeFolders } from "../files/make-folders.ts";
import { readTemplateFolder } from "./template-folder.ts";

const file = "invoice.json";

/**
 * Creates `invoice.json`, an invoice with a schema and a sample. Creates the folder if it is missing, and never overwrites a file.
 *
 * @returns the path of the file, and the file that exists already, if any
 * @throws {Error} if the folder cannot be read or written
 */
export async function createFirstTemplate(
  folder: string,
): Promise<{ readonly path: string; readonly existing?: string }> {
  const path = join(folder, file);
  await makeFolders(dirname(path));
  // A module with the same uid would no longer work.
  const existing = (await readTemplateFolder(folder)).get("invoice")?.file;
  if (existing !== undefined) return { path, existing };
  try {
    await writeFile(path, invoice, { flag: "wx" });
    return { path };
  } catch (error) {
    if (readForeign(error, "code") === "EEXIST") return { path, existing: file };
    throw error;
  }
}

/** Formatted by hand, because users read and change it. */
const invoice = `{
  "schema": {
    "type": "object",
    "required": ["number", "date", "due", "customer", "lines", "total"],
    "properties": {
      "number": { "type": "string", "description": "As the customer sees it." },
      "date": { "type": "string", "format": "date" },
      "due": { "type": "string", "format": "date" },
      "customer": {
        "type": "object",
        "required": ["name", "address"],
        "properties": { "name": { "type": "string" }, "address": { "type": "string" } }
      },
      "lines": {
        "type": "array",
        "minItems": 1,
        "items": {
          "type": "object",
          "required": ["text", "quantity", "amount"],
          "properties": {
            "text": { "type": "string" },
            "quantity": { "type": "number" },
            "amount": { "type": "number" }
          }
        }
      },
      "total": { "type": "number" },
      "note": { "type": "string" }
    }
  },
  "sample": {
    "number": "2026-0117",
    "date": "2026-11-20",
    "due": "2026-12-20",
    "customer": { "name": "Zoë Martin", "address": "1 High Street\\nEdinburgh EH1 1AA" },
    "lines": [
      { "text": "Menu design", "quantity": 2, "amount": 640 },
      { "text": "Printing", "quantity": 500, "amount": 375.5 }
    ],
    "total": 1015.5,
    "note": "Thank you for your order."
  },
  "info": { "title": "Invoice {{number}}" },
  "pageMargins": [56, 64, 56, 64],
  "defaultStyle": { "fontSize": 11, "lineHeight": 1.2 },
  "content": [
    { "text": "Invoice {{number}}", "fontSize": 24, "bold": true, "margin": [0, 0, 0, 16] },
    {
      "columns": [
        { "text": "{{customer.name}}\\n{{customer.address}}" },
        { "text": "Date {{date | date}}\\nDue {{due | date}}", "alignment": "right" }
      ],
      "margin": [0, 0, 0, 24]
    },
    {
      "layout": "lightHorizontalLines",
      "table": {
        "headerRows": 1,
        "widths": ["*", "auto", "auto"],
        "body": [
          [
            { "text": "Description", "bold": true },
            { "text": "Quantity", "bold": true, "alignment": "right" },
            { "text": "Amount", "bold": true, "alignment": "right" }
          ],
          {
            "$each": "lines",
            "$show": [
              "{{text}}",
              { "text": "{{quantity | number}}", "alignment": "right" },
              { "text": "{{amount | currency \\"GBP\\"}}", "alignment": "right" }
            ]
          }
        ]
      }
    },
    {
      "text": "Total {{total | currency \\"GBP\\"}}",
      "fontSize": 14,
      "bold": true,
      "alignment": "right",
      "margin": [0, 16, 0, 24]
    },
    { "$if": "note", "$show": { "text": "{{note}}", "color": "#565c66" } }
  ],
  "footer": { "text": "Page {{@page}} of {{@pages}}", "alignment": "center", "fontSize": 9 }
}
`;
