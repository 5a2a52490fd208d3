import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { temporaryFolder } from "../client/every-form.ts";

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/**
 * Writes a script that plain Node can run: the package and undici bundled into it, because what Node reads of
 * its environment, it reads when it starts.
 *
 * @param body - statements that may await; they know `TemplatePdf`, and `argv`, the arguments
 */
export async function writeChild(body: string): Promise<string> {
  const outfile = join(temporaryFolder(), "child.cjs");
  await build({
    stdin: {
      contents: `import { TemplatePdf } from "template-pdf";
        const argv = process.argv.slice(2);
        (async () => {${body}})();`,
      resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
    },
    outfile,
    bundle: true,
    format: "cjs",
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
  });
  return outfile;
}

/** Runs such a script with these variables and no other proxy or authority, and reads the JSON that it prints. */
export async function runChild(
  script: string,
  args: readonly (string | number)[],
  env: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const inherited = Object.entries(process.env).filter(([name]) => !/proxy|^NODE_|^VITEST/i.test(name));
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args.map(String)], {
    env: { ...Object.fromEntries(inherited), ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

/** Writes a file that is gone when the test is over. */
export async function temporaryFile(name: string, content: string): Promise<string> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}
