import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { generate } from "./emulated.ts";

const example = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ templates: example("templates") });
});
afterAll(() => emulator.close());

async function invoice(values: object): Promise<{ pages: number; text: string }> {
  const response = await generate(emulator, "invoice", values);
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

/** So many words that each can be found again: `a1 a2 a3`. */
function words(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
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
      expect(page).toContain("UNIT PRICE");
      expect(page).toContain(whole.customer.name);
    });
    for (const { description } of lines(60)) expect(text).toContain(description);
    expect(text.indexOf("Total due")).toBeGreaterThan(text.indexOf("Item 60."));
  });

  it("never leaves the total alone on a page", async () => {
    const onNextPage: boolean[] = [];
    for (let count = 8; count <= 24; count += 1) {
      const { pages, text } = await invoice({ ...whole, lines: lines(count) });
      const page = text.split("\n").find((shown) => shown.includes("Total due"));
      expect(page).toContain(`Item ${count}.`);
      expect(page).toContain("GB00 CALT");
      onNextPage.push(pages > 1);
    }
    expect(new Set(onNextPage)).toEqual(new Set([false, true]));
  });

  it.each([
    [
      "a description",
      { lines: [{ description: words("a", 2500).join(" "), details: words("b", 900).join(" ") }] },
    ],
    ["a last line", { lines: [...lines(3), { description: words("a", 1500).join(" "), amount: "£1.00" }] }],
    ["a list of accounts", { payment: words("a", 90).map((value) => ({ label: "IBAN", value })) }],
    ["a note", { note: words("a", 2500).join(" ") }],
    ["an address", { customer: { name: "Zoë", address: words("a", 90) } }],
  ])("cuts nothing off %s that is longer than its place", async (_part, long) => {
    const { text } = await invoice({ ...whole, lines: lines(3), ...long });
    const shown = new Set(text.split(/\s/));
    const expected = JSON.stringify(long).match(/\b[ab]\d+\b/g) ?? [];
    expect(expected.length).toBeGreaterThan(80);
    expect(expected.filter((word) => !shown.has(word))).toEqual([]);
    expect(text).toContain("Total due");
  });

  it("breaks words that are wider than their column", async () => {
    const link = `https://example.org/${words("x", 80).join("")}`;
    const { text } = await invoice({ ...whole, lines: [{ description: `See ${link}`, amount: "£3.00" }] });
    expect(text).not.toContain(link);
    expect(text.replaceAll(" ", "")).toContain(link);
    expect(text).toContain("£3.00");
  });

  it("shows a logo where there is one", async () => {
    const logo =
      '<svg viewBox="0 0 60 20"><text y="15" font-family="Roboto" font-size="12">Łogo</text></svg>';
    expect((await invoice({ ...whole, logo })).text).toContain("Łogo");
    expect((await invoice(whole)).text).not.toContain("Łogo");
  });

  it("makes two pages of the example values, which add up", async () => {
    const { logo, ...values } = JSON.parse(readFileSync(example("values/invoice.json"), "utf8"));
    const { pages, text } = await invoice({ logo, ...values });
    expect(pages).toBe(2);
    const letters = (shown: string) => shown.replace(/\s/g, "");
    for (const value of textsIn(values)) expect(letters(text)).toContain(letters(value));
    const pence = (amount: string) => Number(amount.replace(/[£,.]/g, ""));
    const sum = values.lines.reduce(
      (total: number, line: { amount: string }) => total + pence(line.amount),
      0,
    );
    expect(pence(values.subtotal)).toBe(sum);
    expect(pence(values.total)).toBe(sum + pence(values.vat));
  });

  it("makes one page of its own sample, which is short enough for a command line", async () => {
    const sample = emulator.templates.find(({ uid }) => uid === "invoice")?.sample ?? {};
    const { pages, text } = await invoice(sample);
    expect(pages).toBe(1);
    expect(textsIn(sample).length).toBeGreaterThan(8);
    for (const value of textsIn(sample)) expect(text).toContain(value);
    expect(JSON.stringify(sample).length).toBeLessThan(400);
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
