import pdfmake from "pdfmake";
import { expect, it } from "vitest";
import { loadRenderer } from "../../src/emulator/render.ts";
import { readPdf } from "../support/pdf-text.ts";

it("renders a definition in each style of its font", async () => {
  const render = await loadRenderer();
  const content = [
    { text: "plain" },
    { text: "bold", bold: true },
    { text: "both", bold: true, italics: true },
  ];
  const { text } = await readPdf(await render({ content }));
  expect(text).toMatch(/plain.*bold.*both/s);
});

it("leaves the pdfmake that the user may have set up alone", async () => {
  const before = { ...pdfmake };
  await (await loadRenderer())({ content: "text" });
  expect({ ...pdfmake }).toEqual(before);
});

it("says in one line what to install when pdfmake is missing", async () => {
  const missing = "pdfmake-that-is-not-installed";
  const load = () => import(/* @vite-ignore */ missing);
  await expect(loadRenderer(load)).rejects.toThrow(
    /^The emulator renders with pdfmake, which is not installed: npm install pdfmake$/,
  );
});

it("does not call any other failure of pdfmake a missing package", async () => {
  const load = () => Promise.reject(new Error("font file is damaged"));
  await expect(loadRenderer(load)).rejects.toThrow("font file is damaged");
});
