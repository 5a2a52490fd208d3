// @ts-check
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { unpackDebianPackages } from "./debian-packages.mjs";
import { makeWithPdfLib, makeWithPdfmake } from "./libraries.mjs";
import { makeWithPrograms } from "./programs.mjs";

/** What was downloaded or made; the next run downloads nothing again. */
const cache = join(tmpdir(), "template-pdf-real-pdfs");

/**
 * Makes and downloads whatever this machine can, and says what it cannot.
 *
 * @param {readonly string[]} folders - of the user
 * @returns {Promise<import("./collection.mjs").Source[]>}
 */
export async function collect(folders) {
  mkdirSync(cache, { recursive: true });
  /** @param {string} name */
  const inCache = (name) => join(cache, name);

  await attempt("pdfmake", () => makeWithPdfmake(inCache("pdfmake")));
  const samples = ["compressed", "outline", "picture"]
    .map((name) => join(inCache("pdfmake"), `${name}.pdf`))
    .filter((path) => existsSync(path));
  await attempt("pdf-lib", () =>
    makeWithPdfLib(
      inCache("pdf-lib"),
      new Map(samples.map((path) => [basename(path, ".pdf"), readFileSync(path)])),
    ),
  );
  await attempt("programs", () => {
    const { missing, failed } = makeWithPrograms(inCache("programs"), samples);
    for (const command of missing) console.log(`  programs: no ${command} here`);
    for (const line of failed) console.log(`  programs: made nothing: ${line}`);
  });
  await attempt("Debian packages", () => {
    for (const name of unpackDebianPackages(inCache("debian"))) {
      console.log(`  Debian packages: ${name} cannot be had here`);
    }
  });

  const made = [
    { name: "pdfmake", folder: inCache("pdfmake") },
    { name: "pdf-lib", folder: inCache("pdf-lib") },
    { name: "programs of this machine", folder: inCache("programs") },
    { name: "Debian packages", folder: inCache("debian") },
    { name: "documentation installed here", folder: "/usr/share/doc" },
  ];
  return [
    ...made.map((source) => ({ ...source, isSound: true })),
    ...folders.map((folder) => ({
      name: basename(resolve(folder)),
      folder: resolve(folder),
      isSound: false,
    })),
  ];
}

/**
 * @param {string} source
 * @param {() => void | Promise<void>} make
 */
async function attempt(source, make) {
  try {
    await make();
  } catch (error) {
    console.log(`  ${source}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
