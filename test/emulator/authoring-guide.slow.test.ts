import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { blocksOf } from "../support/blocks-of.ts";
import { drawPdf, readPdf } from "../support/pdf-text.ts";
import { generate, shareEmulator } from "./emulated.ts";

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const blocks = blocksOf(readFileSync(file("docs/guides/templates.md"), "utf8"), "json");
const images = file("examples/authoring/images");
const shared = (name: string) => [name, readFileSync(file(`examples/authoring/${name}`), "utf8")] as const;

const ofGuide = shareEmulator(
  Object.fromEntries([
    ...blocks.map((block, index) => [`block-${index}.json`, block] as const),
    ...["shared/letterhead.json", "shared/styles.json", "shared/page-number.json"].map(shared),
  ]),
  () => ({ images }),
);
const examples = shareEmulator({}, () => ({ templates: file("examples/authoring"), images }));

type Shared = typeof ofGuide;

/** The document of a template's sample, with some other values. */
async function documentOf(emulator: Shared, uid: string, others: object = {}): Promise<Uint8Array> {
  const sample = emulator.templates.find((template) => template.uid === uid)?.sample;
  const response = await generate(emulator, uid, { ...sample, ...others });
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(response.status, Buffer.from(bytes).toString()).toBe(200);
  return bytes;
}
const textOf = async (...args: Parameters<typeof documentOf>) =>
  (await readPdf(await documentOf(...args))).text;

describe("the examples in templates.md", () => {
  const shown: readonly (readonly string[])[] = [
    [
      "Design",
      "Layout",
      "Subtotal",
      "£1,160.00",
      "£85.00",
      "Net",
      "£1,245.00",
      "VAT 20% on £1,245.00",
      "Total",
      "£1,494.00",
    ],
    ["1,000 × €0.085", "0.3"],
    ["Rechnung 2026-0118: 1.471,35", "Bitte zahlen Sie bis zum 20. Dezember 2026.", "Seite 1 von 1"],
    ["Paid to GB29 NWBK 6016 1331 9268 19", "VAT is due in the country of the customer.", "PAID"],
    ["Invoice 2026-0118", "Page 1 of 2", "Second page", "Page 2 of 2"],
    ["Zoë Marlowe"],
    ["Your new contract"],
    ["Brönte & Łoś Studio", "Dear Zoë Marlowe,", "Page 1 of 1"],
  ];

  it("are as many as the tests expect", () => {
    expect(blocks).toHaveLength(shown.length);
  });

  it.each(shown.map((texts, index) => [index, texts] as const))(
    "show what they say: block %i",
    async (index, texts) => {
      const text = await textOf(ofGuide, `block-${index}`);
      for (const expected of texts) expect(text).toContain(expected);
    },
  );
});

describe("the templates in examples/authoring", () => {
  it("make an invoice in two languages, with subtotals, VAT and a total", async () => {
    const german = await textOf(examples, "invoice");
    for (const text of [
      "Rechnung 2026-0118",
      "1.160,00 €",
      "0,085 €",
      "19 % USt. auf 1.160,00 €",
      "1.471,35 €",
      "Seite 1 von 1",
    ]) {
      expect(german.replaceAll("\u00a0", " ")).toContain(text);
    }
    const english = await textOf(examples, "invoice", { locale: "en-GB" });
    for (const text of [
      "Invoice 2026-0118",
      "€1,160.00",
      "€0.085",
      "VAT 19% on €1,160.00",
      "€1,471.35",
      "page 1 of 1",
    ]) {
      expect(english).toContain(text);
    }
  });

  it("omit the parts of an invoice that do not apply", async () => {
    const customer = { name: "A", address: "B", country: "GB" };
    const text = await textOf(examples, "invoice", { locale: "en-GB", customer, discounts: [] });
    expect(text).not.toMatch(/discount|VAT is due|VAT number/);
  });

  it("repeat the header of a long table on every page", async () => {
    const line = { text: "Line", quantity: 1, price: 1, net: 1, gross: 1 };
    const groups = [{ title: "Many", lines: Array(100).fill(line) }];
    const { pages, text } = await readPdf(
      await documentOf(examples, "invoice", { locale: "en", groups, vat: [] }),
    );
    expect(text.split("Quantity")).toHaveLength(pages + 1);
    expect(text).toContain(`page ${pages} of ${pages}`);
    expect(text).toContain("€100.00");
  });

  it("make a payslip for each method of payment", async () => {
    expect(await textOf(examples, "payslip")).toMatch(
      /3,432\.81.*839\.39.*Net pay £2,593\.42.*Paid to GB29/s,
    );
    expect(await textOf(examples, "payslip", { method: "cheque" })).toContain("Paid by cheque");
  });

  it("make a certificate and a letter", async () => {
    expect(await textOf(examples, "certificate")).toMatch(
      /Ζωή.*with distinction.*Kerning · .*20 November 2026.*Director/s,
    );
    expect(await textOf(examples, "certificate", { distinction: false })).not.toContain("distinction");
    expect(await textOf(examples, "letter")).toMatch(
      /Dear Dr Zoë Marlowe.*Managing director.*Enclosures.*Plan/s,
    );
    expect(await textOf(examples, "letter", { enclosures: [] })).not.toContain("Enclosures");
  });
});

/** The keyword of the text in a PNG that identifies the document, because pixels differ between machines. */
const keyword = "texts-of-the-document";

describe("the pictures in templates.md", () => {
  it.each<[picture: string, uid: string, values: object, width: number, height: number]>([
    ["invoice-de", "invoice", {}, 560, 500],
    ["invoice-en", "invoice", { locale: "en-GB" }, 560, 500],
    ["payslip", "payslip", {}, 560, 260],
    ["certificate", "certificate", {}, 560, 396],
    ["letter", "letter", {}, 560, 480],
  ])("show the current document: %s", async (name, uid, values, width, height) => {
    const { png, texts } = await drawPdf(await documentOf(examples, uid, values), { width, height });
    const identity = createHash("sha256").update(`${texts} ${width} ${height}`).digest("hex");
    const path = file(`docs/pictures/authoring-${name}.png`);
    const isCurrent = existsSync(path) && readFileSync(path).includes(`${keyword}\0${identity}`);
    // The next run passes, after you have looked at the picture.
    if (!isCurrent) writeFileSync(path, withText(png, `${keyword}\0${identity}`));
    expect(isCurrent, `${path} showed an earlier document, and was drawn again. Look at it.`).toBe(true);
  });
});

/** Adds a `tEXt` chunk to a PNG before its last chunk, which has 12 bytes. */
function withText(png: Uint8Array, text: string): Buffer {
  const content = Buffer.from(`tEXt${text}`, "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length - 4);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crcOf(content));
  return Buffer.concat([png.subarray(0, -12), length, content, checksum, png.subarray(-12)]);
}

/** The checksum of PNG, which `node:zlib` lacks before Node 22.2. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
