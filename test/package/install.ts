import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { buildIfChanged } from "../../scripts/build-if-changed.mjs";
import { programOf } from "../../scripts/run-command.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of an empty project with only the package installed, as npm would publish it. */
    consumer: string;
  }
}

/** Packs the package and installs it into an empty project, once for all tests of this folder and, in watch mode, before each rerun. */
export default async function install(project: TestProject): Promise<() => void> {
  const consumer = realpathSync.native(mkdtempSync(join(tmpdir(), "template-pdf-consumer-")));
  await installInto(consumer);
  project.onTestsRerun(async (specifications) => {
    if (specifications.some((specification) => specification.project === project))
      await installInto(consumer);
  });
  project.provide("consumer", consumer);
  const remove = () => rmSync(consumer, { recursive: true, force: true });
  // Ctrl-C does not run the teardown.
  process.once("exit", remove);
  return remove;
}

async function installInto(consumer: string): Promise<void> {
  for (const name of readdirSync(consumer)) rmSync(join(consumer, name), { recursive: true, force: true });
  if (!(await buildIfChanged("code and types"))) throw new Error("The build failed. Its output is above.");
  npm(repository, "pack", "--ignore-scripts", "--pack-destination", consumer);
  const tarball = readdirSync(consumer).find((file) => file.endsWith(".tgz"));
  if (!tarball) throw new Error("npm pack wrote no tarball");
  writeFileSync(join(consumer, "package.json"), "{}");
  npm(consumer, "install", "--no-audit", "--no-fund", "--prefer-offline", `./${tarball}`);
}

function npm(cwd: string, ...args: string[]): void {
  const [program, ...words] = programOf("npm");
  execFileSync(program, [...words, ...args], { cwd, stdio: ["ignore", "ignore", "pipe"] });
}
