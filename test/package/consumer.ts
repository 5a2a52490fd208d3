import { cpSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { outputOf } from "../support/programs.ts";

/** An empty project that has installed the packed package. */
export const consumer = inject("consumer");

/** The package as installed there. */
export const installed = join(consumer, "node_modules", "template-pdf");

/**
 * Creates a project inside the consumer, so that it finds the packages installed there.
 *
 * @param name - the folder of the project; inside another project, it also finds the packages installed there
 * @param files - file contents by path
 * @returns the folder
 */
export function makeProject(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(consumer, "projects", name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Makes the packages of this repository available to one project. */
export function link(project: string, name: string): void {
  const path = join(project, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url)), path, "junction");
}

/**
 * Creates a project with optional peer dependencies of the package, and a copy of the package that finds them.
 *
 * @param files - texts by path
 */
export function makeProjectWith(
  peers: readonly string[],
  name: string,
  files: Readonly<Record<string, string>>,
): string {
  const project = makeProject(name, files);
  cpSync(installed, join(project, "node_modules", "template-pdf"), { recursive: true });
  for (const peer of peers) link(project, peer);
  return project;
}

/**
 * Runs Node without the environment variables of this test run.
 *
 * @returns the output
 * @throws if its exit code is not 0; the message contains the output.
 */
export function runNode(cwd: string, ...args: string[]): Promise<string> {
  return outputOf(process.execPath, args, { cwd });
}

/** Every file below a folder, as paths with slashes, with its size in bytes. */
export function filesBelow(folder: string): { path: string; bytes: number }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => ({ path: path.replaceAll("\\", "/"), stats: statSync(join(folder, path)) }))
    .filter(({ stats }) => stats.isFile())
    .map(({ path, stats }) => ({ path, bytes: stats.size }));
}
