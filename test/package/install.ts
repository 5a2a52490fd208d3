import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { programOf } from "../../scripts/run-command.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of an empty project with only the package installed, as npm would publish it. */
    consumer: string;
  }
}

/** Packs the package and installs it into an empty project, once for all tests of this folder. */
export default function install(project: TestProject): () => void {
  const repository = fileURLToPath(new URL("../..", import.meta.url));
  const consumer = realpathSync.native(mkdtempSync(join(tmpdir(), "template-pdf-consumer-")));
  // A test run from an editor has not built the package, and would test an old `dist`.
  execFileSync(process.execPath, ["scripts/setup.mjs"], { cwd: repository });
  npm(repository, "pack", "--ignore-scripts", "--pack-destination", consumer);
  const tarball = readdirSync(consumer).find((file) => file.endsWith(".tgz"));
  if (!tarball) throw new Error("npm pack wrote no tarball");
  writeFileSync(join(consumer, "package.json"), "{}");
  npm(consumer, "install", "--no-audit", "--no-fund", "--prefer-offline", `./${tarball}`);
  project.provide("consumer", consumer);
  const remove = () => rmSync(consumer, { recursive: true, force: true });
  // Ctrl-C does not run the teardown.
  process.once("exit", remove);
  return remove;
}

function npm(cwd: string, ...args: string[]): void {
  const [program, ...words] = programOf("npm");
  execFileSync(program, [...words, ...args], { cwd, stdio: ["ignore", "ignore", "pipe"] });
}
