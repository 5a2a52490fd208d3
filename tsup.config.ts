import { basename } from "node:path";
import { transform } from "esbuild";
import { defineConfig } from "tsup";
import { entries } from "./scripts/entries.mjs";

const target = "es2022";

export default defineConfig({
  entry: entries,
  format: ["esm", "cjs"],
  target,
  platform: "node",
  removeNodeProtocol: false,
  // `#transport` and `#files` are chosen by the runtime through package.json "imports"; esbuild
  // would resolve them now and freeze one branch.
  external: [/^#/, /^undici(\/|$)/, /^pdfmake(\/|$)/],
  noExternal: ["@hono/node-server"],
  sourcemap: true,
  clean: true,
  // Types are written by scripts/emit-types.mjs, which keeps what a bundler of types drops.
  dts: false,
  silent: true,
  // Read and removed by scripts/write-licenses.mjs.
  metafile: true,
  plugins: [
    {
      // esbuild splits only ES modules, and without splitting every door would get its own copy of each
      // class. So the CommonJS build is split as ES modules, and each piece is then turned into CommonJS.
      name: "split-commonjs",
      esbuildOptions(options) {
        if (this.format !== "cjs") return;
        options.format = "esm";
        options.splitting = true;
      },
      async renderChunk(code, { map, path, type }) {
        if (this.format !== "cjs" || type !== "chunk") return;
        const result = await transform(code + inlined(map), {
          format: "cjs",
          platform: "node",
          target,
          banner: '"use strict";',
          sourcefile: basename(path),
          sourcemap: "external",
          // Undici is loaded by a lazy `require`: Jest and its like run CommonJS where a real `import()` is
          // not allowed. Elsewhere it stays, because the emulator's templates can be loaded by nothing else.
          supported: { "dynamic-import": !code.includes('import("undici') },
        });
        return { code: result.code, map: result.map };
      },
    },
  ],
});

/** The source map as a comment, where `transform` looks for the map of what it is given. */
function inlined(map: string | object | null | undefined): string {
  if (!map) return "";
  const json = typeof map === "string" ? map : JSON.stringify(map);
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(json).toString("base64")}`;
}
