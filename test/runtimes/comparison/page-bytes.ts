import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const peers = fileURLToPath(new URL("../../../bench/peers", import.meta.url));

/** What a page imports of each way; what is not here is not made for pages. */
const imports: Readonly<Record<string, string>> = {
  "template-pdf": 'export { TemplatePdf } from "template-pdf"',
  fetch: "export {}",
  axios: 'export { default } from "axios"',
  ky: 'export { default } from "ky"',
  ofetch: 'export { ofetch } from "ofetch"',
};

/** How much a page loads of a way, bundled, minified and gzipped: in whole kB, or a dash. */
export async function pageBytes(way: string, consumer: string): Promise<string> {
  const contents = imports[way];
  if (contents === undefined) return "–";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: way === "template-pdf" ? consumer : peers },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
  });
  const bytes = outputFiles.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0);
  return way === "fetch" ? "0" : `${Math.round(bytes / 1000)} kB`;
}
