import { runInNewContext } from "node:vm";
import { InvalidPdfError, TemplatePdfError, TruncatedPdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { assertWholePdf } from "../../src/testing/assert-whole-pdf.ts";
import { fakePdf } from "../../src/testing/fake-pdf.ts";

/** Returns the error that `assertWholePdf()` throws, or `undefined`. */
function refusal(given: unknown): unknown {
  try {
    assertWholePdf(given);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("assertWholePdf()", () => {
  it("accepts a PDF in any type of buffer, and narrows the argument's type", () => {
    const pdf = fakePdf({ text: "漢", pages: 2 });
    const foreign = runInNewContext("Uint8Array.from(numbers)", { numbers: [...pdf] });
    expect(foreign instanceof Uint8Array).toBe(false);
    const all = [pdf, Buffer.from(pdf), pdf.buffer, foreign, foreign.buffer];
    expect(all.map(refusal)).toEqual(all.map(() => undefined));
    const given: unknown = pdf;
    assertWholePdf(given);
    expect(given.byteLength).toBe(pdf.length);
  });

  it("rejects a PDF that is truncated at any byte, and reports the PDF's length", () => {
    const pdf = fakePdf({ text: "cut" });
    // Only the last line break may be missing.
    expect(refusal(pdf.subarray(0, -1))).toBeUndefined();
    for (let bytes = 0; bytes < pdf.length - 1; bytes++) {
      const error = refusal(pdf.subarray(0, bytes));
      if (bytes < 5) expect(error).toBeInstanceOf(InvalidPdfError);
      else expect(error).toMatchObject({ code: "truncated_pdf", receivedBytes: bytes, attempts: 0 });
    }
    const error = refusal(pdf.subarray(0, 400)) as TruncatedPdfError;
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect(error.message).toBe(
      "This PDF is truncated: its 400 bytes do not end with %%EOF. Check that the whole PDF was written and read.",
    );
  });

  it.each([
    ["", "it is empty."],
    ["%", "it is 1 byte long and does not begin with %PDF-."],
    ["hello secret", "it is 12 bytes long and does not begin with %PDF-."],
    ["\n  <svg>secret", "it is 14 bytes long and does not begin with %PDF-, but looks like HTML or XML."],
    ["\ufeff{}", "it is 5 bytes long and does not begin with %PDF-, but looks like JSON."],
    [`${"x".repeat(1_020)}%PDF-1.7\n%%EOF`, "it is 1034 bytes long and does not begin with %PDF-."],
  ])("rejects bytes that are not a PDF, and does not quote the bytes: %j", (text, what) => {
    const error = refusal(Buffer.from(text)) as InvalidPdfError;
    expect(error).toBeInstanceOf(InvalidPdfError);
    expect(error.message).toBe(`This is not a PDF: ${what} Check the code that created or fetched it.`);
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  it.each(["utf8", "latin1"] as const)("rejects a PDF that was decoded as %s", (encoding) => {
    for (const bytes of [undefined, 20_000]) {
      const decoded = Buffer.from(Buffer.from(fakePdf({ text: "text", bytes })).toString(encoding));
      const error = refusal(decoded) as InvalidPdfError;
      expect(error).toBeInstanceOf(InvalidPdfError);
      expect(error.message).toBe(
        "This PDF is damaged: it was decoded as text on its way, usually by an API Gateway without binary types, by `response.text()` or by a mock that returns a string. Pass on its bytes unchanged.",
      );
    }
  });

  it("names the encoding of a PDF", () => {
    const error = refusal(Buffer.from(Buffer.from(fakePdf()).toString("base64"))) as InvalidPdfError;
    expect(error.message).toContain("does not begin with %PDF-, but looks like a PDF in base64.");
  });

  const service = { bytes: async () => fakePdf() };
  const response = { [Symbol.toStringTag]: "Response", arrayBuffer() {} };
  it.each([
    ["a promise", Promise.resolve(fakePdf()), "Promise. Put `await` before it."],
    ["a string", "%PDF-", "String. A string corrupts the bytes of a PDF: read the file or the response as"],
    ["a Response", response, "Response. Await its arrayBuffer() first."],
    ["a Blob", new Blob([]), /Blob\. Await its (?:bytes|arrayBuffer)\(\) first\.$/],
    ["a client's pending result", service, "Object. Await its bytes() first."],
    ["null", null, "Null. Pass the bytes of the document."],
  ])("throws a TypeError with advice if it receives %s", (_title, given, what) => {
    const error = refusal(given) as TypeError;
    expect(error).toBeInstanceOf(TypeError);
    expect(TemplatePdfError.is(error)).toBe(false);
    expect(error.message).toMatch(what);
    expect(error.message).toMatch(
      /^Expected a Uint8Array, a Buffer or an ArrayBuffer for assertWholePdf\(\), got a value of type /,
    );
  });
});
