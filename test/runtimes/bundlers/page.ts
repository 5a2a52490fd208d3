import { existsSync, readFileSync } from "node:fs";
import { bundlers, nextVersion } from "./built.ts";

/** What is measured of every bundler, in the order of the columns. */
export const titles = ["client", "template", "browser"];

/** Bytes by bundler, in the order of `titles`. */
export type Sizes = Readonly<Record<string, readonly number[]>>;

/** What it takes for a page, and for a server. */
const needs: Readonly<Record<keyof typeof bundlers, readonly [page: string, server: string]>> = {
  vite: [
    "nothing",
    "nothing: a server build leaves packages outside; with `ssr.noExternal`, undici is inside and works",
  ],
  webpack: ["nothing (`web`, `webworker`)", "nothing (`node`): undici is inside and works"],
  esbuild: [
    '`platform: "browser"`, which is its default',
    '`platform: "node"`: in `format: "cjs"` undici is inside and works; for `format: "esm"` write `external: ["undici"]`. For edge workers, `conditions: ["workerd"]`',
  ],
  rollup: ["`nodeResolve({ browser: true })`", "–"],
};

/** The page about bundlers, in Markdown. */
export function pageOf(sizes: Sizes): string {
  const names = Object.keys(bundlers) as (keyof typeof bundlers)[];
  const needed = names.map(
    (name) => `| ${[titleOf(name), bundlers[name], ...needs[name]].join(" | ")} | none |`,
  );
  const measured = names.map(
    (name) => `| ${[titleOf(name), ...(sizes[name] ?? []).map(grouped)].join(" | ")} |`,
  );
  return `# Bundlers

The package brings a twin for each place where it runs, and bundlers choose by the conditions of its package.json: pages and edge
workers get the one that sends by \`fetch\`, servers the one that sends by undici. No undici, and nothing of Node, is in what a page
loads.

The tests install what npm would publish, build one small app with each of these, and run what comes out: pages in Chromium, servers
in Node. None of them warns of anything, and this page is written by these tests.

| bundler | version | for a page | for a server | warnings |
| --- | --- | --- | --- | --- |
${needed.join("\n")}
| Next.js: Turbopack, webpack | ${nextVersion} | nothing | nothing: undici is inside, and requests go by the \`fetch\` of Next.js | none |
| Parcel (by hand) | 2.16.4 | \`"@parcel/resolver-default": { "packageExports": true }\` in your package.json, for any package with conditions | – | none |

## Bytes

What a page loads, minified as the bundler does it, and gzipped. The tests hold these figures to within 3 %.

| bundler | \`{ TemplatePdf }\` | and \`{ template }\` | \`{ TemplatePdf }\` and \`template-pdf/browser\` |
| --- | --- | --- | --- |
${measured.join("\n")}
| Parcel (by hand, November 2026) | 20,223 | 20,294 | 20,635 |

## Next.js

- A client component makes its client without a key, with the path of your handler: \`new TemplatePdf({ baseUrl: "/api/pdf" })\`, in the
  module itself if you like. Next.js runs client components on the server first; a client with a relative \`baseUrl\` can be made
  there, and its calls reject there, so generate in an event handler or an effect.
- A server component or a route handler uses the client with the key. The key is in no chunk that a page loads.
- **No document is cached.** Every request says \`cache: "no-store"\`: two calls are two requests, also with the same values and in a
  route with \`revalidate\`; and a page that generates is rendered for each request, without an \`export const dynamic\`. With
  \`cacheComponents\`, put it into a \`<Suspense>\`, as Next.js will tell you. Only what tells Next.js to keep everything keeps
  documents, too: \`export const dynamic = "force-static"\`, \`fetchCache = "force-cache"\`, \`"use cache"\`, \`unstable_cache\`.
- In the Edge runtime (\`export const runtime = "edge"\`, which Next.js calls deprecated in a warning of its own) it is the same.
`;
}

/** The figures of a page as it was written before; none where there is no page. */
export function figuresIn(path: string): Sizes {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const names = Object.keys(bundlers) as (keyof typeof bundlers)[];
  return Object.fromEntries(
    names.map((name) => {
      const row = new RegExp(
        `^\\| ${titleOf(name)} \\| ([\\d,]+) \\| ([\\d,]+) \\| ([\\d,]+) \\|$`,
        "m",
      ).exec(text);
      return [name, row?.slice(1).map((figure) => Number(figure.replaceAll(",", ""))) ?? []];
    }),
  );
}

function titleOf(name: keyof typeof bundlers): string {
  return { vite: "Vite", webpack: "webpack", esbuild: "esbuild", rollup: "Rollup" }[name];
}

function grouped(bytes: number): string {
  return bytes.toLocaleString("en");
}
