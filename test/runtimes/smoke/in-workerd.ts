import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeOf, runtimesFolder } from "../installed.ts";
import { bundleForEdge } from "./bundle.ts";
import { runProgram } from "./in-process.ts";
import type { Ground, Run } from "./runtime.ts";

const driver = fileURLToPath(new URL("../../../runtimes/start/miniflare.mjs", import.meta.url));

/** The runtime of Cloudflare Workers, which miniflare starts. */
export async function inWorkerd({ folder, settings }: Ground): Promise<Run> {
  const worker = join(folder, "worker.mjs");
  writeFileSync(worker, await bundleForEdge());
  const printed = await runProgram(nodeOf(24), [driver, runtimesFolder, worker, settings], folder);
  const manifest = readFileSync(join(runtimesFolder, "node_modules", "workerd", "package.json"), "utf8");
  return { version: JSON.parse(manifest).version, results: JSON.parse(printed) };
}
