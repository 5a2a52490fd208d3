import { describe, expect, it } from "vitest";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { Verifier } from "../../src/verify.ts";
import { readPdf } from "../support/pdf-text.ts";

function isWhole(bytes: Uint8Array): boolean {
  const verifier = new Verifier();
  verifier.update(bytes);
  return verifier.begins === true && verifier.ends();
}

describe("a fake PDF", () => {
  it("is one that a viewer opens, with its pages and its text", async () => {
    const { pages, text } = await readPdf(fakePdf({ text: "Café (no. 1)\nsecond \\ line", pages: 3 }));
    expect(pages).toBe(3);
    expect(text).toContain("Café (no. 1)");
    expect(text).toContain("second \\ line");
  });

  it("is one with no text at all, and with text that its font does not have", async () => {
    expect((await readPdf(fakePdf())).pages).toBe(1);
    expect((await readPdf(fakePdf({ text: "日本" }))).text).toContain("??");
  });

  it.each([1_000, 1_001, 1_063, 1_064, 9_999, 10_000, 10_001, 100_000, 1_000_003])(
    "is exactly as long as it is to be: %i bytes",
    async (bytes) => {
      const pdf = fakePdf({ bytes, text: "padded" });
      expect(pdf.length).toBe(bytes);
      expect(isWhole(pdf)).toBe(true);
      expect((await readPdf(pdf)).text).toContain("padded");
    },
  );

  it("has no two kilobytes that are alike", () => {
    const pdf = Buffer.from(fakePdf({ bytes: 200_000 }));
    const kilobytes = Array.from({ length: 195 }, (_, at) =>
      pdf.toString("latin1", at * 1_024, at * 1_024 + 1_024),
    );
    expect(new Set(kilobytes).size).toBe(195);
  });

  it("is refused where it would be too short to be one", () => {
    expect(() => fakePdf({ bytes: 100 })).toThrow(/at least \d{3}, got 100/);
  });
});
