import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { userFrames } from "../../../src/emulator/renderer/error-location.ts";
import { parseText } from "../../../src/emulator/renderer/json/placeholders.ts";
import { loadRenderer } from "../../../src/emulator/renderer/pdfmake.ts";
import { readPdf } from "../../support/pdf-text.ts";
import { render, renderPdf } from "../../support/render-pdf.ts";
import { pixel } from "../emulated.ts";

it("the renderer supports regular, bold and bold italic text", async () => {
  const bold = { text: "bold", bold: true };
  const content = [{ text: "plain" }, bold, { text: "both", bold: true, italics: true }];
  const pdf = await renderPdf({ content });
  expect((await readPdf(pdf)).text).toMatch(/plain.*bold.*both/s);
  const fonts = Buffer.from(pdf)
    .toString("latin1")
    .match(/(?<=\/BaseFont \/\w+\+)[\w-]+/g);
  expect(new Set(fonts)).toEqual(new Set(["Roboto-Regular", "Roboto-Medium", "Roboto-MediumItalic"]));
});

it("the renderer rejects an image file name if no image folder is set", async () => {
  const images = Object.freeze({ logo: `data:image/png;base64,${pixel}` });
  await renderPdf({ images, content: [{ image: "logo" }] });
  const unnamed = renderPdf({ content: [{ image: "logo.png" }] });
  await expect(unnamed).rejects.toThrow("no image folder is set; set `images`");
});

it("the renderer names the visible characters that are missing from a document's fonts", async () => {
  const content = [
    { text: "Größe Ωμέγα Привет £1\u00a0000" },
    { text: "✓ 中文 中\u200b😀 →", bold: true },
    { svg: '<svg width="9" height="9"></svg>' },
  ];
  const named = "→ (U+2192), ✓ (U+2713), 中 (U+4E2D), 文 (U+6587), 😀 (U+1F600)";
  expect((await render({ content })).warnings).toEqual([
    expect.stringContaining(`its fonts lack ${named}, so`),
  ]);
  // Nothing carries over to the next document.
  expect((await render({ content: "Invoice" })).warnings).toEqual([]);
});

describe("loadRenderer()", () => {
  it.each([
    [
      "throws a one-line error that contains the install command if pdfmake is not installed",
      undefined,
      /^The emulator renders with pdfmake, which is not installed: npm install pdfmake$/,
    ],
    ["rethrows any other error from pdfmake unchanged", new Error("damaged"), /^damaged$/],
  ])("%s", (_title, failure, message) => {
    const require = () => {
      if (failure) throw failure;
      return createRequire(import.meta.url)("pdfmake-that-is-not-installed");
    };
    const setup = { templates: ".", images: undefined, fonts: undefined };
    expect(() => loadRenderer(setup, () => require)).toThrow(message);
  });
});

/** Each of these took minutes with a regular expression that restarts at every character. */
describe("parsing 500,000 characters of text", () => {
  const length = 500_000;

  it("is fast even if template text consists only of backslashes", () => {
    const text = "\\".repeat(length);
    const fault = (problem: string) => new Error(problem);
    expect(parseText(text, fault)).toEqual([text]);
    expect(parseText(`${text}{{a}}`, fault)[0]).toBe("\\".repeat(length / 2));
  });

  it("is fast even if an error's stack contains unmatched parentheses", () => {
    const error = new Error("told");
    error.stack = `Error: told\n    at ${"(/".repeat(length / 2)}x\n    at f (/home/me/a (1)/b.mjs:3:14)`;
    expect(userFrames(error)).toMatchObject([{ path: "/home/me/a (1)/b.mjs", line: 3, column: 14 }]);
  });
});
