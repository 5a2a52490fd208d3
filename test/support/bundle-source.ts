import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/**
 * Bundles a script that plain Node can run, in a process of its own: the package as its source is now comes with it.
 *
 * @param contents - the script, which imports from "template-pdf"
 * @param outfile - where to
 * @param options - what is different from an ES module that holds all it needs
 */
export async function bundleSource(
  contents: string,
  outfile: string,
  options: BuildOptions = {},
): Promise<void> {
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
