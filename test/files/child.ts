import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { temporaryFolder } from "../client/every-form.ts";

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/**
 * Writes a script that plain Node can run, in any process: the package bundled into it, by fetch.
 *
 * @param script - what follows `import { TemplatePdf } from "template-pdf"`
 * @returns its path
 */
export async function childScript(script: string): Promise<string> {
  const folder = temporaryFolder();
  // Whoever the child runs as has to be able to read it.
  await chmod(folder, 0o755);
  const outfile = join(folder, "child.mjs");
  await build({
    stdin: {
      contents: `import { TemplatePdf } from "template-pdf";\n${script}`,
      resolveDir: folder,
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["undici"],
    plugins: [
      {
        name: "source",
        setup: ({ onResolve }) => {
          onResolve({ filter: /^template-pdf$/ }, () => ({ path: source("index.ts") }));
          onResolve({ filter: /^#/ }, ({ path }) => ({ path: source(`${path.slice(1)}/node.ts`) }));
        },
      },
    ],
  });
  return outfile;
}
