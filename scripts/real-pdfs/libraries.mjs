// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { programOf } from "../run-command.mjs";

const paragraphs = Array.from({ length: 120 }, (_, index) => `Line ${index + 1}: naïve café, £1,000,000.`);
/** One red pixel. */
const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/** @type {Record<string, object>} */
const definitions = {
  plain: { content: "Hello" },
  empty: { content: [] },
  uncompressed: { compress: false, content: paragraphs },
  compressed: { compress: true, content: paragraphs },
  table: {
    content: [{ table: { headerRows: 1, body: paragraphs.map((line, index) => [index, line, "£1.00"]) } }],
  },
  picture: {
    content: [
      { image: picture, width: 300 },
      { qr: "https://example.com", fit: 100 },
    ],
  },
  links: { content: paragraphs.map((text) => ({ text, link: "https://example.com", tocItem: true })) },
  outline: {
    content: [{ toc: {} }, ...paragraphs.map((text, index) => ({ text, tocItem: true, id: `i${index}` }))],
  },
  attached: {
    files: { note: { src: "data:text/plain;base64,SGVsbG8=", name: "note.txt" } },
    content: "Something is attached",
  },
  titled: { info: { title: "Ünïcödé — 文書", author: "Ada" }, lang: "en", tagged: true, content: paragraphs },
  landscape: { pageSize: "A0", pageOrientation: "landscape", watermark: "DRAFT", content: paragraphs },
  "open password": { userPassword: "open", ownerPassword: "own", content: paragraphs },
  "owner password": { ownerPassword: "own", permissions: { copying: false }, content: paragraphs },
  ...Object.fromEntries(
    ["1.3", "1.4", "1.5", "1.6", "1.7", "1.7ext3"].flatMap((version) => [
      [`version ${version}`, { version, content: paragraphs }],
      [`version ${version}, encrypted`, { version, userPassword: "open", content: paragraphs }],
    ]),
  ),
  ...Object.fromEntries(
    ["PDF/A-1b", "PDF/A-2b", "PDF/A-3b", "PDF/UA"].map((subset) => [
      subset.replace("/", ""),
      {
        subset,
        version: "1.7",
        tagged: true,
        displayTitle: true,
        lang: "en",
        info: { title: "An archive" },
        content: paragraphs,
      },
    ]),
  ),
  large: { content: Array.from({ length: 100 }, () => paragraphs) },
};

/**
 * Makes documents with the dev dependency pdfmake.
 *
 * @param {string} folder
 */
export async function makeWithPdfmake(folder) {
  mkdirSync(folder, { recursive: true });
  const require = createRequire(import.meta.url);
  /** @type {import("pdfmake").Pdfmake} */
  const pdfmake = require("pdfmake");
  pdfmake.setFonts(require("pdfmake/fonts/Roboto.js"));
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy(() => true);
  for (const [name, definition] of Object.entries(definitions)) {
    // A copy, because it writes into what it is given.
    writeFileSync(
      join(folder, `${name}.pdf`),
      await pdfmake.createPdf(structuredClone(definition)).getBuffer(),
    );
  }
}

/**
 * Installs pdf-lib beside what it is to make, and makes documents: new ones, and those of pdfmake saved again.
 *
 * @param {string} folder
 * @param {ReadonlyMap<string, Buffer>} others - documents to be changed, by name
 */
export async function makeWithPdfLib(folder, others) {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "node_modules", "pdf-lib"))) {
    writeFileSync(join(folder, "package.json"), "{}");
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", "pdf-lib@1.17.1"];
    const [program, ...words] = programOf("npm");
    const { status } = spawnSync(program, [...words, ...args], { cwd: folder, stdio: "inherit" });
    if (status !== 0) throw new Error("npm could not install it");
  }
  const { PDFDocument } = createRequire(join(folder, "package.json"))("pdf-lib");
  for (const useObjectStreams of [true, false]) {
    const kind = useObjectStreams ? "object streams" : "plain objects";
    const made = await PDFDocument.create();
    for (const line of paragraphs.slice(0, 20)) made.addPage().drawText(line.replaceAll(/[^ -~]/g, "?"));
    made.getForm().createTextField("name").addToPage(made.getPage(0), { x: 10, y: 10 });
    await made.attach(Buffer.from("Hello"), "note.txt", { mimeType: "text/plain" });
    writeFileSync(join(folder, `new, ${kind}.pdf`), await made.save({ useObjectStreams }));
    for (const [name, other] of others) {
      const changed = await PDFDocument.load(other);
      changed.addPage().drawText("One more page");
      writeFileSync(join(folder, `${name}, changed, ${kind}.pdf`), await changed.save({ useObjectStreams }));
    }
  }
}
