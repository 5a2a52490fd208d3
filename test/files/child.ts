import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../client/every-form.ts";
import { bundleSource } from "../support/bundle-source.ts";

/**
 * Writes a script that plain Node can run in any process. The package is bundled into it, with the fetch transport.
 *
 * @param script - the code after `import { TemplatePdf } from "template-pdf"`
 * @returns its path
 */
export async function childScript(script: string): Promise<string> {
  const folder = temporaryFolder();
  // The user of the child process must be able to read it.
  await chmod(folder, 0o755);
  const outfile = join(folder, "child.mjs");
  const contents = `import { TemplatePdf } from "template-pdf";\n${script}`;
  await bundleSource(contents, outfile, { external: ["undici"] });
  return outfile;
}
