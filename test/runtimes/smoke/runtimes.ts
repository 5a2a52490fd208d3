import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { nodeOf, runtimeProgram, runtimesFolder } from "../../../scripts/runtimes.mjs";
import { consumer } from "../../package/consumer.ts";
import { outputOf } from "../../support/programs.ts";
import { type BrowserName, launch } from "../browsers.ts";

/** The properties that differ between runtimes. */
interface Facts {
  readonly transport: "undici" | "fetch";
  /** Whether it has buffers, Node streams and files. */
  readonly hasFiles: boolean;
  /** Whether it is a page or a web worker. */
  readonly isPage: boolean;
  readonly hasEnvironment: boolean;
  /** The maximum number of bytes that the service can send to an unread stream; `undefined` if there is no backpressure. */
  readonly mostUnreadBytes: number | undefined;
  /** The outcomes that differ in this runtime, by the name of the fault. */
  readonly otherwise?: Readonly<Record<string, string>>;
}

/** The settings of the suite, which runtimes/smoke/stage.mjs describes. */
interface Settings {
  readonly service: string;
  readonly unserved: string;
  readonly folder: string;
}

/** The version of a runtime, and the results of all checks: the reason of a failure, or a difference by design. */
interface Run {
  readonly version: string;
  readonly results: readonly {
    readonly name: string;
    readonly failed?: string;
    readonly byDesign?: string;
  }[];
}

/** A runtime in which the suite runs. */
interface Runtime {
  readonly name: string;
  /** The kind of module or page. */
  readonly as: string;
  readonly facts: Facts;
  readonly run: (settings: Settings) => Promise<Run>;
}

const smoke = fileURLToPath(new URL("../../../runtimes/smoke/", import.meta.url));

/** Resolves the package that was installed from its tarball, instead of this repository. */
const installedPackage: Plugin = {
  name: "the installed package",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^template-pdf$/ }, ({ path, kind, resolveDir }) =>
      resolveDir === consumer ? undefined : resolve(path, { kind, resolveDir: consumer }),
    );
  },
};

/** Bundles the checks with code that uses `runSmoke`. */
async function bundle(code: string, options: BuildOptions): Promise<string> {
  const { outputFiles, warnings } = await build({
    stdin: { contents: `import { runSmoke } from "./run.mjs";\n${code}`, resolveDir: smoke },
    bundle: true,
    write: false,
    target: "esnext",
    logLevel: "silent",
    ...options,
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("\n"));
  return outputFiles?.[0]?.text ?? "";
}

const script = async (code: string) => ({
  type: "text/javascript",
  text: await bundle(code, { format: "iife", platform: "browser", plugins: [installedPackage] }),
});

/** The page in which the suite runs, and its scripts. */
export const pages = {
  "/": { type: "text/html", text: "<!doctype html><title>Smoke suite</title><script src=/page.js></script>" },
  "/page.js": await script(`
    globalThis.runSmoke = runSmoke;
    globalThis.runSmokeInWorker = (settings) =>
      new Promise((resolve, reject) => {
        const worker = new Worker("/web-worker.js");
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(settings);
      });`),
  "/web-worker.js": await script(`
    globalThis.onmessage = async ({ data }) => globalThis.postMessage(await runSmoke(data));`),
};

type Format = "esm" | "cjs";

function inProcess(
  program: string,
  format: Format,
  target = "esnext",
  flags: (settings: Settings) => readonly string[] = () => [],
): Runtime["run"] {
  return async (settings) => {
    const { folder, service } = settings;
    const main = join(folder, `main.${format === "esm" ? "mjs" : "cjs"}`);
    const code =
      "runSmoke(JSON.parse(process.argv[2])).then((results) => console.log(JSON.stringify(results)));";
    writeFileSync(main, await bundle(code, { format, target, platform: "node", external: ["template-pdf"] }));
    const env = { TEMPLATE_PDF_BASE_URL: service, TEMPLATE_PDF_API_KEY: "smoke-suite-key" };
    const version = await outputOf(program, ["--version"], { cwd: folder });
    // The process ends only if the client does not keep it alive.
    const printed = await outputOf(program, [...flags(settings), main, JSON.stringify(settings)], {
      cwd: folder,
      env,
    });
    return { version: /\d+\.\d+\.\d+/.exec(version)?.[0] ?? version, results: JSON.parse(printed) };
  };
}

/** Runs the suite in Node. Before 24, esbuild compiles `await using`. */
const inNode = (version: 20 | 22 | 24 | 26, format: Format) =>
  inProcess(nodeOf(version), format, version < 24 ? `node${version}` : "esnext");

/** Runs the suite in Deno with the minimum permissions. */
function inDeno(format: Format, mayReadEnvironment: boolean) {
  return inProcess(runtimeProgram("deno"), format, "esnext", ({ service, unserved, folder }) => [
    "run",
    "--no-prompt",
    `--allow-net=${new URL(service).host},${new URL(unserved).host}`,
    `--allow-read=${consumer}`,
    `--allow-write=${folder}`,
    ...(mayReadEnvironment ? ["--allow-env=TEMPLATE_PDF_BASE_URL,TEMPLATE_PDF_API_KEY"] : []),
  ]);
}

/** Runs the suite in workerd, started by miniflare, with the package bundled as wrangler does. */
async function inWorkerd(settings: Settings): Promise<Run> {
  const { folder } = settings;
  const worker =
    "export default { fetch: async (request) => Response.json(await runSmoke(await request.json())) };";
  const conditions = ["workerd", "worker", "browser"];
  const options: BuildOptions = {
    format: "esm",
    platform: "neutral",
    conditions,
    plugins: [installedPackage],
  };
  writeFileSync(join(folder, "worker.mjs"), await bundle(worker, options));
  const main = `
    import { createRequire } from "node:module";
    const { Miniflare } = createRequire(${JSON.stringify(join(runtimesFolder, "package.json"))})("miniflare");
    const options = { modules: true, scriptPath: "worker.mjs", compatibilityDate: "2026-07-01" };
    const miniflare = new Miniflare(options);
    const request = { method: "POST", body: process.argv[2] };
    console.log(await (await miniflare.dispatchFetch("http://worker.example/", request)).text());
    await miniflare.dispose();`;
  writeFileSync(join(folder, "main.mjs"), main);
  const printed = await outputOf(nodeOf(24), ["main.mjs", JSON.stringify(settings)], { cwd: folder });
  const manifest = readFileSync(join(runtimesFolder, "node_modules", "workerd", "package.json"), "utf8");
  return { version: JSON.parse(manifest).version, results: JSON.parse(printed) };
}

/** Runs the function `runner` of a page in a real browser. */
function inBrowser(name: BrowserName, runner: "runSmoke" | "runSmokeInWorker") {
  return async (settings: Settings): Promise<Run> => {
    const browser = await launch(name);
    try {
      const page = await browser.newPage();
      await page.goto(`${settings.service}/`);
      const results = await page.evaluate<Run["results"]>(`${runner}(${JSON.stringify(settings)})`);
      return { version: await browser.version(), results };
    } finally {
      await browser.close();
    }
  };
}

const MiB = 1024 * 1024;

const node: Facts = {
  transport: "undici",
  hasFiles: true,
  isPage: false,
  hasEnvironment: true,
  // Most of these bytes are in buffers of the operating system.
  mostUnreadBytes: 16 * MiB,
};

const bun: Facts = { ...node, transport: "fetch" };

const deno: Facts = { ...bun, otherwise: { deflate: "InvalidPdfError" } };

const workerd: Facts = {
  ...deno,
  hasFiles: false,
  hasEnvironment: false,
  otherwise: { ...deno.otherwise, "103 Early Hints, twice": "ApiError 103" },
};

const chromium: Facts = {
  ...workerd,
  isPage: true,
  mostUnreadBytes: 192 * MiB,
  // Browsers do not show the target of a redirect.
  otherwise: { "302 to another address": "ApiError 0" },
};

const firefox: Facts = {
  ...chromium,
  mostUnreadBytes: undefined,
  otherwise: {
    ...chromium.otherwise,
    "a response that is not HTTP": "InvalidPdfError",
    "closed after the headers": "ConnectionError",
  },
};

/** The runtimes in the order of docs/reports/runtimes.md. */
export const runtimes: readonly Runtime[] = [
  { name: "Node 20", as: "ES module", facts: node, run: inNode(20, "esm") },
  { name: "Node 20", as: "CommonJS", facts: node, run: inNode(20, "cjs") },
  { name: "Node 22", as: "ES module", facts: node, run: inNode(22, "esm") },
  { name: "Node 24", as: "CommonJS", facts: node, run: inNode(24, "cjs") },
  { name: "Node 26", as: "ES module", facts: node, run: inNode(26, "esm") },
  { name: "Bun", as: "ES module", facts: bun, run: inProcess(runtimeProgram("bun"), "esm") },
  { name: "Bun", as: "CommonJS", facts: bun, run: inProcess(runtimeProgram("bun"), "cjs") },
  { name: "Deno", as: "ES module", facts: deno, run: inDeno("esm", true) },
  {
    name: "Deno",
    as: "CommonJS, no `--allow-env`",
    facts: { ...deno, hasEnvironment: false },
    run: inDeno("cjs", false),
  },
  { name: "workerd", as: "ES module, bundled", facts: workerd, run: inWorkerd },
  { name: "Chromium", as: "page, bundled", facts: chromium, run: inBrowser("chromium", "runSmoke") },
  {
    name: "Chromium",
    as: "web worker, bundled",
    facts: chromium,
    run: inBrowser("chromium", "runSmokeInWorker"),
  },
  { name: "Firefox", as: "page, bundled", facts: firefox, run: inBrowser("firefox", "runSmoke") },
];
