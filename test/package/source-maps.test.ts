import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { filesBelow, installed, makeProject, runNode } from "./consumer.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(installed, path), "utf8");
const source = (path: string) => readFileSync(join(repository, path), "utf8").split("\n");

const files = filesBelow(installed).map(({ path }) => path);
const code = files.filter((path) => /\.c?js$/.test(path));
const maps = files
  .filter((path) => path.endsWith(".map"))
  .map((path) => ({ path, ...(JSON.parse(read(path)) as { sources: string[]; sourcesContent: string[] }) }));

describe("the source maps", () => {
  it("exist only for ES modules, and are linked at the end of each mapped file", () => {
    expect(files.filter((path) => path.endsWith(".cjs.map"))).toEqual([]);
    const named = code.flatMap((path) =>
      [...read(path).matchAll(/\n\/\/# sourceMappingURL=([^\n]+)\n?$/g)].map(([, map = ""]) =>
        posix.join(posix.dirname(path), map),
      ),
    );
    expect(named.sort()).toEqual(maps.map(({ path }) => path).sort());
    expect(named).toContain("dist/index.js.map");
  });

  it("contain the sources and their paths in the repository", () => {
    for (const { path, sources, sourcesContent } of maps) {
      const paths = sources.map((name) => posix.join(posix.dirname(path), name));
      expect(paths.filter((name) => !/^(?:src\/[\w/-]+\.ts|package\.json)$/.test(name))).toEqual([]);
      expect(sourcesContent).toEqual(paths.map((name) => source(name).join("\n")));
    }
  });
});

/** Prints a stack with frames of the client and of the program that calls it. */
const program = `
  import { TemplatePdf } from "template-pdf";
  Error.stackTraceLimit = 30;
  const client = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "key" });
  let stack;
  const values = { total: { toJSON() { stack ??= new Error("In the client").stack; return 1; } } };
  const pending = client.generate("inv_2024", values);
  pending.cancel();
  pending.catch(() => {});
  console.log(stack);
`;

it("with Node's --enable-source-maps, a client's stack trace refers to the source code", async () => {
  const project = makeProject("stack", { "stack.mjs": program });
  const stack = await runNode(project, "--enable-source-maps", "stack.mjs");
  // The frames in the package, the innermost first.
  const found = stack.matchAll(/^ +at (?:new )?(\S+) \(.*\/template-pdf\/(\S+):(\d+):(\d+)\)$/gm);
  const frames = [...found].map(([, name = "", path = "", line, column]) => ({
    name,
    path,
    line: Number(line),
    column: Number(column),
  }));
  expect(frames.at(-1)).toMatchObject({ name: "TemplatePdf.generate", path: "src/client.ts" });
  expect(frames.map(({ path }) => path)).toContain("src/request/serialize-values.ts");
  // The position of a frame is where it calls the one above it.
  for (const [at, { path, line, column }] of frames.entries()) {
    const callee = at === 0 ? "toJSON" : (frames[at - 1]?.name.replace(/^.*\./, "") ?? "");
    expect(source(path)[line - 1]?.slice(column - 1)).toMatch(new RegExp(`^(?:new )?${callee}\\b`));
  }
});
