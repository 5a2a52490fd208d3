import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { loadRenderer } from "../../../src/emulator/renderer/pdfmake.ts";
import { readPdf } from "../../support/pdf-text.ts";
import { render, renderPdf } from "../../support/render-pdf.ts";

const setup = { templates: ".", images: undefined, fonts: undefined };

it("the renderer renders a definition in each style of its font", async () => {
  const content = [
    { text: "plain" },
    { text: "bold", bold: true },
    { text: "both", bold: true, italics: true },
  ];
  const { text } = await readPdf(await renderPdf({ content }));
  expect(text).toMatch(/plain.*bold.*both/s);
});

it("the renderer does not modify images that definitions share", async () => {
  const pixel =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const images = Object.freeze({ logo: pixel });
  await renderPdf({ images, content: [{ image: "logo" }] });
});

it("the renderer lists each visible character that the fonts of a document lack once, sorted", async () => {
  const content = [
    { text: "Größe Ωμέγα Привет £1\u00a0000" },
    { text: "✓ 中文 中\u200b😀 →", bold: true },
    { svg: '<svg width="9" height="9"></svg>' },
  ];
  expect((await render({ content })).missing).toBe("→✓中文😀");
  // Nothing carries over to the next document.
  expect((await render({ content: "Invoice" })).missing).toBe("");
});

describe("loadRenderer()", () => {
  it("says in one line what to install if pdfmake is missing", () => {
    const require = () => createRequire(import.meta.url)("pdfmake-that-is-not-installed");
    expect(() => loadRenderer(setup, () => require)).toThrow(
      /^The emulator renders with pdfmake, which is not installed: npm install pdfmake$/,
    );
  });

  it("does not report other failures of pdfmake as a missing package", () => {
    const require = () => {
      throw new Error("font file is damaged");
    };
    expect(() => loadRenderer(setup, () => require)).toThrow("font file is damaged");
  });
});
