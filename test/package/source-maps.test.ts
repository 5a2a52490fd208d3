import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { consumer, filesBelow, installed, runNode } from "./consumer.ts";
import { stackProject } from "./stack-project.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(installed, path), "utf8");
const source = (path: string) => readFileSync(join(repository, path), "utf8");

const files = filesBelow(installed).map(({ path }) => path);
const mapped = files.filter((path) => path.endsWith(".map")).map((path) => path.replace(/\.map$/, ""));
const mapOf = (path: string) => JSON.parse(read(`${path}.map`));

/** A source as a map names it, as a path of the package. */
const resolved = (path: string, sourceOfMap: string) => posix.join(posix.dirname(path), sourceOfMap);

describe("the source maps of the published package", () => {
  it.each(["import", "require"])(
    "cover every file that the client, /browser and /handler load by %s",
    async (way) => {
      const loaded = await Promise.all(
        ["node", "deno", "browser"].map((condition) => filesLoaded(way, condition)),
      );
      const code = [...new Set(loaded.flat())];
      const extension = way === "import" ? "js" : "cjs";
      expect(code).toEqual(
        expect.arrayContaining(
          [
            "base",
            "browser/index",
            "handler/index",
            "index",
            "platform/deno-and-bun",
            "platform/node",
            "platform/web",
          ].map((name) => `dist/${name}.${extension}`),
        ),
      );
      // A file that only exports from others, or holds esbuild's own helpers, has nothing to map.
      expect(
        code.filter(
          (path) => !mapped.includes(path) && /^\s*(?:class|function|var) (?!__)/m.test(read(path)),
        ),
      ).toEqual([]);
    },
  );

  it("are named by their files, and no file names one that is missing", () => {
    const named = files
      .filter((path) => /\.c?js$/.test(path))
      .flatMap((path) =>
        [...read(path).matchAll(/^\/\/# sourceMappingURL=(.*)$/gm)].map(([, map = ""]) =>
          resolved(path, map),
        ),
      );
    expect(named.sort()).toEqual(mapped.map((path) => `${path}.map`).sort());
    for (const path of mapped) expect(read(path)).toMatch(/\n\/\/# sourceMappingURL=[^\n]+\n?$/);
  });

  it.each(mapped)("hold the sources themselves, by their places in the repository: %s", (path) => {
    const { sources, sourcesContent } = mapOf(path);
    expect(sources.length).toBeGreaterThan(0);
    const paths = sources.map((name: string) => resolved(path, name));
    expect(paths.filter((name: string) => !/^src\/[\w/-]+\.ts$/.test(name))).toEqual([]);
    expect(sourcesContent).toEqual(paths.map(source));
  });

  it.each(mapped)("lead every function back to the place that declares it: %s", (path) => {
    const map = new SourceMap(mapOf(path));
    const code = read(path).split("\n");
    const wrong: string[] = [];
    for (const [line, text] of code.entries()) {
      const [, before = "", name = ""] = /^(\s*)(?:async )?function\*? (\w+)\(/.exec(text) ?? [];
      // What esbuild adds itself begins with two underscores.
      if (name === "" || name.startsWith("__")) continue;
      const found = map.findEntry(line, before.length);
      if (!("originalSource" in found)) {
        wrong.push(`${name}: nowhere`);
        continue;
      }
      const original = source(resolved(path, found.originalSource)).split("\n")[found.originalLine] ?? "";
      // esbuild appends a number where two files have the same name.
      const declaration = new RegExp(
        `^(?:export )?(?:async )?function\\*? ${name.replace(/\d+$/, "")}\\d*\\b`,
      );
      if (!declaration.test(original.slice(found.originalColumn))) wrong.push(`${name}: ${original}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ["import", ["stack.mjs"]],
    ["require", ["--no-experimental-require-module", "stack.cjs"]],
  ])("let Node lead a stack in the client back to src after %s", async (_way, args) => {
    const stack = await runNode(stackProject, "--enable-source-maps", ...args);
    const inClient = stack.split("\n").filter((line) => line.includes("template-pdf/"));
    const frames = inClient.map((line) =>
      /^ +at (.+) \(.*\/template-pdf\/(src\/\S+\.ts):(\d+):(\d+)\)$/.exec(line),
    );
    expect(frames).not.toContain(null);
    const called = frames.map((frame) => {
      const [, name = "", path = "", line, column] = frame ?? [];
      return {
        name,
        path,
        code: source(path)
          .split("\n")
          [Number(line) - 1]?.slice(Number(column) - 1),
      };
    });
    expect(called.at(-1)).toMatchObject({ name: "TemplatePdf.generate", path: "src/client.ts" });
    // The stack crosses two files of `dist`.
    expect(called.map(({ path }) => path)).toContain("src/request/values.ts");
    // The position of a frame is where it calls the one above it.
    for (const [at, { code }] of called.entries()) {
      const callee = at === 0 ? "toJSON" : (called[at - 1]?.name.replace(/^.*\./, "") ?? "");
      expect(code?.startsWith(callee), `${code} calls ${callee}`).toBe(true);
    }
  });

  it("go on through a bundler's own map, without a warning, and add nothing to a page", async () => {
    const page = await bundle('export { TemplatePdf } from "template-pdf";', ["browser"]);
    const [map, code] = [".map", ".js"].map(
      (ending) => page.outputFiles?.find(({ path }) => path.endsWith(ending))?.text ?? "",
    );
    const { sources, sourcesContent } = JSON.parse(map ?? "");
    expect(page.warnings).toEqual([]);
    expect(sources).toContain("node_modules/template-pdf/src/client.ts");
    expect(sources.filter((path: string) => path.includes("dist/"))).toEqual([]);
    expect(sourcesContent).not.toContain(null);
    expect(code).not.toContain("sourceMappingURL");
  });
});

/** The files of the package that a bundler finds behind the client's entry points. */
async function filesLoaded(way: string, condition: string): Promise<string[]> {
  const names = ["template-pdf", "template-pdf/browser", "template-pdf/handler"];
  const code = names
    .map((name) => (way === "import" ? `import "${name}"` : `require("${name}")`))
    .join(";\n");
  const { metafile } = await bundle(code, [condition]);
  return inputsOf(metafile);
}

function inputsOf(metafile: Metafile): string[] {
  return Object.keys(metafile.inputs).flatMap(
    (path) => /^node_modules\/template-pdf\/(.*)/.exec(path)?.[1] ?? [],
  );
}

function bundle(contents: string, conditions: string[]) {
  return build({
    stdin: { contents, resolveDir: consumer },
    absWorkingDir: consumer,
    outfile: "page.js",
    bundle: true,
    minify: true,
    sourcemap: "external",
    platform: "neutral",
    conditions,
    external: ["undici", "node:*"],
    // Every file that is named is loaded, whatever is used of it.
    ignoreAnnotations: true,
    metafile: true,
    write: false,
    logLevel: "silent",
  });
}
