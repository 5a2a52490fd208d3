import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { InvalidPdfError, TruncatedPdfError } from "template-pdf";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { adviceOn } from "../../src/testing/pdf/read-by-pdf-js.ts";
import { pdfText } from "../../src/testing/pdf-text.ts";
import { renderPdf } from "../support/render-pdf.ts";

afterEach(() => {
  vi.doUnmock("pdfjs-dist/legacy/build/pdf.mjs");
  vi.resetModules();
});

/** Reads the lines of a document with pdf.js only, as another program would, in its strictest mode. */
async function readByLines(bytes: Uint8Array) {
  const warnings: string[] = [];
  const spies = (["log", "warn", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...words) => void warnings.push(words.join(" "))),
  );
  const loading = getDocument({ data: Uint8Array.from(bytes), verbosity: 1, stopAtErrors: true });
  try {
    const document = await loading.promise;
    const pages: string[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent({ disableNormalization: true });
      const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
      if (text !== "") pages.push(text);
    }
    return { pages: document.numPages, lines: pages.join("\n").split("\n"), warnings };
  } finally {
    await loading.destroy();
    for (const spy of spies) spy.mockRestore();
  }
}

/** Normalizes lines as PDF readers do: without blank lines, and without spaces at either end of a line. */
const seen = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "");

describe("pdf.js", () => {
  it("reads a fake PDF in full and without warnings, whatever its length", async () => {
    const pdf = fakePdf({ text: "Café (no. 1)\nsecond \\ line — “€12”", pages: 3, bytes: 1_000_003 });
    const lines = ["Café (no. 1)", "second \\ line — “€12”"];
    expect(await readByLines(pdf)).toEqual({ pages: 3, lines, warnings: [] });
    expect(await readByLines(fakePdf())).toEqual({ pages: 1, lines: [""], warnings: [] });
  });

  const longLines = `${"The quick brown fox. ".repeat(20)}\n${"W".repeat(900)}\n${"漢".repeat(900)}\nlast`;
  const cjk = Array.from({ length: 300 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");
  it.each([
    ["Windows-1252 characters beyond Latin-1", "€ 12,50 — “quoted” ‘it’ … • Œuvre Žluťoučký ™"],
    ["Greek, Cyrillic and Polish text", "Αθηνά Α.Ε.\nСчёт № 7\nzażółć gęślą jaźń"],
    ["Chinese, Japanese and Korean text", "发票号码：一二三\n日本語のテキスト\n한국어 문서"],
    ["combining marks and Devanagari", "e\u0301a\u0308o\u0302 and Z\u0351\u036Balgo\nनमस्ते दुनिया"],
    ["tabs and control characters", "a\tb\t\tc\nx\u0001y\u0000z\u007Fw\u0085v\u009Fu"],
    ["text that looks like PDF syntax", "(a\\) \\n endstream endobj <</Length 1>> Tj ET %%EOF trailer"],
    ["characters beyond the first Unicode plane", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐀀 𓀀 \u{10FFFD}"],
    ["more than 255 different characters on one line", cjk],
    ["lines that are wider than the page", longLines],
  ])("reads a fake PDF that contains %s", async (_title, text) => {
    const { lines, warnings } = await readByLines(fakePdf({ text }));
    expect({ text: seen(lines.join("\n")), warnings }).toEqual({ text: seen(text), warnings: [] });
  });
});

describe("pdfText() on a fake PDF", () => {
  it.each([
    ["blank lines before, between and after other lines", "\n\na\n\n\nb\n\n"],
    ["spaces at the start and end of lines", "  a  \n   \n\tb\t"],
    ["lines on many pages, including blank lines", "a\n\n\n".repeat(100)],
    ["text that looks like PDF syntax", "() ET\nT*\\) %%EOF\n<</A>>"],
    ["a long line of mixed scripts in both directions", "שלום ١٢ 漢字 a\u0301👨‍👩‍👧 ".repeat(900)],
  ])("preserves %s", async (_title, text) => {
    expect(await pdfText(fakePdf({ text }))).toBe(text);
  });

  it("does not load pdf.js", async () => {
    vi.resetModules();
    vi.doMock("pdfjs-dist/legacy/build/pdf.mjs", () => {
      throw new Error("pdf.js was loaded");
    });
    const { pdfText: pdfTextAlone } = await import("../../src/testing/pdf-text.ts");
    expect(await pdfTextAlone(fakePdf({ text: "by itself" }))).toBe("by itself");
    await expect(pdfTextAlone(await renderPdf({ content: "x" }))).rejects.toThrow(
      /^For documents that fakePdf\(\) or fakeService\(\) did not create, pdfText\(\) needs pdfjs-dist, which /,
    );
  });

  it("accepts any type of buffer, and does not change the bytes", async () => {
    const pdf = fakePdf({ text: "any form" });
    const part = Buffer.concat([Buffer.from("xx"), pdf, Buffer.from("yy")]).subarray(2, 2 + pdf.length);
    for (const form of [pdf, part, pdf.buffer, new Blob([pdf]), new File([pdf], "a.pdf")]) {
      expect(await pdfText(form)).toBe("any form");
    }
    expect(pdf).toEqual(fakePdf({ text: "any form" }));
  });

  it("reads a Blob that has no `arrayBuffer()` method, as in jsdom", async () => {
    class Reader {
      result: unknown;
      onload = () => {};
      readAsArrayBuffer(): void {
        this.result = fakePdf({ text: "of a page" }).buffer;
        queueMicrotask(() => this.onload());
      }
    }
    vi.stubGlobal("FileReader", Reader);
    expect(await pdfText({ [Symbol.toStringTag]: "Blob" } as unknown as Blob)).toBe("of a page");
    vi.unstubAllGlobals();
  });

  it.each([
    // These bytes were decoded as text and encoded again.
    ["changed bytes", /[\x80-\xff]/g, "\xef\xbf\xbd"],
    ["changed line breaks", /\n/g, "\r\n"],
    ["an extra byte", "Invoice", "Invoicee"],
    ["an operator that fakePdf() does not write", "T*", "T+"],
    ["an offset that does not point to an object", /startxref\n\d+/, "startxref\n12"],
  ])("rejects %s", async (_title, part, by) => {
    const text = Buffer.from(fakePdf({ text: "Invoice" })).toString("latin1");
    const reading = pdfText(Buffer.from(text.replace(part, by), "latin1"));
    const { message } = await reading.then(expect.fail, (error: Error) => error);
    expect(message).toMatch(/^This (?:fake )?PDF is damaged: .*\.$/);
    expect(message).not.toMatch(/Invoice/);
  });
});

describe("pdfText() on other PDFs", () => {
  it("returns the lines of every page", async () => {
    const content = ["Brönte & Łoś Studio", "Αθηνά Α.Ε.", { text: "second", pageBreak: "before" }];
    expect(await pdfText(await renderPdf({ content }))).toBe("Brönte & Łoś Studio\nΑθηνά Α.Ε.\nsecond");
  });

  it("rejects an encrypted PDF with an explanation", async () => {
    const pdf = await renderPdf({ content: "Secret", version: "1.7", userPassword: "letmein" });
    await expect(pdfText(pdf)).rejects.toThrow(
      /^This PDF is encrypted, and pdfText\(\) cannot decrypt it\. /,
    );
  });

  it.each([
    ["not installed", "ERR_MODULE_NOT_FOUND", ": npm install --save-dev pdfjs-dist"],
    ["blocked by Jest", "ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG", "--experimental-vm-modules."],
  ])("explains what to do if pdf.js is %s", (_title, code, advice) => {
    expect(adviceOn(Object.assign(new Error("no pdfjs-dist"), { code }))).toContain(advice);
  });
});

it("pdfText() throws the client's errors for an invalid PDF, and a TypeError for a string", async () => {
  await expect(pdfText(Buffer.from("<html>secret</html>"))).rejects.toThrow(InvalidPdfError);
  await expect(pdfText(fakePdf({ bytes: 5_000 }).subarray(0, 3_000))).rejects.toThrow(TruncatedPdfError);
  const error = await pdfText("%PDF-1.7 %%EOF" as unknown as Uint8Array).catch((error) => error);
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toMatch(
    /^Expected a Uint8Array, a Buffer or an ArrayBuffer or a Blob for pdfText\(\), got a value of type String\. /,
  );
});
