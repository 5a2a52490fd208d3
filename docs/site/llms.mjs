// @ts-check
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { guides, pathOfGuide, reference } from "./chapters.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** @param {string} path */
const read = (path) => readFileSync(join(root, path), "utf8");
const { name, description, homepage } = JSON.parse(read("package.json"));

/** An entry point of the package. @typedef {{ name: string, url: string, sentence: string }} EntryPoint */

/**
 * Writes the documentation for language models: `llms.txt` in the format of https://llmstxt.org, `llms-full.txt` with all guides in
 * full, and the guides as Markdown, which `llms.txt` links to.
 *
 * @param {string} folder - the folder of the site
 * @param {readonly EntryPoint[]} entryPoints
 */
export function writeLlmsFiles(folder, entryPoints) {
  const pages = Object.values(guides).flatMap(Object.keys).map(pathOfGuide);
  for (const path of pages) {
    const target = join(folder, urlOf(path));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, path), target);
  }
  writeFileSync(join(folder, "llms.txt"), summaryOf(entryPoints));
  const texts = ["README.md", ...pages].map((path) => withoutMarkers(read(path)).trim());
  writeFileSync(join(folder, "llms-full.txt"), `${texts.join("\n\n---\n\n")}\n`);
}

/** @param {readonly EntryPoint[]} entryPoints */
function summaryOf(entryPoints) {
  const chapters = Object.entries(guides).map(([chapter, sentences]) => [
    chapter,
    ...Object.entries(sentences).map(([guide, sentence]) => {
      const path = pathOfGuide(guide);
      return lineOf(/^# (.+)$/m.exec(read(path))?.[1] ?? guide, urlOf(path), sentence);
    }),
  ]);
  const exported = entryPoints.map(({ name, url, sentence }) => lineOf(name, url, sentence));
  const optional = [
    lineOf("llms-full.txt", "llms-full.txt", "The README and all guides in one file."),
    lineOf("openapi.yaml", "media/openapi.yaml", "The endpoint of the service as an OpenAPI document."),
  ];
  const sections = [...chapters, [reference, ...exported], ["Optional", ...optional]].map(
    ([heading, ...lines]) => `## ${heading}\n\n${lines.join("\n")}`,
  );
  return `${[`# ${name}`, `> ${description}`, ...sections].join("\n\n")}\n`;
}

/**
 * @param {string} title
 * @param {string} url - relative to the site
 * @param {string} sentence
 */
function lineOf(title, url, sentence) {
  return `- [${title}](${new URL(url, homepage)}): ${sentence}`;
}

/** @param {string} path - of a page in the repository */
function urlOf(path) {
  return path.replace(/^docs\//, "");
}

/** @param {string} markdown */
function withoutMarkers(markdown) {
  return markdown.replaceAll(/^<!-- (?:generated: .+|end of generated) -->\n\n?/gm, "");
}
