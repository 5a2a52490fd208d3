import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { consumer } from "../../package/consumer.ts";
import { outputOf } from "../../support/programs.ts";
import { type BrowserName, launch } from "../browsers.ts";
import { nodeOf, programOf, runtimesFolder } from "../installed.ts";

// Starts the checks of runtimes/smoke in each kind of runtime.

/** The result of a check. */
interface Result {
  readonly name: string;
  /** The reason of a failure. */
  readonly failed?: string;
  /** How the runtime differs by design. */
  readonly byDesign?: string;
}

/** The results of all checks in one runtime. */
export interface Run {
  readonly version: string;
  readonly results: readonly Result[];
}

/** The addresses and folders of a run. */
export interface Ground {
  /** The address of the service, which also serves the page. */
  readonly service: string;
  /** An address without a server. */
  readonly unserved: string;
  /** A folder for this run, inside the project that has installed the package. */
  readonly folder: string;
  /** The settings of the suite, as JSON. */
  readonly settings: string;
}

const sources = fileURLToPath(new URL("../../../runtimes/", import.meta.url));

/** Resolves the package that was installed from its tarball, instead of this repository. */
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

/** Bundles the suite and the package for a page or a web worker. */
export function bundleForPage(entry: "page" | "web-worker"): Promise<string> {
  return bundle(`start/${entry}.mjs`, { format: "iife", platform: "browser", plugins: [installedPackage] });
}

/** Returns the titles of all checks. They are bundled, because Node 20 does not support their syntax. */
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
    const env = { TEMPLATE_PDF_BASE_URL: service, TEMPLATE_PDF_API_KEY: "smoke-suite-key" };
    const version = await outputOf(program, ["--version"], { cwd: folder });
    // The process ends only if the client does not keep it alive.
    const printed = await outputOf(program, [...flags(ground), main, settings], { cwd: folder, env });
    return { version: /\d+\.\d+\.\d+/.exec(version)?.[0] ?? version, results: JSON.parse(printed) };
  };
}

/** Runs the suite in Node. Before 24, esbuild compiles `await using`. */
export function inNode(version: 20 | 22 | 24 | 26, format: Format) {
  return inProcess(nodeOf(version), format, version < 24 ? `node${version}` : "esnext", () => []);
}

export function inBun(format: Format) {
  return inProcess(programOf("bun"), format, "esnext", () => ["run"]);
}

/** Runs the suite in Deno with the minimum permissions. */
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

/** Runs the suite in workerd, started by miniflare, with the package bundled as wrangler does. */
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

/** Runs the function `runner` of a page in a real browser. */
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
