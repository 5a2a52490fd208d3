import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "../client/every-form.ts";
import { bundleSource } from "../support/bundle-source.ts";

/**
 * Writes a script that plain Node can run, with the package and undici bundled into it. A new process is needed because Node
 * reads its environment when it starts.
 *
 * @param body - statements that may use `await`, `TemplatePdf` and `argv`, the arguments
 */
export async function writeChild(body: string): Promise<string> {
  const outfile = join(temporaryFolder(), "child.cjs");
  const contents = `import { TemplatePdf } from "template-pdf";
    const argv = process.argv.slice(2);
    (async () => {${body}})();`;
  await bundleSource(contents, outfile, { format: "cjs" });
  return outfile;
}

/**
 * Runs such a script with these variables and without any other proxy or certificate authority, and returns the JSON that it
 * prints.
 */
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

/** Writes a file that is deleted when the test has finished. */
export async function temporaryFile(name: string, content: string): Promise<string> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}
