import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({
    templates: fileURLToPath(new URL("../../examples/templates", import.meta.url)),
  });
});
afterAll(() => emulator.close());

async function invoice(values: object): Promise<{ pages: number; text: string }> {
  const response = await fetch(`${emulator.baseUrl}/api/v1/templates/invoice/generate-sync`, {
    method: "POST",
    headers: { authorization: `API-Key ${emulator.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(values),
  });
  expect(response.status).toBe(200);
  return readPdf(new Uint8Array(await response.arrayBuffer()));
}

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    description: `Item ${index + 1}.`,
    quantity: "2",
    price: "£1.50",
    amount: "£3.00",
  }));

const whole = {
  number: "2026-0117",
  date: "20 November 2026",
  due: "20 December 2026",
  reference: "PO 81",
  seller: {
    name: "Brönte & Łoś Studio Ltd",
    address: ["14 Calton Hill", "Edinburgh"],
    email: "accounts@studio.example",
    phone: "+44 131 496 0117",
    registration: "SC000000",
    vatNumber: "GB 1",
  },
  customer: { name: "Εκδόσεις Αθηνά Α.Ε.", address: "Οδός Ερμού 42\n105 63 Αθήνα", vatNumber: "EL 2" },
  lines: [
    {
      description: "Café menu",
      details: "élégant, 2 × A3",
      quantity: "1",
      price: "£999,999.99",
      amount: "£999,999.99",
    },
  ],
  subtotal: "£833,333.33",
  vatRate: "20%",
  vat: "£166,666.67",
  total: "£1,000,000.00",
  payment: [{ label: "IBAN", value: "GB00 CALT" }],
  note: "Thank you, Zoë.",
};

/** Every text among the values, line by line. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.split("\n");
  return Object.values(value as object).flatMap(textsIn);
}

describe("the invoice template", () => {
  it("shows every value it is given: pounds, accents and Greek", async () => {
    const { pages, text } = await invoice(whole);
    expect(pages).toBe(1);
    for (const value of textsIn(whole)) expect(text).toContain(value);
    expect(text).toContain("Page 1 of 1");
  });

  it("flows over pages, with the head of the table and the page number on each", async () => {
    const { pages, text } = await invoice({ ...whole, lines: lines(60) });
    expect(pages).toBe(3);
    text.split("\n").forEach((page, index) => {
      expect(page).toContain(`Page ${index + 1} of 3`);
      expect(page).toContain("Unit price");
    });
    for (const { description } of lines(60)) expect(text).toContain(description);
    expect(text.indexOf("Total due")).toBeGreaterThan(text.indexOf("Item 60."));
  });

  it.each([
    ["nothing", {}],
    ["nulls", { seller: null, customer: null, lines: null, payment: null, note: null, total: null }],
    ["a date and a total alone, as the spec shows", { date: "20 November 2026", total: "£1,000,000" }],
    ["empty parts", { seller: {}, customer: {}, lines: [{}], payment: [{}], note: "" }],
    ["numbers for texts", { number: 7, total: 12.5, lines: [{ quantity: 2, amount: 25 }] }],
  ])("makes one page of %s", async (_values, values) => {
    const { pages, text } = await invoice(values);
    expect(pages).toBe(1);
    expect(text).toContain("INVOICE");
    expect(text).not.toMatch(/undefined|null|NaN|\[object/);
  });
});
