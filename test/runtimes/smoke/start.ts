import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { consumer } from "../../package/consumer.ts";
import { outputOf } from "../../support/programs.ts";
import { type BrowserName, launch } from "../browsers.ts";
import { nodeOf, programOf, runtimesFolder } from "../installed.ts";

/** How the checks of runtimes/smoke start in each kind of runtime. */

/** How a check ended. */
interface Result {
  readonly name: string;
  /** Why it failed. */
  readonly failed?: string;
  /** What this runtime does instead of something that it lacks. */
  readonly byDesign?: string;
}

/** How all of them ended in one runtime. */
export interface Run {
  readonly version: string;
  readonly results: readonly Result[];
}

/** Where the suite runs. */
export interface Ground {
  /** The service, which serves the page as well. */
  readonly service: string;
  /** Where nobody listens. */
  readonly unserved: string;
  /** A folder of the run's own, below that in which the package is installed. */
  readonly folder: string;
  /** The settings of the suite, as JSON. */
  readonly settings: string;
}

const sources = fileURLToPath(new URL("../../../runtimes/", import.meta.url));

/** The package as installed from its tarball, instead of the one in this repository. */
const installedPackage: Plugin = {
  name: "the installed package",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^template-pdf(\/|$)/ }, ({ path, kind, resolveDir }) =>
      resolveDir === consumer ? undefined : resolve(path, { kind, resolveDir: consumer }),
    );
  },
};

async function bundle(entry: string, options: BuildOptions): Promise<string> {
  const { outputFiles, warnings } = await build({
    entryPoints: [join(sources, entry)],
    bundle: true,
    write: false,
    target: "esnext",
    logLevel: "silent",
    ...options,
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("\n"));
  return outputFiles?.[0]?.text ?? "";
}

/** For a page, or for a web worker of it, with the package in it. */
export function bundleForPage(entry: "page" | "web-worker"): Promise<string> {
  return bundle(`start/${entry}.mjs`, { format: "iife", platform: "browser", plugins: [installedPackage] });
}

/** The titles of all checks. They are bundled, because Node 20 lacks some of their syntax. */
export async function namesOfChecks(): Promise<string[]> {
  const options: BuildOptions = {
    format: "esm",
    platform: "browser",
    target: "es2022",
    plugins: [installedPackage],
  };
  const code = await bundle("smoke/checks.mjs", options);
  const { checks } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return Object.keys(checks);
}

type Format = "esm" | "cjs";

function inProcess(
  program: string,
  format: Format,
  target: string,
  flags: (ground: Ground) => readonly string[],
): (ground: Ground) => Promise<Run> {
  return async (ground) => {
    const { folder, settings, service } = ground;
    const main = join(folder, `main.${format === "esm" ? "mjs" : "cjs"}`);
    const options: BuildOptions = { format, target, platform: "node", external: ["template-pdf"] };
    writeFileSync(main, await bundle("start/process.mjs", options));
    const env = { TEMPLATE_PDF_BASE_URL: service, TEMPLATE_PDF_API_KEY: "key-of-the-smoke-suite" };
    const version = await outputOf(program, ["--version"], { cwd: folder });
    // It ends only if nothing of the client keeps its process alive.
    const printed = await outputOf(program, [...flags(ground), main, settings], { cwd: folder, env });
    return { version: /\d+\.\d+\.\d+/.exec(version)?.[0] ?? version, results: JSON.parse(printed) };
  };
}

/** Before 24, Node has no `await using`: esbuild compiles it. */
export function inNode(version: 20 | 22 | 24 | 26, format: Format) {
  return inProcess(nodeOf(version), format, version < 24 ? `node${version}` : "esnext", () => []);
}

export function inBun(format: Format) {
  return inProcess(programOf("bun"), format, "esnext", () => ["run"]);
}

/** With no more permissions than it needs. */
export function inDeno(format: Format, mayReadEnvironment: boolean) {
  return inProcess(programOf("deno"), format, "esnext", ({ service, unserved, folder }) => [
    "run",
    "--no-prompt",
    `--allow-net=${new URL(service).host},${new URL(unserved).host}`,
    `--allow-read=${consumer}`,
    `--allow-write=${folder}`,
    ...(mayReadEnvironment ? ["--allow-env=TEMPLATE_PDF_BASE_URL,TEMPLATE_PDF_API_KEY"] : []),
  ]);
}

/** The runtime of Cloudflare Workers, started by miniflare, with the package bundled as its own tools do. */
export async function inWorkerd({ folder, settings }: Ground): Promise<Run> {
  const worker = join(folder, "worker.mjs");
  const conditions = ["workerd", "worker", "browser"];
  const options: BuildOptions = {
    format: "esm",
    platform: "neutral",
    conditions,
    plugins: [installedPackage],
  };
  writeFileSync(worker, await bundle("start/edge-worker.mjs", options));
  const args = [join(sources, "start/miniflare.mjs"), runtimesFolder, worker, settings];
  const printed = await outputOf(nodeOf(24), args, { cwd: folder });
  const manifest = readFileSync(join(runtimesFolder, "node_modules", "workerd", "package.json"), "utf8");
  return { version: JSON.parse(manifest).version, results: JSON.parse(printed) };
}

/** A page in a real browser, whose function `runner` runs the checks. */
export function inBrowser(name: BrowserName, runner: string) {
  return async ({ service, settings }: Ground): Promise<Run> => {
    const browser = await launch(name);
    try {
      const page = await browser.newPage();
      await page.goto(`${service}/`);
      const results = await page.evaluate(
        `${runner}(${settings}).then((results) => JSON.stringify(results))`,
      );
      const version = /\d+(?:\.\d+)+/.exec(await browser.version())?.[0] ?? "";
      return { version, results: JSON.parse(String(results)) };
    } finally {
      await browser.close();
    }
  };
}
