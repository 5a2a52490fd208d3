// An invoice out of the emulator, through the client, onto the disk: `npm run demo`.
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { TemplatePdf } from "template-pdf";
import { startEmulator } from "template-pdf/emulator";

const path = fileURLToPath(new URL("../demo/invoice.pdf", import.meta.url));
const pounds = new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" });

/** Description, quantity, unit price in pounds, details. */
const work = [
  ["Translation of contract, English to Greek", 12, 94, "Hourly, two revisions included"],
  ["Μετάφραση συμβολαίου, certified copy", 3, 48.5],
  ["Café menu, redesign and typesetting", 1, 640],
  ["Übersetzung der Bedienungsanleitung", 24, 86],
  ["Zażółć gęślą jaźń, Polish type specimen", 2, 120],
  ["Brand guidelines", 1, 1850, "Logotype, colours, letterhead"],
  ["Illustrations for chapter heads", 9, 175],
  ["Proofreading, annual report", 16, 62],
  ["Index, annual report", 1, 410],
  ["Print supervision in Łódź", 2, 380],
];

const lines = ["September", "October", "November"].flatMap((month) =>
  work.map(([description, quantity, price, details]) => ({
    description: `${month}: ${description}`,
    ...(details && { details }),
    quantity: String(quantity),
    price: pounds.format(price),
    amount: pounds.format(quantity * price),
  })),
);
const subtotal = 3 * work.reduce((sum, [, quantity, price]) => sum + quantity * price, 0);

const values = {
  number: "2026-0117",
  date: "20 November 2026",
  due: "20 December 2026",
  reference: "PO 4500-81",
  seller: {
    name: "Brönte & Łoś Studio Ltd",
    address: ["14 Calton Hill", "Edinburgh EH1 3BJ", "Scotland"],
    email: "accounts@bronte-los.example",
    phone: "+44 131 496 0117",
    registration: "Registered in Scotland, SC000000",
    vatNumber: "GB 000 0000 00",
  },
  customer: {
    name: "Εκδόσεις Αθηνά Α.Ε.",
    address: ["Μαρία Παπαδοπούλου", "Οδός Ερμού 42", "105 63 Αθήνα", "Greece"],
    vatNumber: "EL 000000000",
  },
  lines,
  subtotal: pounds.format(subtotal),
  vatRate: "20%",
  vat: pounds.format(subtotal * 0.2),
  total: pounds.format(subtotal * 1.2),
  payment: [
    { label: "Bank", value: "Bank of Calton" },
    { label: "IBAN", value: "GB00 CALT 0000 0000 0000 00" },
    { label: "Reference", value: "2026-0117" },
  ],
  note: "Thank you for a third season together. Please quote the invoice number with your payment.",
};

const emulator = await startEmulator({ templates: new URL("templates/", import.meta.url) });
const pdfs = new TemplatePdf({ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey });
try {
  await mkdir(dirname(path), { recursive: true });
  await pdfs.generate("invoice", values).saveTo(path);
} finally {
  await pdfs.close();
  await emulator.close();
}

const bytes = await readFile(path);
const reading = getDocument({ data: new Uint8Array(bytes), verbosity: 0 });
const { numPages } = await reading.promise;
await reading.destroy();
console.log(`${path}\n${numPages} pages, ${(bytes.byteLength / 1000).toFixed(1)} kB`);
