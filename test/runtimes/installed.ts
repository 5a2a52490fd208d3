import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf as programOfCommand } from "../../scripts/run-command.mjs";

/** The runtimes that npm installs, the drivers of the others, and the checker of pages, by name. */
const packages = {
  "node-20": "npm:node@20.20.2",
  "node-22": "npm:node@22.23.3",
  "node-24": "npm:node@24.21.0",
  "node-26": "npm:node@26.10.0",
  bun: "1.4.5",
  deno: "2.9.6",
  // Contains workerd, and runs on Node 22 and later.
  miniflare: "4.20260730.0",
  // The newest version that runs on Node 20.
  "puppeteer-core": "24.43.1",
  "axe-core": "4.14.1",
};

/** The newest Next.js that still runs on Node 20. */
export const nextVersion = "16.4.6";

const manifest = JSON.stringify({ private: true, dependencies: packages });

const cache = fileURLToPath(new URL("../../node_modules/.cache/template-pdf/", import.meta.url));

/** The folder of all runtimes after {@link installRuntimes}. It depends on the versions above. */
export const runtimesFolder = join(
  cache,
  `runtimes-${createHash("sha256").update(`${process.platform}-${process.arch} ${manifest}`).digest("hex").slice(0, 16)}`,
);

/** The Node program of a version. */
export function nodeOf(version: 20 | 22 | 24 | 26): string {
  return join(runtimesFolder, "node_modules", `node-${version}`, "bin", "node");
}

/** The program of a package. */
export function programOf(name: "bun" | "deno"): string {
  return join(runtimesFolder, "node_modules", ".bin", name);
}

/** Installs all runtimes that are not installed yet. */
export function installRuntimes(): void {
  if (existsSync(runtimesFolder)) return;
  mkdirSync(cache, { recursive: true });
  // Installs into another folder first, so that an interrupted installation is not mistaken for a complete one.
  const folder = mkdtempSync(join(cache, "installing-"));
  try {
    writeFileSync(join(folder, "package.json"), manifest);
    const [program, ...words] = programOfCommand("npm");
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
    execFileSync(program, [...words, ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    // Another run may have been faster and may use its installation already.
    if (!existsSync(runtimesFolder)) renameSync(folder, runtimesFolder);
    for (const old of readdirSync(cache).map((name) => join(cache, name)))
      if (/runtimes-\w+$/.test(old) && old !== runtimesFolder) rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const browsers = {
  chromium: { names: ["chromium", "chromium-browser", "google-chrome"], debian: "chromium" },
  firefox: { names: ["firefox-esr", "firefox"], debian: "firefox-esr" },
};

/**
 * The program of a browser, which npm does not provide.
 *
 * @throws {Error} if this machine does not have the browser, with the command that installs it
 */
export function browserOf(kind: keyof typeof browsers): string {
  const { names, debian } = browsers[kind];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  if (found) return found;
  throw new Error(
    `None of ${names.join(", ")} is on the PATH. Install it: apt-get install --yes --no-install-recommends ${debian}`,
  );
}
