import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PdfCheck } from "../../src/call/pdf-check.ts";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { property } from "../support/fuzz.ts";
import { readByLines } from "./read-by-lines.ts";

function isWhole(bytes: Uint8Array): boolean {
  const verifier = new PdfCheck();
  verifier.update(bytes);
  return verifier.begins === true && verifier.ends();
}

/** What stands at each offset of the cross-reference table, which itself stands where the end says. */
function objectsByTable(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes).toString("latin1");
  const [, at = ""] = /\nstartxref\n(\d+)\n%%EOF\n+$/.exec(text) ?? [];
  const [head = "", size = ""] = /^xref\n0 (\d+)\n0000000000 65535 f \n/.exec(text.slice(Number(at))) ?? [];
  const entries = text.slice(Number(at) + head.length);
  expect(entries.slice(20 * (Number(size) - 1))).toMatch(/^trailer\n/);
  return Array.from({ length: Number(size) - 1 }, (_, index) => {
    const [, offset = ""] = /^(\d{10}) 00000 n \n$/.exec(entries.slice(20 * index, 20 * index + 20)) ?? [];
    return text.slice(Number(offset)).split("\n")[0] ?? "";
  });
}

const text = fc.string({ unit: "binary", maxLength: 200 });

describe("a fake PDF", () => {
  it("is one that a viewer opens without a word, with its pages and its text", async () => {
    const pdf = fakePdf({ text: "Café (no. 1)\nsecond \\ line — “€12”", pages: 3 });
    expect(await readByLines(pdf)).toEqual({
      pages: 3,
      lines: ["Café (no. 1)", "second \\ line — “€12”"],
      warnings: [],
    });
  });

  it("is one empty page where nothing is asked for", async () => {
    expect(await readByLines(fakePdf())).toEqual({ pages: 1, lines: [""], warnings: [] });
    expect(fakePdf({})).toEqual(fakePdf());
    expect(fakePdf({ text: undefined, pages: undefined, bytes: undefined })).toEqual(fakePdf());
  });

  it("keeps Latin text as it is among its bytes, for whoever looks for it there", () => {
    expect(Buffer.from(fakePdf({ text: "uid: inv_2024" })).includes("uid: inv_2024")).toBe(true);
  });

  it.each([1_000, 10_001, 1_000_003])("is exactly as long as it is to be: %i bytes", async (bytes) => {
    const pdf = fakePdf({ bytes, text: "padded" });
    expect(pdf.length).toBe(bytes);
    expect(isWhole(pdf)).toBe(true);
    expect(await readByLines(pdf)).toEqual({ pages: 1, lines: ["padded"], warnings: [] });
  });

  it("has every length from the shortest on, also where its offsets get a digit more", () => {
    const { length } = fakePdf();
    for (let bytes = length; bytes < length + 1_300; bytes++) {
      const pdf = fakePdf({ bytes });
      expect(pdf.length).toBe(bytes);
      expect(objectsByTable(pdf)).toEqual(["1 0 obj", "2 0 obj", "3 0 obj"]);
    }
  });

  property("has a table whose offsets are right, and the length that was asked for, with any text", () =>
    fc.property(text, fc.integer({ min: 1, max: 9 }), fc.nat(3_000), (text, pages, more) => {
      const shortest = fakePdf({ text, pages });
      const pdf = fakePdf({ text, pages, bytes: shortest.length + more });
      expect(pdf.length).toBe(shortest.length + more);
      const objects = objectsByTable(pdf);
      expect(objects).toEqual(objects.map((_, index) => `${index + 1} 0 obj`));
      expect(() => fakePdf({ text, pages, bytes: shortest.length - 1 })).toThrow(
        `to be at least ${shortest.length} for`,
      );
    }),
  );

  it("has as many pages as are asked for, up to 100,000", () => {
    const pdf = Buffer.from(fakePdf({ pages: 100_000 }));
    expect(pdf.toString("latin1").match(/\/Type \/Page /g)).toHaveLength(100_000);
    expect(pdf.includes("/Count 100000 ")).toBe(true);
  });
});

describe("what a fake PDF is refused for", () => {
  const of = (options: unknown) => () => fakePdf(options as Parameters<typeof fakePdf>[0]);

  it.each([
    [null, "Expected the options of fakePdf() to be of type object, got null."],
    ["text", "Expected the options of fakePdf() to be of type object, got string."],
    [["text"], "Expected the options of fakePdf() to be of type object, got array."],
    [{ page: 2 }, "Unknown option `page` of fakePdf(). Known options: text, pages, bytes."],
    [{ text: 7 }, "Expected `text` to be of type string, got number."],
    [{ text: null }, "Expected `text` to be of type string, got null."],
    [{ text: ["a"] }, "Expected `text` to be of type string, got array."],
    [{ pages: "2" }, "Expected `pages` to be of type number, got string."],
    [{ bytes: null }, "Expected `bytes` to be of type number, got null."],
    [{ bytes: 9n }, "Expected `bytes` to be of type number, got bigint."],
  ])("%o is a TypeError", (options, message) => {
    expect(of(options)).toThrow(new TypeError(message));
  });

  it.each([
    [{ pages: 0 }, "Expected `pages` to be a whole number from 1 to 100000, got 0."],
    [{ pages: 1.5 }, "Expected `pages` to be a whole number from 1 to 100000, got 1.5."],
    [{ pages: Number.NaN }, "Expected `pages` to be a whole number from 1 to 100000, got NaN."],
    [{ pages: 10_000_000 }, "Expected `pages` to be a whole number from 1 to 100000, got 10000000."],
    [{ bytes: Number.NaN }, "Expected `bytes` to be a whole number of bytes, got NaN."],
    [{ bytes: -1 }, "Expected `bytes` to be a whole number of bytes, got -1."],
    [{ bytes: 0.5 }, "Expected `bytes` to be a whole number of bytes, got 0.5."],
    [{ bytes: Number.POSITIVE_INFINITY }, "Expected `bytes` to be a whole number of bytes, got Infinity."],
    [
      { bytes: 100 },
      `Expected \`bytes\` to be at least ${fakePdf().length} for this text and these pages, got 100.`,
    ],
  ])("%o is a RangeError", (options, message) => {
    expect(of(options)).toThrow(new RangeError(message));
  });

  it("more bytes than the runtime can hold are a RangeError", () => {
    expect(of({ bytes: 9e15 })).toThrow(RangeError);
  });
});
