import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "../client/every-form.ts";
import { bundleSource } from "../support/bundle-source.ts";

/**
 * What makes memory come out the same to the byte, every time and under any load: code that is never compiled allocates
 * the same at its first and its thousandth run, the young generation is too large to be collected, and nothing is done
 * by another thread.
 */
const steady = ["--jitless", "--single-threaded", "--min-semi-space-size=128", "--max-semi-space-size=128"];

/**
 * Runs one of the programs of this folder by plain Node, with the source as it is now.
 *
 * @param name - of its file
 * @returns what it printed, which is JSON
 */
export async function runProgram(name: string): Promise<unknown> {
  const outfile = join(temporaryFolder(), `${name}.mjs`);
  // A plain import of a file of this package would be left out: it says of itself that it has no effects.
  await bundleSource(`await import("./test/guards/programs/${name}.ts");`, outfile, { external: ["undici"] });
  const { NODE_OPTIONS, NODE_V8_COVERAGE, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [...steady, outfile], { env });
  return JSON.parse(stdout);
}
