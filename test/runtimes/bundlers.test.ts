import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { fakeService, type ListeningService } from "template-pdf/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { nextVersion } from "../../scripts/runtimes.mjs";
import { filesBelow } from "../package/consumer.ts";
import { runToEnd, startProgram } from "../support/programs.ts";
import { type Browser, launch, openPage } from "./browsers.ts";
import { useWorkspace } from "./mocks/workspace.ts";

/** The report of bundlers/project/build.mjs for one bundle. */
interface Built {
  readonly title: string;
  readonly folder: string;
  /** The file that is loaded first. */
  readonly file: string;
  readonly warnings: readonly string[];
  /** The paths of the bundled modules. */
  readonly modules: readonly string[];
  /** The modules that it loads from outside. */
  readonly external: readonly string[];
}

const report = fileURLToPath(new URL("../../docs/reports/bundlers.md", import.meta.url));
const bundlers = { vite: "8.3.8", webpack: "5.112.2", esbuild: "0.28.2", rollup: "4.68.7" };
const names = Object.keys(bundlers);

const workspace = useWorkspace(
  ...Object.entries(bundlers).map(([name, version]) => `${name}@${version}`),
  ...["@rollup/plugin-node-resolve@16.0.3", "@rollup/plugin-terser@1.0.2"],
);
const folder = join(workspace.folder, "project");
const service = fakeService({ templates: ["inv_2024"] });
/** The output of each bundler. */
const printed = new Map<string, string>();
/** How many gzipped bytes the lazy page loads before the first click, by bundler. */
const firstLoads = new Map<string, number>();
let chromium: Browser;
let listening: ListeningService;

beforeAll(async () => {
  cpSync(fileURLToPath(new URL("bundlers/project", import.meta.url)), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  for (const name of names)
    printed.set(name, (await runToEnd(process.execPath, ["build.mjs", name], { cwd: folder })).printed);
  listening = await service.listen();
  chromium = await launch("chromium");
}, 600_000);

afterAll(async () => {
  await chromium?.close();
  await listening?.close();
}, 60_000);

function built(bundler: string, title: string): Built {
  const lines = printed.get(bundler)?.split("\n") ?? [];
  const line = lines.find((each) => each.startsWith(`{"title":"${title}"`));
  if (!line) throw new Error(`${bundler} has built no ${title}.\n${printed.get(bundler)}`);
  return JSON.parse(line);
}

/** The packages of the bundled modules, and the files of the package that differ by runtime. */
function contentsOf({ modules }: Built) {
  const paths = modules.map((path) => path.replaceAll("\\", "/"));
  const found = (pattern: RegExp) => paths.flatMap((path) => pattern.exec(path)?.[1] ?? []);
  return {
    packages: [...new Set(found(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/))].sort(),
    platforms: found(/template-pdf\/dist\/(platform\/.+)$/),
  };
}

/** Serves a page and a bundle of the server that it calls. */
async function serve(page: Built, server: Built): Promise<string> {
  const env = { SERVICE: listening.baseUrl, SERVICE_KEY: service.apiKey };
  const args = ["serve.mjs", join(folder, page.folder), page.file, join(folder, server.folder, server.file)];
  const serving = await startProgram(process.execPath, args, { cwd: folder, env, ready: /^(\d+)$/m });
  onTestFinished(() => serving.stop());
  return serving.origin;
}

describe.each(names)("%s", (bundler) => {
  it.each(["page", "client", "template"])(
    "builds the `%s` entry for browsers without warnings, and does not add other packages",
    (title) => {
      const bundle = built(bundler, title);
      expect(bundle.warnings).toEqual([]);
      expect(contentsOf(bundle)).toEqual({ packages: ["template-pdf"], platforms: ["platform/browser.js"] });
      expect(bundle.external).toEqual([]);
      const code = readFileSync(join(folder, bundle.folder, bundle.file), "utf8");
      expect(code).not.toMatch(/(?:import|require)\(["'`](?:node:|undici)/);
    },
  );

  it("builds a page that works in Chromium and loads the client on the first click", async () => {
    const url = await serve(built(bundler, "page"), built("vite", "a server with undici"));
    const { page, complaints } = await openPage(chromium, url);
    onTestFinished(() => page.close());
    const scriptsOf = () =>
      page.evaluate<string[]>(
        `performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".js"))`,
      );
    const atFirst = await scriptsOf();
    const texts = await Promise.all(atFirst.map(async (script) => (await fetch(script)).text()));
    const bytes = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
    firstLoads.set(bundler, bytes);
    expect(bytes).toBeLessThan(3_000);
    await page.evaluate(`document.addEventListener("click", (event) => {
      if (!event.target.download) return;
      event.preventDefault();
      globalThis.saved = event.target.download;
    })`);
    await page.click("button");
    await page.waitForFunction("globalThis.outcome");
    const outcome = { isReported: true, begins: "%PDF-", status: 404 };
    expect(await page.evaluate("({ ...outcome, saved })")).toEqual({ ...outcome, saved: "invoice.pdf" });
    expect((await scriptsOf()).length).toBeGreaterThan(atFirst.length);
    expect(complaints).toEqual([]);
  });
});

it.each([
  ["vite", "a server with undici", ["template-pdf", "undici"], ["platform/node.js"], /^$/, "undici"],
  ["webpack", "a server with undici", ["template-pdf", "undici"], ["platform/node.js"], /^$/, "undici"],
  ["esbuild", "a server with undici", ["template-pdf", "undici"], ["platform/node.js"], /^$/, "undici"],
  ["vite", "a server without undici", [], [], /template-pdf/, "undici"],
  ["esbuild", "a server without undici", ["template-pdf"], ["platform/node.js"], /undici/, "undici"],
  ["esbuild", "an edge worker", ["template-pdf"], ["platform/browser.js", "platform/web.js"], /^$/, "fetch"],
])("%s builds a working bundle without warnings: %s", async (...row) => {
  const [bundler, title, packages, platforms, external, transport] = row;
  const bundle = built(bundler, title);
  expect(bundle.warnings).toEqual([]);
  expect(contentsOf(bundle)).toEqual({ packages, platforms });
  expect(bundle.external.filter((name) => !name.startsWith("node:") && !isBuiltin(name)).join()).toMatch(
    external,
  );
  const before = service.calls.length;
  const url = await serve(built("vite", "page"), bundle);
  const response = await fetch(`${url}/api/pdf/api/v1/templates/invoice/generate-sync`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ total: "1" }),
  });
  expect({ status: response.status, begin: (await response.text()).slice(0, 5) }).toEqual({
    status: 200,
    begin: "%PDF-",
  });
  expect(service.calls).toHaveLength(before + 1);
  expect(await (await fetch(`${url}/transport`)).text()).toBe(transport);
});

/** The bytes of all scripts of a bundle, gzipped, as a page loads them. */
function gzippedBytes(bundle: Built): number {
  const scripts = dirname(join(folder, bundle.folder, bundle.file));
  const sizes = filesBelow(scripts).map(
    ({ path }) => gzipSync(readFileSync(join(scripts, path)), { level: 9 }).length,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

it("docs/reports/bundlers.md is accurate to within 3% (to update: npm run docs -- bundlers)", async () => {
  let page = readFileSync(report, "utf8").replace(/(?<=^\| Next\.js: .* \| )[\d.]+(?= \|)/m, nextVersion);
  for (const [name, version] of Object.entries(bundlers)) {
    const title = { vite: "Vite", rollup: "Rollup" }[name] ?? name;
    page = page.replace(new RegExp(`(?<=^\\| ${title} \\| )\\d+\\.[\\d.]+(?= \\|)`, "m"), version);
    const bytes = ["client", "template", "helpers"].map((entry) => gzippedBytes(built(name, entry)));
    bytes.push(firstLoads.get(name) ?? 0);
    page = page.replace(new RegExp(`(?<=^\\| ${title} \\| )[\\d,]+ \\| [\\d, |]+(?= \\|$)`, "m"), (cells) => {
      const written = cells.split(" | ").map((cell) => Number(cell.replaceAll(",", "")));
      const isNear = written.every((before, at) => Math.abs((bytes[at] ?? 0) - before) <= 0.03 * before);
      return (isNear ? written : bytes).map((figure) => figure.toLocaleString("en")).join(" | ");
    });
  }
  await expect(page).toMatchFileSnapshot(report);
});
