import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { type Browser, launch } from "./browsers.ts";

/** Builds the documentation site with `npm run docs -- serve`, and reads it. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const site = join(repository, "site");
let server: RunningProgram;
let browser: Browser;

beforeAll(async () => {
  server = await startProgram(process.execPath, ["scripts/docs.mjs", "serve"], {
    cwd: repository,
    ready: /http:\/\/127\.0\.0\.1:(\d+)\//,
  });
  browser = await launch("chromium");
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

describe("the documentation site", () => {
  it("contains no path of this machine", () => {
    const names = filesOf(site);
    expect(names.filter((name) => text(name).includes(repository))).toEqual([]);
  });

  it("has llms.txt and llms-full.txt, and the pages that llms.txt links to", () => {
    const links = matches(
      text("llms.txt"),
      /\]\(https:\/\/template-pdf\.github\.io\/template-pdf\/(\S+?)\)/g,
    );
    expect(links).toContain("guides/quick-start.md");
    expect(links).toContain("modules/template-pdf.html");
    const names = filesOf(site);
    expect(links.filter((link) => !names.includes(link))).toEqual([]);
    expect(text("llms-full.txt")).toContain("# Quick start");
  });

  it("has no dead link on its pages and in search results", () => {
    const pages = new Map(
      filesOf(site).map((name) => [name, /\.(?:html|svg)$/.test(name) ? text(name) : ""]),
    );
    const ids = new Map([...pages].map(([name, html]) => [name, new Set(matches(html, /\bid="([^"]+)"/g))]));
    const isDead = (link: string, page: string) => {
      const [path = "", anchor = ""] = decodeURI(link)
        .replaceAll("&amp;", "&")
        .replace(/\?.*/, "")
        .split("#");
      const target = path === "" ? page : posix.normalize(posix.join(posix.dirname(page), path));
      return !pages.has(target) || (anchor !== "" && !ids.get(target)?.has(anchor));
    };
    const links = [...pages].flatMap(([page, html]) =>
      matches(html, /\b(?:href|src)="([^"]*)"/g)
        .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link) && link !== "")
        .map((link) => ({ page, link })),
    );
    const results = searchIndex().map(({ url }) => ({ page: "index.html", link: url }));
    expect(links.length).toBeGreaterThan(1_000);
    expect(results.map(({ link }) => link)).toContain("guides/handler.html");
    const dead = [...links, ...results].filter(({ page, link }) => isDead(link, page));
    expect(dead.map(({ page, link }) => `${page}: ${link}`)).toEqual([]);
  });

  it.each([
    ["a desktop", 1_280],
    ["a phone", 390],
  ])("fits the screen of %s, and loads nothing from other servers", async (_, width) => {
    const page = await browser.newPage();
    const requested: string[] = [];
    const errors: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    page.on("pageerror", (error) => errors.push(error.message));
    await page.setViewport({ width, height: 844 });
    const pages = filesOf(site).filter((name) => /^(?:guides|reports)\/.*\.html$/.test(name));
    for (const name of ["index.html", "classes/template-pdf.TemplatePdf.html", ...pages]) {
      await page.goto(`${server.origin}/${name}`);
      await page.waitForFunction("document.querySelector('#tsd-nav-container a')");
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(overflow, `${name} is wider than the page`).toBeLessThanOrEqual(0);
    }
    await page.close();

    expect(errors).toEqual([]);
    expect(
      requested.filter((url) => !url.startsWith(`${server.origin}/`) && !url.startsWith("data:")),
    ).toEqual([]);
  });
});

/** The index of the search, which TypeDoc writes as deflated JSON. */
function searchIndex(): readonly { readonly url: string }[] {
  const [, packed = ""] = /"([^"]+)"/.exec(text("assets/search.js")) ?? [];
  return JSON.parse(inflateSync(Buffer.from(packed, "base64")).toString()).rows;
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}

function text(name: string): string {
  return readFileSync(join(site, name), "utf8");
}

function matches(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map(([, found = ""]) => found);
}
