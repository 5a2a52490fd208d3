import fc from "fast-check";
import { InvalidPdfError, TruncatedPdfError } from "template-pdf";
import { afterEach, describe, expect, it, vi } from "vitest";
import invoice, { sample } from "../../examples/templates/invoice.mjs";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { adviceOn } from "../../src/testing/pdf/read-by-pdf-js.ts";
import { pdfText } from "../../src/testing/pdf-text.ts";
import { property } from "../support/fuzz.ts";
import { renderPdf } from "../support/render-pdf.ts";

const asRead = (text: string) => text.replace(/\r\n?/g, "\n").replace(/\p{Surrogate}/gu, "\ufffd");

afterEach(() => {
  vi.doUnmock("pdfjs-dist/legacy/build/pdf.mjs");
  vi.resetModules();
});

async function expectDamaged(bytes: Uint8Array): Promise<void> {
  const error: Error = await pdfText(bytes).then(expect.fail, (error) => error);
  expect(error.message).toMatch(/^This (?:fake )?PDF is damaged: .*\.$/);
  expect(error.message).not.toMatch(/Invoice/);
}

describe("the text of a fake PDF", () => {
  const unit = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.constantFrom(..."אבםشمם١\u064b\u05b0\u200c\u200f\u202e ") },
    { weight: 3, arbitrary: fc.constantFrom(..."abc()\\<>%/ \t\u00ad\u0085\u2028\ufeff\0") },
    { weight: 1, arbitrary: fc.constantFrom("\n", "\r", "\r\n", "\ud800", "\udfff", " ET\n", "T*", "\\)") },
  );
  const text = fc.array(unit, { maxLength: 300 }).map((parts) => parts.join(""));

  property("is the text that it was created with, for any number of pages and any length", () =>
    fc.asyncProperty(text, fc.integer({ min: 1, max: 4 }), fc.nat(2_000), async (text, pages, more) => {
      const { length } = fakePdf({ text, pages });
      expect(await pdfText(fakePdf({ text, pages, bytes: length + more }))).toBe(asRead(text));
    }),
  );

  const manyLetters = Array.from({ length: 900 }, (_, at) => String.fromCodePoint(0x600 + at)).join("");
  it.each([
    ["nothing", ""],
    ["one line break", "\n"],
    ["blank lines before, between and after", "\n\na\n\n\nb\n\n"],
    ["spaces at the start and end of lines", "  a  \n   \n\tb\t"],
    ["lines for many pages, including blank lines", "a\n\n\n".repeat(500)],
    ["a line for several pages", "long line ".repeat(12_000)],
    ["long lines of mixed scripts in both directions", "שלום ١٢ 漢字 a\u0301👨‍👩‍👧 ".repeat(9_000)],
    ["a line with more characters than one font can encode", manyLetters],
  ])("contains %s", async (_title, text) => {
    expect(await pdfText(fakePdf({ text }))).toBe(text);
  });

  it("can contain every character", async () => {
    let text = "";
    for (let code = 0; code < 0x11_0000; code++) {
      // Uses all of the first Unicode plane and a sample of the others.
      if (code < 0x1_0000 || code % 97 === 0) text += String.fromCodePoint(code);
      if (code % 80 === 0) text += "\n";
    }
    expect(await pdfText(fakePdf({ text }))).toBe(asRead(text));
  });

  it("is read without pdf.js", async () => {
    vi.resetModules();
    vi.doMock("pdfjs-dist/legacy/build/pdf.mjs", () => {
      throw new Error("pdf.js was loaded");
    });
    const { pdfText: pdfTextAlone } = await import("../../src/testing/pdf-text.ts");
    expect(await pdfTextAlone(fakePdf({ text: "by itself" }))).toBe("by itself");
    await expect(pdfTextAlone(await renderPdf({ content: "x" }))).rejects.toThrow(/pdfjs-dist/);
  });

  it("is the same for a Buffer, a part of one, an ArrayBuffer, a Blob and a File, and does not change them", async () => {
    const pdf = fakePdf({ text: "any form" });
    const padded = Buffer.concat([Buffer.from("xx"), pdf, Buffer.from("yy")]);
    const part = padded.subarray(2, 2 + pdf.length);
    const forms = [
      Buffer.from(pdf),
      part,
      pdf.buffer as ArrayBuffer,
      new Blob([pdf]),
      new File([pdf], "a.pdf"),
    ];
    for (const form of [pdf, ...forms]) expect(await pdfText(form)).toBe("any form");
    expect(pdf).toEqual(fakePdf({ text: "any form" }));
  });

  it("is read from a Blob without methods for its bytes, like that of jsdom", async () => {
    const blob = { [Symbol.toStringTag]: "Blob" } as unknown as Blob;
    vi.stubGlobal(
      "FileReader",
      class {
        result: unknown;
        onload = () => {};
        readAsArrayBuffer(given: Blob): void {
          expect(given).toBe(blob);
          this.result = fakePdf({ text: "of a page" }).buffer;
          queueMicrotask(() => this.onload());
        }
      },
    );
    expect(await pdfText(blob)).toBe("of a page");
    vi.unstubAllGlobals();
  });

  it("is found even if NULs and white space follow the end", async () => {
    const pdf = Buffer.concat([fakePdf({ text: "padded" }), Buffer.from("\0\0\r\n \0")]);
    expect(await pdfText(pdf)).toBe("padded");
  });

  it.each([
    // Like bytes that were decoded as text and encoded again.
    ["changed bytes", /[\x80-\xff]/g, "\xef\xbf\xbd"],
    ["changed line breaks", /\n/g, "\r\n"],
    ["a byte too many", "Invoice", "Invoicee"],
    ["a byte too few", "/Kids", "/Kid"],
    ["another object at an offset", "1 0 obj", "7 0 obj"],
    ["an operator that fakePdf does not write", "T*", "T+"],
    ["an offset without an object", /startxref\n\d+/, "startxref\n12"],
  ])("is not read from a fake PDF with %s", async (_title, part, by) => {
    const text = Buffer.from(fakePdf({ text: "Invoice" })).toString("latin1");
    await expectDamaged(Buffer.from(text.replace(part, by), "latin1"));
  });
});

describe("the text of any other PDF", () => {
  it("has the lines of an invoice from the emulator", async () => {
    const text = await pdfText(await renderPdf(invoice(sample)));
    expect(text.split("\n").map((line) => line.trim())).toEqual(
      expect.arrayContaining(["Brönte & Łoś Studio", "Αθηνά Α.Ε.", "Ερμού 42, Αθήνα"]),
    );
  });

  it("continues from page to page", async () => {
    const pdf = await renderPdf({ content: ["first", { text: "second", pageBreak: "before" }] });
    expect(await pdfText(pdf)).toBe("first\nsecond");
  });

  it("is the changed text if a program has changed a fake PDF", async () => {
    const fake = Buffer.from(fakePdf({ text: "before" })).toString("latin1");
    const content = "BT /F 12 Tf 40 700 Td (after) Tj ET";
    const number = /(\d+) 0 obj\n<< \/Length/.exec(fake)?.[1];
    const changed = `${fake}${number} 0 obj\n<< /Length ${content.length} >>\nstream\n${content}\nendstream\nendobj\n`;
    const size = /\/Size (\d+)/.exec(fake)?.[1];
    const previous = /startxref\n(\d+)/.exec(fake)?.[1];
    const saved = `${changed}xref\n${number} 1\n${String(fake.length).padStart(10, "0")} 00000 n \ntrailer\n<< /Size ${size} /Root 1 0 R /Prev ${previous} >>\nstartxref\n${changed.length}\n%%EOF\n`;
    expect(await pdfText(Buffer.from(saved, "latin1"))).toBe("after");
  });

  it("is refused with an error that says the PDF is encrypted", async () => {
    const pdf = await renderPdf({ content: "Secret", version: "1.7", userPassword: "letmein" });
    await expect(pdfText(pdf)).rejects.toThrow(
      /^This PDF is encrypted, and pdfText\(\) cannot decrypt it\. /,
    );
  });

  it("is refused with an error that says the PDF is damaged if nothing can be read", async () => {
    await expectDamaged(Buffer.from("%PDF-1.7\nnothing of Invoice\n%%EOF"));
  });

  it.each([
    ["not installed", "ERR_MODULE_NOT_FOUND", ": npm install --save-dev pdfjs-dist"],
    ["out of Jest's reach", "ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG", "--experimental-vm-modules."],
    ["too new for this Node", undefined, "which could not be loaded."],
  ])("requires pdf.js, and the error says what to do if it is %s", (_title, code, advice) => {
    expect(adviceOn(Object.assign(new Error("no pdfjs-dist"), { code }))).toContain(advice);
  });

  it("is refused with an error that says pdf.js cannot be loaded", async () => {
    vi.resetModules();
    vi.doMock("pdfjs-dist/legacy/build/pdf.mjs", () => {
      throw new Error("broken");
    });
    const { pdfText: pdfTextAlone } = await import("../../src/testing/pdf-text.ts");
    await expect(pdfTextAlone(await renderPdf({ content: "x" }))).rejects.toThrow(
      /^pdfText\(\) reads documents other than those of fakePdf\(\) and fakeService\(\) with pdfjs-dist, which /,
    );
  });
});

describe("pdfText with anything but a PDF", () => {
  it("rejects with the same reason as the client", async () => {
    await expect(pdfText(Buffer.from("<html>secret</html>"))).rejects.toThrow(InvalidPdfError);
    await expect(pdfText(fakePdf({ bytes: 5_000 }).subarray(0, 3_000))).rejects.toThrow(TruncatedPdfError);
  });

  it.each([
    [
      "%PDF-1.7 %%EOF",
      /^Expected a Uint8Array, a Buffer or an ArrayBuffer or a Blob for pdfText\(\), got a value of type String\. /,
    ],
    [Promise.resolve(fakePdf()), /got a value of type Promise\. Put `await` before it\.$/],
    [undefined, /got a value of type Undefined\. /],
  ])("throws a TypeError for %o", async (given, message) => {
    await expect(pdfText(given as unknown as Uint8Array)).rejects.toThrow(message);
    await expect(pdfText(given as unknown as Uint8Array)).rejects.toThrow(TypeError);
  });
});
