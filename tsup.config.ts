import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { entries } from "./scripts/entries.mjs";
import { sharedModules } from "./scripts/shared-modules.mjs";

const target = "es2022";

/** The URL of the file itself, which CommonJS has under another name. */
const importMetaUrl = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;';

const both: Options = {
  target,
  platform: "node",
  removeNodeProtocol: false,
  // `#…` is chosen by the runtime through package.json "imports"; esbuild would resolve it now and freeze one branch.
  external: [/^#/, /^undici(\/|$)/, /^(?:bullmq|ioredis|msw|pdfmake|pdfjs-dist)(\/|$)/],
  // Small, and needed by one wing each: whoever installs the package does not install them.
  noExternal: ["@cfworker/json-schema", "@hono/node-server", "commander", "jsonc-parser", "prettier"],
  // Types are written by scripts/emit-types.mjs, which keeps what a bundler of types drops.
  dts: false,
  sourcemap: true,
  silent: true,
};

/** Commander is CommonJS, and an ES module has no `require`: what it requires of Node is imported. */
const importedBuiltins: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "imported-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "require-call" ? { path, namespace: "imported-builtins" } : undefined,
    );
    onLoad({ filter: /./, namespace: "imported-builtins" }, ({ path }) => ({
      contents: `export * from ${JSON.stringify(path)};`,
    }));
  },
};

/** Minifies bundled packages. Their own repositories have the readable code. */
const minifiedPackages: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "minified-packages",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { minify: true });
      return { contents: code };
    });
  },
};

/**
 * esbuild splits only ES modules, and without splitting every tool would get its own copy of what they share. So the
 * CommonJS build is built as ES modules, and each piece is then turned into CommonJS.
 */
function asCommonJs(splitting: boolean): NonNullable<Options["plugins"]>[number] {
  return {
    name: "as-commonjs",
    esbuildOptions(options) {
      options.format = "esm";
      options.splitting = splitting;
    },
    async renderChunk(code, chunk) {
      if (chunk.type !== "chunk") return;
      // Jest and its like run CommonJS where a real `import()` is not allowed. What is ours is CommonJS, too.
      const withoutOwnImports = code.replaceAll(
        /\bimport\(("[.#][^"]+")\)/g,
        "Promise.resolve().then(() => require($1))",
      );
      const result = await transform(withoutOwnImports, {
        format: "cjs",
        platform: "node",
        target,
        banner: `"use strict";${code.includes("import.meta.url") ? importMetaUrl : ""}`,
        define: { "import.meta.url": "importMetaUrl", "import.meta.require": "require" },
        // So is undici, which is loaded by a lazy `require`. Elsewhere `import()` stays.
        supported: { "dynamic-import": !code.includes('import("undici') },
      });
      return { code: result.code };
    },
  };
}

const source = fileURLToPath(new URL("src", import.meta.url));

/** The tools are one part of `dist`; the client, the error classes and each platform are one each. */
const inBase = sharedModules([startsOf(isTool), ...startsOf(isOfClient).map((path) => [path])]);

function startsOf(isOf: (path: string) => boolean): string[] {
  return Object.entries(entries.esm)
    .filter(([name]) => name !== "base" && isOf(`${name}.ts`))
    .map(([, path]) => fileURLToPath(new URL(path, import.meta.url)));
}

/** A list of what is in `#base`, for esbuild to begin at. */
const base = fileURLToPath(new URL("node_modules/.cache/template-pdf/base.ts", import.meta.url));
mkdirSync(dirname(base), { recursive: true });
writeFileSync(base, [...inBase].map((path) => `export * from ${JSON.stringify(path)};\n`).join(""));

/**
 * Leads to `#base` what more than one file needs, as `#platform` leads to what is another thing on every platform.
 * Left to itself, esbuild cuts a piece for every set of files that share something: nine files at the start of a program.
 */
const fewFiles = (extension: "js" | "cjs"): NonNullable<Options["esbuildPlugins"]>[number] => ({
  name: "few-files",
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, importer, kind }) => {
      if (kind === "entry-point") return undefined;
      const imported = join(dirname(importer), path);
      const [from, to] = [importer, imported].map(kindOfOutput);
      if (to === "entry") return outside(path.replace(/ts$/, extension));
      if (to === "errors") return outside("#errors");
      if (to === "base") return from === "base" ? undefined : outside("#base");
      if (from === "tools" && imported === join(source, "index.ts")) return outside("template-pdf");
      // Every other file belongs to the only part that imports it.
      return undefined;
    });
  },
});

function outside(path: string) {
  return { path, external: true, sideEffects: false };
}

/** Which kind of file in `dist` a file is written to. */
function kindOfOutput(file: string): "tools" | "base" | "errors" | "entry" | "client" {
  if (file === base || inBase.has(file)) return "base";
  const path = relative(source, file).replaceAll("\\", "/");
  if (path === "errors/errors.ts") return "errors";
  if (isTool(path)) return "tools";
  return path.startsWith("platform/") ? "entry" : "client";
}

/** Whether a file of `src` is no part of the client. */
function isTool(path: string): boolean {
  return /^(?:browser|bulk|cli|emulator|handler|json|queue|service|template-types|testing)\//.test(path);
}

function isOfClient(path: string): boolean {
  return !isTool(path);
}

/** Leads to what browsers load: one file, with the twin of each module that has one. */
const browserTwins: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "browser-twins",
  setup({ onResolve }) {
    onResolve({ filter: /^#platform$/ }, () => ({
      path: join(source, "platform/web.ts"),
      sideEffects: false,
    }));
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, importer, kind }) => {
      if (kind === "entry-point") return undefined;
      const imported = join(dirname(importer), path);
      if (kindOfOutput(imported) === "errors") return outside("#errors");
      const twin = imported.replace(/\.ts$/, ".browser.ts");
      return { path: existsSync(twin) ? twin : imported, sideEffects: false };
    });
  },
};

const builds = [
  // Not split: what its files share is in `#base`.
  { isOf: isOfClient, splitting: false, metafile: false },
  // What they bundle that is not ours is read from the metafile, which scripts/write-licenses.mjs removes.
  { isOf: isTool, splitting: true, metafile: true },
];

function pick(all: Record<string, string>, isOf: (name: string) => boolean): Record<string, string> {
  const picked = Object.entries(all).filter(([name]) => isOf(name));
  return Object.fromEntries(picked.map(([name, path]) => [name, name === "base" ? base : path]));
}

export default defineConfig([
  {
    ...both,
    platform: "browser",
    external: ["#errors"],
    entry: entries.browser,
    format: "esm",
    splitting: false,
    outExtension: () => ({ js: ".browser.js" }),
    // It would be more than twice as large as its code, which is readable.
    sourcemap: false,
    esbuildPlugins: [browserTwins],
  },
  ...builds.flatMap(({ isOf, splitting, metafile }): Options[] => [
    {
      ...both,
      entry: pick(entries.esm, isOf),
      format: "esm",
      splitting,
      metafile,
      // The tools have none; see docs/decisions/0034.
      sourcemap: !splitting,
      esbuildPlugins: [fewFiles("js"), importedBuiltins, minifiedPackages],
    },
    {
      ...both,
      entry: pick(entries.cjs, isOf),
      format: "cjs",
      metafile,
      // Node and bundlers load the ES modules; see docs/decisions/0034.
      sourcemap: false,
      esbuildPlugins: [fewFiles("cjs"), minifiedPackages],
      plugins: [asCommonJs(splitting)],
    },
  ]),
]);
