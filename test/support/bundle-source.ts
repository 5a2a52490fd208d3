import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/**
 * Bundles a script with the current source of the package, so that plain Node can run it in its own process.
 *
 * @param contents - the script, which imports from "template-pdf"
 * @param outfile - where to
 * @param options - options that differ from a self-contained ES module
 */
export async function bundleSource(contents: string, outfile: string, options: BuildOptions = {}) {
  await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL("../..", import.meta.url)) },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [
      {
        name: "source",
        setup: ({ onResolve }) => {
          onResolve({ filter: /^template-pdf$/ }, () => ({ path: source("index.ts") }));
          onResolve({ filter: /^#/ }, ({ path }) => ({ path: source(`${path.slice(1)}/node.ts`) }));
        },
      },
    ],
    ...options,
  });
}
