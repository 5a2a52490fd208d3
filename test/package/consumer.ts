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
 * Makes a project inside the consumer, which finds what the consumer has installed.
 *
 * @param name - of the project's folder; may lie in another project, to find what that one has installed, too
 * @param files - texts by path
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

/** Gives a project what this repository has installed, and no other project. */
export function link(project: string, name: string): void {
  const path = join(project, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url)), path, "junction");
}

/**
 * Makes a project that has optional peers of the package, and a copy of the package that finds them.
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
 * Runs Node on its own, without what this test run has put into the environment.
 *
 * @returns what it printed
 * @throws when it ends with anything but 0; the message holds what it printed.
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
