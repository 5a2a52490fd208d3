import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesBelow } from "../package/consumer.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";

/** Builds the documentation site with `npm run docs -- serve`, and reads it. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const site = join(repository, "site");
let server: RunningProgram;
let names: readonly string[];

beforeAll(async () => {
  server = await startProgram(process.execPath, ["scripts/docs.mjs", "serve"], {
    cwd: repository,
    ready: /http:\/\/127\.0\.0\.1:(\d+)\//,
  });
  names = filesBelow(site).map(({ path }) => path);
}, 300_000);

afterAll(async () => {
  await server?.stop();
});

describe("the documentation site", () => {
  it("contains llms.txt and the documentation pages, but no local file paths", () => {
    expect(names).toEqual(expect.arrayContaining(["llms.txt", "llms-full.txt", "guides/quick-start.md"]));
    expect(names.filter((name) => text(name).includes(repository))).toEqual([]);
  });

  it("has no dead links, and does not load files from other servers", () => {
    const pages = new Map(names.map((name) => [name, /\.(?:html|svg)$/.test(name) ? text(name) : ""]));
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
    const results = searchResults().map((link) => ({ page: "index.html", link }));
    expect(links.length).toBeGreaterThan(1_000);
    const loaded = [...pages].flatMap(([, html]) =>
      matches(html, /<(?:script|img|iframe|link rel="stylesheet")[^>]* (?:href|src)="([^"]*)"/g),
    );
    expect(loaded.filter((link) => /^(?:https?:|\/\/)/.test(link))).toEqual([]);
    expect(results.map(({ link }) => link)).toContain("guides/handler.html");
    const dead = [...links, ...results].filter(({ page, link }) => isDead(link, page));
    expect(dead.map(({ page, link }) => `${page}: ${link}`)).toEqual([]);
  });
});

/** The URLs of all search results, which TypeDoc writes as deflated JSON. */
function searchResults(): string[] {
  const [, packed = ""] = /"([^"]+)"/.exec(text("assets/search.js")) ?? [];
  const { rows } = JSON.parse(inflateSync(Buffer.from(packed, "base64")).toString());
  return rows.map(({ url }: { url: string }) => url);
}

function text(name: string): string {
  return readFileSync(join(site, name), "utf8");
}

function matches(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map(([, found = ""]) => found);
}
