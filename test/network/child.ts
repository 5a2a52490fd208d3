import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundleSource } from "../support/bundle-source.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/**
 * Runs a script in plain Node, with the package and undici bundled into it, and returns the JSON that it prints. A new process is
 * needed because Node reads its environment at the start. The process inherits no proxy or Node settings.
 *
 * @param body - statements that may use `await`, `TemplatePdf` and `argv`, the arguments
 */
export async function runChild(
  body: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<unknown> {
  const script = join(temporaryFolder(), "child.cjs");
  const contents = `import { TemplatePdf } from "template-pdf";
    const argv = process.argv.slice(2);
    (async () => {${body}})();`;
  await bundleSource(contents, script, { format: "cjs" });
  const inherited = Object.entries(process.env).filter(([name]) => !/proxy|^NODE_|^VITEST/i.test(name));
  const all = { ...Object.fromEntries(inherited), ...env };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env: all });
  return JSON.parse(stdout);
}

/** Writes a file that is deleted when the test has finished. */
export async function temporaryFile(name: string, content: string): Promise<string> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}
