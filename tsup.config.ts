import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { transform } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { entries } from "./scripts/entries.mjs";

const target = "es2022";

/** The URL of the file itself, which CommonJS has under another name. */
const importMetaUrl = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;';

const both: Options = {
  target,
  platform: "node",
  removeNodeProtocol: false,
  // `#…` is chosen by the runtime through package.json "imports"; esbuild would resolve it now and freeze one branch.
  external: [/^#/, /^undici(\/|$)/, /^pdfmake(\/|$)/],
  // Small, and needed by one wing each: whoever installs the package does not install them.
  noExternal: ["@cfworker/json-schema", "@hono/node-server", "commander", "jsonc-parser"],
  // Types are written by scripts/emit-types.mjs, which keeps what a bundler of types drops.
  dts: false,
  silent: true,
  // Read and removed by scripts/write-licenses.mjs.
  metafile: true,
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

/** What is bundled comes without its comments, which are half of it: its own repository has them. */
const bundledWithoutComments: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "bundled-without-comments",
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { minifyWhitespace: true });
      return { contents: code };
    });
  },
};

export default defineConfig([
  {
    ...both,
    entry: entries.esm,
    format: "esm",
    sourcemap: true,
    esbuildPlugins: [importedBuiltins, bundledWithoutComments],
  },
  {
    ...both,
    entry: entries.cjs,
    format: "cjs",
    esbuildPlugins: [bundledWithoutComments],
    // What is built is as readable as its source, and the maps of the other format have to do for both.
    plugins: [
      {
        // esbuild splits only ES modules, and without splitting every door would get its own copy of each
        // class. So the CommonJS build is split as ES modules, and each piece is then turned into CommonJS.
        name: "split-commonjs",
        esbuildOptions(options) {
          options.format = "esm";
          options.splitting = true;
        },
        async renderChunk(code, { path, type }) {
          if (type !== "chunk") return;
          const result = await transform(code, {
            format: "cjs",
            platform: "node",
            target,
            banner: `"use strict";${code.includes("import.meta.url") ? importMetaUrl : ""}`,
            define: { "import.meta.url": "importMetaUrl" },
            sourcefile: basename(path),
            // Undici is loaded by a lazy `require`: Jest and its like run CommonJS where a real `import()` is
            // not allowed. Elsewhere it stays.
            supported: { "dynamic-import": !code.includes('import("undici') },
          });
          return { code: result.code };
        },
      },
    ],
  },
]);
