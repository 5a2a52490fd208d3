import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readPdf } from "../support/pdf-text.ts";
import { generate, shareEmulator } from "./emulated.ts";

const example = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));
const valuesOf = (uid: string) => JSON.parse(readFileSync(example(`values/${uid}.json`), "utf8"));

const emulator = shareEmulator({}, () => ({
  templates: example("templates"),
  fonts: example("fonts"),
  strict: true,
}));

async function render(uid: string, values: object) {
  const response = await generate(emulator, uid, values);
  expect(response.status).toBe(200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { ...(await readPdf(bytes)), source: Buffer.from(bytes).toString("latin1") };
}
const invoice = (values: object) => render("invoice", values);

/** Every text in the values, line by line. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.split("\n");
  return Object.values(value as object).flatMap(textsIn);
}

/** Removes the spaces, because lines may break there. */
const letters = (text: string) => text.replace(/\s/g, "");

/** Creates distinct words: `a1`, `a2`, `a3`. */
const words = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

it.each(["invoice", "certificate"])("the short sample of the %s template fits on one page", async (uid) => {
  const sample = emulator.templates.find((template) => template.uid === uid)?.sample ?? {};
  const { pages, text } = await render(uid, sample);
  expect(pages).toBe(1);
  expect(textsIn(sample).length).toBeGreaterThan(5);
  for (const value of textsIn(sample)) expect(text).toContain(value);
  // Short enough for a command line.
  expect(JSON.stringify(sample).length).toBeLessThan(400);
});

describe("the invoice template", () => {
  const lines = (count: number) =>
    words("Item ", count).map((name) => ({
      ...{ description: `${name}.`, quantity: "2", price: "£1.50", amount: "£3.00" },
    }));
  const allValues = {
    ...{ number: "2026-0117", date: "20 November 2026", due: "20 December 2026", reference: "PO 81" },
    seller: { name: "Brönte & Łoś Studio Ltd", address: ["14 Calton Hill", "Edinburgh"], vatNumber: "GB 1" },
    customer: { name: "Εκδόσεις Αθηνά Α.Ε.", address: "Οδός Ερμού 42\n105 63 Αθήνα", vatNumber: "EL 2" },
    lines: [{ description: "Café menu", details: "élégant, 2 × A3", quantity: "1", amount: "£999,999.98" }],
    ...{ subtotal: "£833,333.33", vatRate: "20%", vat: "£166,666.67", total: "£1,000,000.00" },
    payment: [{ label: "IBAN", value: "GB00 CALT" }],
    note: "Thank you, Zoë.",
  };

  it("repeats the table header on every page of a long table", async () => {
    const { pages, text } = await invoice({ ...allValues, lines: lines(60) });
    expect(pages).toBe(3);
    text.split("\n").forEach((page, index) => {
      expect(page).toContain(`Page ${index + 1} of 3`);
      expect(page).toContain("UNIT PRICE");
      expect(page).toContain(allValues.customer.name);
    });
    for (const { description } of lines(60)) expect(text).toContain(description);
    expect(text.indexOf("Total due")).toBeGreaterThan(text.indexOf("Item 60."));
  });

  it("never leaves the total alone on a page", async () => {
    const onNextPage: boolean[] = [];
    for (let count = 8; count <= 24; count += 1) {
      const { pages, text } = await invoice({ ...allValues, lines: lines(count) });
      const page = text.split("\n").find((shown) => shown.includes("Total due"));
      expect(page).toContain(`Item ${count}.`);
      expect(page).toContain("GB00 CALT");
      onNextPage.push(pages > 1);
    }
    expect(new Set(onNextPage)).toEqual(new Set([false, true]));
  });

  const manyA = words("a", 2500).join(" ");
  it.each([
    ["a description", { lines: [{ description: manyA, details: words("b", 900).join(" ") }] }],
    ["a note", { note: manyA }],
  ])("shows %s in full even if the text is very long", async (_part, long) => {
    const { text } = await invoice({ ...allValues, lines: lines(3), ...long });
    const shown = new Set(text.split(/\s/));
    const expected = JSON.stringify(long).match(/\b[ab]\d+\b/g) ?? [];
    expect(expected.length).toBeGreaterThan(80);
    expect(expected.filter((word) => !shown.has(word))).toEqual([]);
    expect(text).toContain("Total due");
  });

  it("shows the example values on two pages, with correct totals", async () => {
    const { logo, ...values } = valuesOf("invoice");
    const { pages, text } = await invoice({ logo, ...values });
    expect(pages).toBe(2);
    for (const value of textsIn(values)) expect(letters(text)).toContain(letters(value));
    const pence = (amount: string) => Number(amount.replace(/[£,.]/g, ""));
    const amounts: number[] = values.lines.map(({ amount }: { amount: string }) => pence(amount));
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    expect(pence(values.subtotal)).toBe(sum);
    expect(pence(values.total)).toBe(sum + pence(values.vat));
  });

  it.each([
    {},
    { seller: null, lines: null, note: null, total: null },
    { total: 12.5, lines: [{ amount: 25 }] },
  ])("fits on one page with the values %j", async (values) => {
    const { pages, text } = await invoice(values);
    expect(pages).toBe(1);
    expect(text).toContain("INVOICE");
    expect(text).not.toMatch(/undefined|null|NaN|\[object/);
  });
});

describe("the certificate template", () => {
  const values = valuesOf("certificate");

  it("fits on one landscape A4 page, and can show accents and Greek letters", async () => {
    const { pages, source, text } = await render("certificate", values);
    expect(pages).toBe(1);
    expect(source).toMatch(/\/MediaBox \[0 0 841\.89 595\.28\]/);
    expect(source).toContain("EBGaramond-Regular");
    expect(textsIn(values).join()).toMatch(/ë.*Π.*Ł/u);
    for (const value of textsIn(values)) expect(text).toContain(value);
  });

  it("stays on one page even if every value has the maximum length", async () => {
    const [w30, w40, w60, w100] = [30, 40, 60, 100].map((length) => "W".repeat(length));
    const signer = { name: w40, role: w40 };
    const texts = { number: w30, name: w60, course: w100, details: w100, date: w60, issuer: w60 };
    expect((await render("certificate", { ...texts, signers: [signer, signer] })).pages).toBe(1);
  });

  it("rejects a name of 61 letters", async () => {
    const response = await generate(emulator, "certificate", { ...values, name: "a".repeat(61) });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 422,
      body: { errors: [{ path: "name" }] },
    });
  });
});
