import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { InvalidPdfError, TemplatePdfError, TruncatedPdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { assertWholePdf } from "../../src/testing/assert-whole-pdf.ts";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { property } from "../support/fuzz.ts";
import { renderPdf } from "../support/render-pdf.ts";

/** Returns the error that it throws, or `undefined`. */
function refusal(given: unknown): unknown {
  try {
    assertWholePdf(given);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("assertWholePdf with a complete PDF", () => {
  property("accepts every fake PDF, as any type of bytes", () =>
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 5 }), (text, pages) => {
      const pdf = fakePdf({ text, pages });
      expect([pdf, Buffer.from(pdf), pdf.buffer].map(refusal)).toEqual([undefined, undefined, undefined]);
    }),
  );

  it("accepts a real PDF and one from another realm", async () => {
    expect(refusal(await renderPdf({ content: "Invoice" }))).toBeUndefined();
    const foreign = runInNewContext("Uint8Array.from(numbers)", { numbers: [...fakePdf()] });
    expect(foreign instanceof Uint8Array).toBe(false);
    expect(refusal(foreign)).toBeUndefined();
    expect(refusal(foreign.buffer)).toBeUndefined();
  });

  it("narrows the type of its argument", () => {
    const given: unknown = fakePdf();
    assertWholePdf(given);
    expect(given.byteLength).toBe(fakePdf().length);
  });
});

describe("assertWholePdf with an incomplete PDF", () => {
  property("rejects every prefix of a PDF without its end mark", () =>
    fc.property(fc.nat(3_000), fc.double({ min: 0, max: 1, noNaN: true }), (more, share) => {
      const pdf = fakePdf({ text: "cut", bytes: fakePdf({ text: "cut" }).length + more });
      // Only the last line break may be missing.
      const part = pdf.subarray(0, Math.floor(share * (pdf.length - 2)));
      const error = refusal(part);
      expect(error).toBeInstanceOf(part.length < 5 ? InvalidPdfError : TruncatedPdfError);
      if (error instanceof TruncatedPdfError) expect(error.receivedBytes).toBe(part.length);
      expect(refusal(pdf.subarray(0, pdf.length - 1))).toBeUndefined();
    }),
  );

  it("throws an error of one line with the length", () => {
    expect(refusal(fakePdf({ bytes: 9_000 }).subarray(0, 4_000))).toMatchObject({
      code: "truncated_pdf",
      message:
        "This PDF is truncated: its 4000 bytes do not end with %%EOF. Check that all of it was written and read.",
      receivedBytes: 4_000,
      attempts: 0,
    });
  });
});

describe("assertWholePdf with anything but a PDF", () => {
  it.each([
    ["", "it is empty."],
    ["hello secret", "its 12 bytes do not begin like one."],
    ["<!doctype html>secret", "its 21 bytes do not begin like one, and look like HTML or XML."],
    ["\n  <svg>secret", "its 14 bytes do not begin like one, and look like HTML or XML."],
    ["\ufeff{}", "its 5 bytes do not begin like one, and look like JSON."],
    ['["secret"]', "its 10 bytes do not begin like one, and look like JSON."],
    [`${"x".repeat(1_020)}%PDF-1.7\n%%EOF`, "its 1034 bytes do not begin like one."],
  ])("reports %j without its content", (text, what) => {
    const error = refusal(Buffer.from(text)) as InvalidPdfError;
    expect(error).toBeInstanceOf(InvalidPdfError);
    expect(error.message).toBe(`This is not a PDF: ${what} Check the code that created or fetched it.`);
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  const service = { bytes: async () => fakePdf() };
  const response = { [Symbol.toStringTag]: "Response", arrayBuffer() {} };
  it.each([
    ["a promise", Promise.resolve(fakePdf()), "Promise. Put `await` before it."],
    ["a string", "%PDF-", "String. A string corrupts the bytes of a PDF: read the file or the response as"],
    ["a Response", response, "Response. Await its arrayBuffer() first."],
    ["a Blob", new Blob([]), /Blob\. Await its (?:bytes|arrayBuffer)\(\) first\.$/],
    ["a pending result of the client", service, "Object. Await its bytes() first."],
    ["nothing", undefined, "Undefined. Pass the bytes of the document."],
    ["null", null, "Null. Pass the bytes of the document."],
    ["other numbers", new Float64Array(8), "Float64Array. Pass the bytes of the document."],
  ])("throws a TypeError with advice for %s", (_title, given, what) => {
    const error = refusal(given) as TypeError;
    expect(error).toBeInstanceOf(TypeError);
    expect(TemplatePdfError.is(error)).toBe(false);
    expect(error.message).toMatch(what);
    expect(error.message).toMatch(
      /^Expected a Uint8Array, a Buffer or an ArrayBuffer for assertWholePdf\(\), got a value of type /,
    );
  });
});
