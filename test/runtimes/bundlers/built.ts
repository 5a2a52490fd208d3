import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { filesBelow } from "../../package/consumer.ts";
import { runToEnd } from "../../support/programs.ts";

/** The report of a build script for one bundle. */
export interface Built {
  readonly title: string;
  /** The file that is loaded first. */
  readonly file: string;
  readonly warnings: readonly string[];
  /** The paths of the bundled modules. */
  readonly modules: readonly string[];
  /** The modules that it loads from outside. */
  readonly external: readonly string[];
}

/** The app that every bundler builds, with the build scripts. */
const project = fileURLToPath(new URL("project", import.meta.url));

/** The bundlers that the tests install, by name. */
export const bundlers = { vite: "8.3.8", webpack: "5.112.2", esbuild: "0.28.2", rollup: "4.68.7" };

/** The newest Next.js that still runs on Node 20. */
export const nextVersion = "16.4.6";

/** Copies the app into a folder with the bundlers installed. */
export function copyProject(folder: string): string {
  const copy = join(folder, "project");
  cpSync(project, copy, { recursive: true });
  writeFileSync(join(copy, "package.json"), '{ "private": true, "type": "module" }');
  return copy;
}

/** The bundles of a build script by title, and its output. */
export interface Outcome {
  readonly bundles: ReadonlyMap<string, Built>;
  readonly printed: string;
}

/** Builds every bundle with one bundler. */
export async function buildWith(bundler: string, folder: string): Promise<Outcome> {
  const told = join(folder, `${bundler}.jsonl`);
  writeFileSync(told, "");
  const { printed } = await runToEnd(process.execPath, [`build-with-${bundler}.mjs`, told], { cwd: folder });
  const lines = readFileSync(told, "utf8").split("\n").filter(Boolean);
  const bundles: Built[] = lines.map((line) => JSON.parse(line));
  return { bundles: new Map(bundles.map((built) => [built.title, built])), printed };
}

/** The packages of modules. */
export function packagesOf({ modules }: Built): string[] {
  const names = modules.map(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path.replaceAll("\\", "/"))?.[1],
  );
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** The files of the package that differ by runtime. */
export function platformsOf({ modules }: Built): string[] {
  const files = modules.map(
    (path) => /template-pdf\/dist\/(platform\/.+|index\.browser\.js)$/.exec(path.replaceAll("\\", "/"))?.[1],
  );
  return files.filter((file) => file !== undefined);
}

/** The bytes of all scripts of a bundle, gzipped, as a page loads them. */
export function gzippedBytes(folder: string, { file }: Built): number {
  const beside = dirname(join(folder, file));
  const scripts = filesBelow(beside).filter(({ path }) => path.endsWith(".js"));
  return scripts.reduce(
    (sum, { path }) => sum + gzipSync(readFileSync(join(beside, path)), { level: 9 }).length,
    0,
  );
}
