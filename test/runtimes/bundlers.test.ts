import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { fakeService, type ListeningService } from "template-pdf/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startProgram } from "../support/programs.ts";
import { type Browser, launch, openPage, type Page } from "./browsers.ts";
import {
  type Built,
  buildWith,
  bundlers,
  copyProject,
  gzippedBytes,
  nextVersion,
  type Outcome,
  packagesOf,
  platformsOf,
} from "./bundlers/built.ts";
import { useWorkspace } from "./mocks/workspace.ts";

const report = fileURLToPath(new URL("../../docs/reports/bundlers.md", import.meta.url));

const workspace = useWorkspace(
  ...Object.entries(bundlers).map(([name, version]) => `${name}@${version}`),
  ...["@rollup/plugin-node-resolve@16.0.3", "@rollup/plugin-terser@1.0.2"],
  ...["@hono/node-server@2.1.8", "hono@4.13.19"],
);
const service = fakeService({ templates: ["inv_2024"] });
const all = new Map<string, Outcome>();
/** How many gzipped bytes the lazy page loads before the first click, by bundler. */
const firstLoads = new Map<string, number>();
let folder: string;
let chromium: Browser;
let listening: ListeningService;

beforeAll(async () => {
  folder = copyProject(workspace.folder);
  await Promise.all(
    Object.keys(bundlers).map(async (bundler) => all.set(bundler, await buildWith(bundler, folder))),
  );
  listening = await service.listen();
  chromium = await launch("chromium");
}, 300_000);

afterAll(async () => {
  await chromium?.close();
  await listening?.close();
}, 60_000);

/** The URLs of the scripts that a page has loaded. */
function scriptsOf(page: Page): Promise<string[]> {
  const scripts = `performance.getEntriesByType("resource").map(({ name }) => name)`;
  return page.evaluate<string[]>(`${scripts}.filter((name) => name.endsWith(".js"))`);
}

function built(bundler: string, title: string): Built {
  const outcome = all.get(bundler);
  const found = outcome?.bundles.get(title);
  if (!found) throw new Error(`${bundler} has built no ${title}.\n${outcome?.printed}`);
  return found;
}

/** Serves a page and a bundle of the server that it calls. */
async function serve(page: Built, server: Built): Promise<string> {
  const files = [dirname(join(folder, page.file)), join(folder, server.file)];
  // Vite puts scripts into a folder next to the page.
  if (/\/assets$/.test(files[0] ?? "")) files[0] = dirname(files[0] ?? "");
  const env = { SERVICE: listening.baseUrl, SERVICE_KEY: service.apiKey };
  const args = ["serve.mjs", ...files];
  const serving = await startProgram(process.execPath, args, { cwd: folder, env, ready: /^(\d+)$/m });
  onTestFinished(() => serving.stop());
  return serving.origin;
}

describe.each(Object.keys(bundlers))("%s", (bundler) => {
  it.each(["page", "client", "template", "browser", "lazy"])(
    "builds %s for browsers without a warning, of this package alone",
    (title) => {
      const bundle = built(bundler, title);
      expect(bundle.warnings).toEqual([]);
      expect(packagesOf(bundle)).toEqual(["template-pdf"]);
      expect(platformsOf(bundle)).toEqual(["index.browser.js"]);
      expect(bundle.external).toEqual([]);
      expect(readFileSync(join(folder, bundle.file), "utf8")).not.toMatch(
        /(?:import|require)\(["'`](?:node:|undici)/,
      );
    },
  );

  it("builds a page that generates, previews and saves in Chromium, and rejects unknown templates", async () => {
    const url = await serve(built(bundler, "page"), built("vite", "server, undici inside"));
    const { page, complaints } = await openPage(chromium, url);
    onTestFinished(() => page.close());
    const bytes = await page.evaluate<{ bytes: number; told: number }>("invoices.generate()");
    expect(bytes).toEqual({ bytes: expect.any(Number), told: bytes.bytes });
    expect(bytes.bytes).toBeGreaterThan(500);
    const preview = await page.evaluate<{ begins: string; url: string }>("invoices.preview()");
    expect(preview).toEqual({ begins: "%PDF-", url: expect.stringMatching(/^blob:/) });
    expect(await page.evaluate("invoices.saves()")).toEqual(["invoice.pdf"]);
    expect(await page.evaluate("invoices.refusal()")).toBe(404);
    expect(complaints).toEqual([]);
    expect(await page.evaluate(`fetch("${preview.url}").catch(() => "gone")`)).toBe("gone");
  });

  it("builds a page that loads the client on the first click, and at most 2.5 kB before", async () => {
    const url = await serve(built(bundler, "lazy"), built("vite", "server, undici inside"));
    const { page, complaints } = await openPage(chromium, url);
    onTestFinished(() => page.close());
    const atFirst = await scriptsOf(page);
    const texts = await Promise.all(atFirst.map(async (script) => (await fetch(script)).text()));
    const bytes = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
    firstLoads.set(bundler, bytes);
    expect(bytes).toBeLessThan(2_500);
    await page.evaluate(`globalThis.saved = new Promise((resolve) => {
      document.addEventListener("click", (event) => {
        if (!event.target.download) return;
        event.preventDefault();
        resolve(event.target.download);
      });
    });
    undefined`);
    await page.click("button");
    expect(await page.evaluate("saved")).toBe("invoice.pdf");
    expect((await scriptsOf(page)).length).toBeGreaterThan(atFirst.length);
    expect(complaints).toEqual([]);
  });
});

describe("a bundle for servers", () => {
  const servers = ["vite", "webpack", "esbuild"];

  it.each(servers)("built with %s may contain undici and uses it", async (bundler) => {
    const bundle = built(bundler, "server, undici inside");
    expect(bundle.warnings).toEqual([]);
    expect(packagesOf(bundle)).toEqual(["template-pdf", "undici"]);
    expect(platformsOf(bundle)).toEqual(["platform/node.js"]);
    expect(await sendBy(bundle)).toBe("undici");
  });

  it.each(servers)("built with %s may exclude undici and uses it", async (bundler) => {
    const bundle = built(bundler, "server, undici outside");
    expect(bundle.warnings).toEqual([]);
    expect(packagesOf(bundle)).not.toContain("undici");
    expect(bundle.external.join()).toMatch(bundler === "vite" ? /template-pdf/ : /undici/);
    expect(await sendBy(bundle)).toBe("undici");
  });

  it("for an edge worker contains neither undici nor Node modules", async () => {
    const bundle = built("esbuild", "edge worker");
    expect(bundle.warnings).toEqual([]);
    expect(packagesOf(bundle)).toEqual(["template-pdf"]);
    expect(platformsOf(bundle)).toEqual(["platform/web.js"]);
    expect(bundle.external).toEqual([]);
    expect(await sendBy(bundle)).toBe("fetch");
  });

  /** Lets a server generate a document, and returns the transport. */
  async function sendBy(bundle: Built): Promise<string> {
    const before = service.calls.length;
    const url = await serve(built("vite", "page"), bundle);
    const response = await fetch(`${url}/api/pdf/api/v1/templates/invoice/generate-sync`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ total: "1" }),
    });
    expect([response.status, (await response.text()).slice(0, 5)]).toEqual([200, "%PDF-"]);
    expect(service.calls).toHaveLength(before + 1);
    return (await fetch(`${url}/transport`)).text();
  }
});

const measured = ["client", "template", "browser", "helpers", "errors"];

it("docs/reports/bundlers.md has the versions, and the bytes within 3 %: `npm run docs -- bundlers` writes them", async () => {
  const titles = { Vite: "vite", webpack: "webpack", esbuild: "esbuild", Rollup: "rollup" } as const;
  let page = readFileSync(report, "utf8");
  page = page.replace(/(?<=^\| Next\.js: .* \| )[\d.]+(?= \|)/m, nextVersion);
  for (const [title, name] of Object.entries(titles)) {
    page = page.replace(new RegExp(`(?<=^\\| ${title} \\| )\\d+\\.[\\d.]+(?= \\|)`, "m"), bundlers[name]);
    const bytes = measured.map((entry) => gzippedBytes(folder, built(name, entry)));
    bytes.push(firstLoads.get(name) ?? 0);
    const row = new RegExp(
      `(?<=^\\| ${title} \\| )[\\d,]+(?: \\| [\\d,]+){${bytes.length - 1}}(?= \\|$)`,
      "m",
    );
    page = page.replace(row, (cells) => {
      const written = cells.split(" | ").map((cell) => Number(cell.replaceAll(",", "")));
      const isNear = written.every((before, at) => Math.abs((bytes[at] ?? 0) - before) <= 0.03 * before);
      return (isNear ? written : bytes).map((figure) => figure.toLocaleString("en")).join(" | ");
    });
  }
  await expect(page).toMatchFileSnapshot(report);
});
