import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { consumer } from "./consumer.ts";

/** Bytes, minified and gzipped. The goal is 5,000; this only keeps it from growing until somebody gets it there. */
const ceiling = 19_000;

const { metafile, outputFiles, warnings } = await build({
  stdin: { contents: 'export { TemplatePdf } from "template-pdf";', resolveDir: consumer },
  absWorkingDir: consumer,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  metafile: true,
  write: false,
  logLevel: "silent",
});

describe("a browser bundle of the client", () => {
  it("bundles without a warning", () => {
    expect(warnings).toEqual([]);
  });

  it("holds this package only: no undici, nothing of Node", () => {
    const foreign = Object.keys(metafile.inputs).filter(
      (path) => !/^node_modules\/template-pdf\/dist\//.test(path),
    );
    expect(foreign).toEqual(["<stdin>"]);
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  });

  it("takes the twins for pages", () => {
    const twins = Object.keys(metafile.inputs).filter((path) => /\/(?:transport|files)\//.test(path));
    expect(twins.map((path) => path.replace(/^.*dist\//, ""))).toEqual(["transport/web.js", "files/none.js"]);
  });

  it(`has at most ${ceiling} bytes, minified and gzipped`, () => {
    const code = outputFiles.map(({ contents }) => contents);
    const minified = code.reduce((total, { length }) => total + length, 0);
    const gzipped = code.reduce((total, part) => total + gzipSync(part, { level: 9 }).length, 0);
    console.info(
      `browser bundle: ${minified.toLocaleString("en")} bytes, gzipped ${gzipped.toLocaleString("en")}`,
    );
    expect(gzipped).toBeLessThanOrEqual(ceiling);
  });
});
