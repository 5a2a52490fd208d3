import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { entries } from "./scripts/entries.mjs";
import { outputFolder } from "./scripts/output-folder.mjs";
import { sharedModules } from "./scripts/shared-modules.mjs";

const target = "es2022";

/** The URL of the current file, which CommonJS provides under another name. */
const importMetaUrl = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;';

const both: Options = {
  outDir: outputFolder,
  target,
  platform: "node",
  removeNodeProtocol: false,
  // The runtime resolves `#…` through "imports" in package.json. Otherwise esbuild would resolve it at build time.
  external: [
    /^#/,
    /^undici(\/|$)/,
    /^(?:@modelcontextprotocol\/sdk|bullmq|ioredis|msw|pdfmake|pdfjs-dist)(\/|$)/,
  ],
  // These are small and used by one entry point each, so they are bundled instead of installed.
  noExternal: [
    "@cfworker/json-schema",
    "@hono/node-server",
    "bidi-js",
    "commander",
    "jsonc-parser",
    "prettier",
  ],
  // scripts/emit-types.mjs writes the types, because bundlers of types drop parts of them.
  dts: false,
  sourcemap: true,
  silent: true,
};

/** Commander is CommonJS, and ES modules have no `require`: its Node modules are imported instead. */
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
 * esbuild splits only ES modules, and without splitting, every tool would get its own copy of shared code. So the
 * CommonJS build starts as ES modules, and each chunk is then converted to CommonJS.
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
      // Jest runs CommonJS in a context without `import()`. Our own chunks are CommonJS, too.
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
        // The same applies to undici, which is loaded by a lazy `require`. Other `import()` calls stay.
        supported: { "dynamic-import": !code.includes('import("undici') },
      });
      return { code: result.code };
    },
  };
}

const source = fileURLToPath(new URL("src", import.meta.url));

/** `dist` has one part for the tools, and one each for the client, the error classes and each platform. */
const inBase = sharedModules([startsOf(isTool), ...startsOf(isOfClient).map((path) => [path])]);

function startsOf(isOf: (path: string) => boolean): string[] {
  return Object.entries(entries.esm)
    .filter(([name]) => name !== "base" && isOf(`${name}.ts`))
    .map(([, path]) => fileURLToPath(new URL(path, import.meta.url)));
}

/** The entry file of `#base` for esbuild. */
const base = fileURLToPath(new URL("node_modules/.cache/template-pdf/base.ts", import.meta.url));
mkdirSync(dirname(base), { recursive: true });
writeFileSync(base, [...inBase].map((path) => `export * from ${JSON.stringify(path)};\n`).join(""));

/**
 * Resolves modules that more than one file uses to `#base`, and platform-specific modules to `#platform`.
 * By default, esbuild creates a chunk for every set of files that share a module: a program would load nine files at the start.
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
      // Every other file is in the only part that imports it.
      return undefined;
    });
  },
});

function outside(path: string) {
  return { path, external: true, sideEffects: false };
}

/** Returns the part of `dist` that contains a source file. */
function kindOfOutput(file: string): "tools" | "base" | "errors" | "entry" | "client" {
  if (file === base || inBase.has(file)) return "base";
  const path = relative(source, file).replaceAll("\\", "/");
  if (path === "errors/errors.ts") return "errors";
  if (isTool(path)) return "tools";
  return path.startsWith("platform/") ? "entry" : "client";
}

/** Whether a file in `src` is outside the client. */
function isTool(path: string): boolean {
  return /^(?:browser|bulk|cli|emulator|handler|json|mcp|queue|service|template-types|testing)\//.test(path);
}

function isOfClient(path: string): boolean {
  return !isTool(path);
}

const builds = [
  // Splitting is off: shared modules are in `#base`.
  { isOf: isOfClient, splitting: false, metafile: false },
  // scripts/write-licenses.mjs reads the bundled packages from the metafile, and then removes it.
  { isOf: isTool, splitting: true, metafile: true },
];

function pick(all: Record<string, string>, isOf: (name: string) => boolean): Record<string, string> {
  const picked = Object.entries(all).filter(([name]) => isOf(name));
  return Object.fromEntries(picked.map(([name, path]) => [name, name === "base" ? base : path]));
}

export default defineConfig([
  ...builds.flatMap(({ isOf, splitting, metafile }): Options[] => [
    {
      ...both,
      entry: pick(entries.esm, isOf),
      format: "esm",
      splitting,
      metafile,
      // The tools have no source maps; see docs/decisions/0034.
      sourcemap: !splitting,
      esbuildPlugins: [fewFiles("js"), importedBuiltins, minifiedPackages],
    },
    {
      ...both,
      entry: pick(entries.cjs, isOf),
      format: "cjs",
      metafile,
      // Node and bundlers load the ES modules, so CommonJS has no source maps; see docs/decisions/0034.
      sourcemap: false,
      esbuildPlugins: [fewFiles("cjs"), minifiedPackages],
      plugins: [asCommonJs(splitting)],
    },
  ]),
]);
