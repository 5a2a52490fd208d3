// @ts-check
import { readFile } from "node:fs/promises";
import { transform } from "esbuild";
import { ownSources } from "./own-sources.mjs";

/** Whole lines, and no more than one comment: code may stand behind it. */
const docs = /^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm;

/**
 * The client keeps its lines, and the comments between them. What stands before a declaration stands in the types.
 *
 * @type {import("esbuild").Plugin}
 */
export const withoutDocs = {
  name: "without-docs",
  setup({ onLoad }) {
    onLoad({ filter: ownSources }, async ({ path }) => ({
      contents: await stripDocs(await readFile(path, "utf8")),
      loader: "ts",
    }));
  },
};

/**
 * Takes doc comments out of a source.
 *
 * @param {string} code
 * @throws {Error} where more than comments would go: in a text of several lines stands what looks like one
 */
export async function stripDocs(code) {
  const stripped = code.replaceAll(docs, "");
  const [before, after] = await Promise.all([code, stripped].map(codeOf));
  if (before !== after) throw new Error("without its doc comments it would be other code");
  return stripped;
}

/** @param {string} source */
async function codeOf(source) {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  return (await transform(source, { loader: "ts", minifyWhitespace: true, tsconfigRaw })).code;
}
