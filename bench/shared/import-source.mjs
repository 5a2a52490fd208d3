import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { makeTemporaryFolder } from "./at-end.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Imports what no entry point of the package exports, bundled from TypeScript, which Node 20 cannot load. */
export async function importSource(contents) {
  const outfile = join(makeTemporaryFolder("source"), "source.mjs");
  await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    alias: { "#platform": join(root, "src/platform/node.ts") },
  });
  return import(pathToFileURL(outfile).href);
}
