import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { generate } from "./emulated.ts";

const example = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));
const values = JSON.parse(readFileSync(example("values/certificate.json"), "utf8"));

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ templates: example("templates"), fonts: example("fonts") });
});
afterAll(() => emulator.close());

async function certificate(values: object): Promise<{ pages: number; text: string; source: string }> {
  const response = await generate(emulator, "certificate", values);
  expect(response.status).toBe(200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { ...(await readPdf(bytes)), source: Buffer.from(bytes).toString("latin1") };
}

/** Every text among the values. */
function textsIn(value: unknown): string[] {
  return typeof value === "string" ? [value] : Object.values(value as object).flatMap(textsIn);
}

describe("the certificate template", () => {
  it("is one page of A4 in landscape, in its own font", async () => {
    const { pages, source } = await certificate(values);
    expect(pages).toBe(1);
    expect(source).toMatch(/\/MediaBox \[0 0 841\.89 595\.28\]/);
    expect(source).toContain("EBGaramond-Regular");
  });

  it("shows every value it is given: accents and Greek", async () => {
    expect(textsIn(values).join()).toMatch(/ë.*Π.*Ł/u);
    const { text } = await certificate(values);
    for (const value of textsIn(values)) expect(text).toContain(value);
  });

  it("does without details", async () => {
    const { details, ...others } = values;
    const { pages, text } = await certificate(others);
    expect(pages).toBe(1);
    expect(text).toContain(others.date);
    expect(text).not.toContain(details);
  });

  it.each([
    ["a name", { name: "Alexandrina Konstantinidou-Wojciechowska de Montalembert III" }],
    ["a name in capitals", { name: "ΠΑΠΑΔΟΠΟΥΛΟΥ ΧΑΤΖΗΔΗΜΗΤΡΙΟΥ ΚΩΝΣΤΑΝΤΙΝΑ ΑΛΕΞΑΝΔΡΑ ΜΑΡΙΑ ΑΝ" }],
    ["a name that cannot be broken", { name: "W".repeat(60) }],
    [
      "a course",
      { course: "Setting Greek and Latin Type in One Book, for Beginners ".repeat(2).slice(0, 100) },
    ],
  ])("keeps %s as long as it may be on the one page", async (_what, long) => {
    const { pages, text } = await certificate({ ...values, ...long });
    expect(pages).toBe(1);
    const letters = (shown: string) => shown.replaceAll(" ", "");
    for (const value of textsIn(long)) expect(letters(text)).toContain(letters(value));
  });

  it("keeps to the one page whatever is as long and as wide as it may be", async () => {
    const wide = (letters: number) => "W".repeat(letters);
    const { pages } = await certificate({
      number: wide(30),
      name: wide(60),
      course: wide(100),
      details: wide(100),
      date: wide(60),
      issuer: wide(60),
      signers: [
        { name: wide(40), role: wide(40) },
        { name: wide(40), role: wide(40) },
      ],
    });
    expect(pages).toBe(1);
  });

  it.each([
    ["name", { name: undefined }, "name"],
    ["role of a signer", { signers: [values.signers[0], { name: "Zoë" }] }, "signers[1].role"],
    ["signer", { signers: [values.signers[0]] }, "signers"],
    ["name", { name: "" }, "name"],
    ["name of at most 60 letters", { name: "a".repeat(61) }, "name"],
  ])("refuses values without a %s, and names what is missing", async (_what, wrong, path) => {
    const response = await generate(emulator, "certificate", { ...values, ...wrong });
    expect(response.status).toBe(422);
    const problem = await response.json();
    expect(problem.errors).toMatchObject([{ path }]);
    expect(problem.detail).toContain(`certificate.json`);
  });

  it("makes one page of its own sample, which is short enough for a command line", async () => {
    const sample = emulator.templates.find(({ uid }) => uid === "certificate")?.sample ?? {};
    const { pages, text } = await certificate(sample);
    expect(pages).toBe(1);
    expect(textsIn(sample).length).toBeGreaterThan(5);
    for (const value of textsIn(sample)) expect(text).toContain(value);
    expect(JSON.stringify(sample).length).toBeLessThan(400);
  });
});
