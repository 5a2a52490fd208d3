import { describe, expect, it } from "vitest";
import { fakePdf } from "../../src/testing/fake-pdf.ts";

/** Finds the cross-reference table from the end of the file. Returns the line at each of its offsets. */
function objectsByTable(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes).toString("latin1");
  const [, at = ""] = /\nstartxref\n(\d+)\n%%EOF\n+$/.exec(text) ?? [];
  const [header = "", size = ""] = /^xref\n0 (\d+)\n0000000000 65535 f \n/.exec(text.slice(Number(at))) ?? [];
  const entries = text.slice(Number(at) + header.length);
  expect(entries.slice(20 * (Number(size) - 1))).toMatch(/^trailer\n/);
  return Array.from({ length: Number(size) - 1 }, (_, index) => {
    const [, offset = ""] = /^(\d{10}) 00000 n \n$/.exec(entries.slice(20 * index, 20 * index + 20)) ?? [];
    return text.slice(Number(offset)).split("\n")[0] ?? "";
  });
}

describe("a fake PDF", () => {
  it("contains Latin text as plain bytes that a test can search", () => {
    expect(Buffer.from(fakePdf({ text: "uid: inv_2024" })).includes("uid: inv_2024")).toBe(true);
  });

  it("can have any length above the minimum", () => {
    const { length } = fakePdf();
    for (let bytes = length; bytes < length + 400; bytes++) {
      const pdf = fakePdf({ bytes });
      expect(pdf.length).toBe(bytes);
      expect(objectsByTable(pdf)).toEqual(["1 0 obj", "2 0 obj", "3 0 obj"]);
    }
  });

  it.each([
    ["no text", "", 1],
    ["Latin text on three pages", "one\n".repeat(60), 3],
    ["text in many scripts", "Café Αθήνα 漢字 𝔘 (no. 1) \\ €", 2],
  ])("has correct offsets and the requested length if it contains %s", (_title, text, pages) => {
    const { length } = fakePdf({ text, pages });
    const pdf = fakePdf({ text, pages, bytes: length + 1_000_003 });
    expect(pdf.length).toBe(length + 1_000_003);
    const objects = objectsByTable(pdf);
    expect(objects).toEqual(objects.map((_, index) => `${index + 1} 0 obj`));
    const tooShort = `Expected \`bytes\` to be at least ${length} for this text and these pages, got ${length - 1}.`;
    expect(() => fakePdf({ text, pages, bytes: length - 1 })).toThrow(new RangeError(tooShort));
  });

  it("has the requested number of pages, up to 100,000", () => {
    const pdf = Buffer.from(fakePdf({ pages: 100_000 }));
    expect(pdf.toString("latin1").match(/\/Type \/Page /g)).toHaveLength(100_000);
    expect(pdf.includes("/Count 100000 ")).toBe(true);
  });

  const typeError = (name: string, type: string, got: string) =>
    new TypeError(`Expected ${name} to be of type ${type}, got ${got}.`);
  const pagesError = (got: string) =>
    new RangeError(`Expected \`pages\` to be an integer from 1 to 100000, got ${got}.`);
  it.each<[unknown, Error]>([
    [null, typeError("the fakePdf() options", "object", "null")],
    [["text"], typeError("the fakePdf() options", "object", "array")],
    [{ page: 2 }, new TypeError("Unknown fakePdf() option `page`. Known options: text, pages, bytes.")],
    [{ text: 7 }, typeError("`text`", "string", "number")],
    [{ pages: "2" }, typeError("`pages`", "number", "string")],
    [{ bytes: null }, typeError("`bytes`", "number", "null")],
    [{ pages: 0 }, pagesError("0")],
    [{ pages: 1.5 }, pagesError("1.5")],
    [{ pages: 10_000_000 }, pagesError("10000000")],
    [{ bytes: -1 }, new RangeError("Expected `bytes` to be an integer, got -1.")],
    [{ bytes: Number.NaN }, new RangeError("Expected `bytes` to be an integer, got NaN.")],
  ])("is not created if the options are invalid: %j", (options, error) => {
    expect(() => fakePdf(options as Parameters<typeof fakePdf>[0])).toThrow(error);
  });

  it("is not created if the runtime cannot allocate the requested bytes", () => {
    expect(() => fakePdf({ bytes: 9e15 })).toThrow(RangeError);
  });
});
