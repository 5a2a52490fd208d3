// @ts-check
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";

/**
 * @typedef {object} Source - where PDFs come from
 * @property {string} name
 * @property {string} folder - holds them, at any depth, also as `.pdf.gz`
 * @property {boolean} isSound - whether each is known to be whole; the folders of test suites hold damaged ones
 *
 * @typedef {object} RealPdf
 * @property {string} source
 * @property {string} path
 * @property {Buffer} bytes
 */

/**
 * Gives each distinct PDF once, whatever it is called and however often it is there; one at a time is in memory.
 *
 * @param {readonly Source[]} sources
 * @returns {Generator<RealPdf, void, undefined>}
 */
export function* readPdfs(sources) {
  const seen = new Set();
  for (const { name, folder } of sources) {
    for (const path of pdfsIn(folder)) {
      const bytes = readPdf(path);
      if (bytes === undefined) continue;
      const hash = createHash("sha256").update(bytes).digest("base64");
      if (seen.has(hash)) continue;
      seen.add(hash);
      yield { source: name, path, bytes };
    }
  }
}

/**
 * @param {string} folder
 * @returns {string[]} the files whose names say that they are PDFs
 */
function pdfsIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.pdf(\.gz)?$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * @param {string} path
 * @returns {Buffer | undefined} nothing for a `.gz` that is none
 */
function readPdf(path) {
  const bytes = readFileSync(path);
  if (!/\.gz$/i.test(path)) return bytes;
  try {
    return gunzipSync(bytes);
  } catch {
    console.log(`  ${basename(path)}: not gzip; left out`);
    return undefined;
  }
}
