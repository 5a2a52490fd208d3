import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { makeTemporaryFolder } from "./at-end.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Imports internal modules, bundled because Node 20 cannot load TypeScript. */
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
