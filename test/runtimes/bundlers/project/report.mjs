// What the build scripts share: `node build-with-….mjs <file>` writes a line of JSON for each bundle into the file.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** @param {{ title: string, file: string, warnings: string[], modules: string[], external: string[] }} build */
export function report(build) {
  appendFileSync(process.argv[2], `${JSON.stringify(build)}\n`);
}

/** The entries that are measured: the client alone, with templates, with the browser entry point, and what needs no client. */
export const sizes = {
  client: 'import { TemplatePdf } from "template-pdf";\nglobalThis.used = TemplatePdf;\n',
  template:
    'import { TemplatePdf, template } from "template-pdf";\nglobalThis.used = [TemplatePdf, template];\n',
  browser:
    'import { TemplatePdf } from "template-pdf";\nimport { download, objectUrl } from "template-pdf/browser";\nglobalThis.used = [TemplatePdf, download, objectUrl];\n',
  helpers:
    'import { download, objectUrl } from "template-pdf/browser";\nglobalThis.used = [download, objectUrl];\n',
  errors: 'import { TemplatePdfError } from "template-pdf";\nglobalThis.used = TemplatePdfError;\n',
};
mkdirSync("sizes", { recursive: true });
for (const [name, code] of Object.entries(sizes)) writeFileSync(`sizes/${name}.js`, code);

/** Writes the page for a bundler that does not write one. */
export function pageOf(app, folder, script) {
  const html = readFileSync(`${app}/index.html`, "utf8");
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/index.html`, html.replace("./page.js", `./${script}`));
}

/** A plugin for Rollup and Vite that records the modules in a bundle and those that it loads from outside. */
export function noteModules(found) {
  return {
    name: "note-modules",
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === "chunk");
      const own = new Set(chunks.map(({ fileName }) => fileName));
      found.file = chunks.find(({ isEntry }) => isEntry).fileName;
      found.modules.push(...chunks.flatMap(({ modules }) => Object.keys(modules)));
      const imports = chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
      found.external.push(...imports.filter((name) => !own.has(name)));
    },
  };
}
