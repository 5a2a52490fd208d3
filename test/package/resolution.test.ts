import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { describe, expect, it } from "vitest";
import { consumer, filesBelow, installed, makeProject, runNode } from "./consumer.ts";

// Which file each name leads to: the doors, seen from a project, and what lies behind them, seen from inside
// the package.
const doors = ["template-pdf", "template-pdf/emulator"];
const choices = ["#platform", "#base"];

describe("resolution", () => {
  it("leads Node to undici, and to one copy for import and require", async () => {
    const project = makeProject("resolution", { "probe.mjs": probe });
    const ways = [
      [],
      ["--no-experimental-require-module"],
      ...["browser", "workerd", "edge-light", "deno", "bun"].map((name) => [`--conditions=${name}`]),
    ];
    const rows = await Promise.all(
      ways.map(async (flags): Promise<string[]> => {
        const args = [
          "--experimental-import-meta-resolve",
          ...flags,
          "probe.mjs",
          installed,
          ...doors,
          ...choices,
        ];
        const found: { imported: string[]; required: string[] } = JSON.parse(await runNode(project, ...args));
        const how = ["node", ...flags].join(" ");
        return [row(how, "import", found.imported), row(how, "require", found.required)];
      }),
    );
    expect(table(rows.flat())).toMatchInlineSnapshot(`
      "conditions                             by       template-pdf  template-pdf/emulator  #platform                 #base
      node                                   import   index.js      emulator/index.js      platform/node.js          base.js
      node                                   require  index.js      emulator/index.js      platform/node.js          base.js
      node --no-experimental-require-module  import   index.js      emulator/index.js      platform/node.js          base.js
      node --no-experimental-require-module  require  index.cjs     emulator/index.cjs     platform/node.cjs         base.cjs
      node --conditions=browser              import   index.js      emulator/index.js      platform/web.js           base.js
      node --conditions=browser              require  index.js      emulator/index.js      platform/web.js           base.js
      node --conditions=workerd              import   index.js      emulator/index.js      platform/web.js           base.js
      node --conditions=workerd              require  index.js      emulator/index.js      platform/web.js           base.js
      node --conditions=edge-light           import   index.js      emulator/index.js      platform/web.js           base.js
      node --conditions=edge-light           require  index.js      emulator/index.js      platform/web.js           base.js
      node --conditions=deno                 import   index.js      emulator/index.js      platform/deno-and-bun.js  base.js
      node --conditions=deno                 require  index.js      emulator/index.js      platform/deno-and-bun.js  base.js
      node --conditions=bun                  import   index.js      emulator/index.js      platform/deno-and-bun.js  base.js
      node --conditions=bun                  require  index.js      emulator/index.js      platform/deno-and-bun.js  base.js"
    `);
  });

  it("leads everybody else by their conditions", async () => {
    const ways = [
      ["node"],
      ["browser"],
      ["module-sync", "browser"],
      ["workerd", "worker", "browser"],
      ["edge-light"],
      ["deno", "node"],
      ["module-sync", "deno", "node"],
      ["bun", "node"],
      [],
    ];
    const rows = await Promise.all(
      ways.map(async (conditions) => {
        const how = conditions.join(" ") || "(none)";
        return [
          row(how, "import", await resolveAll(conditions, "import-statement")),
          row(how, "require", await resolveAll(conditions, "require-call")),
        ];
      }),
    );
    expect(table(rows.flat())).toMatchInlineSnapshot(`
      "conditions              by       template-pdf  template-pdf/emulator  #platform                  #base
      node                    import   index.js      emulator/index.js      platform/node.js           base.js
      node                    require  index.cjs     emulator/index.cjs     platform/node.cjs          base.cjs
      browser                 import   index.js      emulator/index.js      platform/web.js            base.js
      browser                 require  index.cjs     emulator/index.cjs     platform/web.cjs           base.cjs
      module-sync browser     import   index.js      emulator/index.js      platform/web.js            base.js
      module-sync browser     require  index.js      emulator/index.js      platform/web.js            base.js
      workerd worker browser  import   index.js      emulator/index.js      platform/web.js            base.js
      workerd worker browser  require  index.cjs     emulator/index.cjs     platform/web.cjs           base.cjs
      edge-light              import   index.js      emulator/index.js      platform/web.js            base.js
      edge-light              require  index.cjs     emulator/index.cjs     platform/web.cjs           base.cjs
      deno node               import   index.js      emulator/index.js      platform/deno-and-bun.js   base.js
      deno node               require  index.cjs     emulator/index.cjs     platform/deno-and-bun.cjs  base.cjs
      module-sync deno node   import   index.js      emulator/index.js      platform/deno-and-bun.js   base.js
      module-sync deno node   require  index.js      emulator/index.js      platform/deno-and-bun.js   base.js
      bun node                import   index.js      emulator/index.js      platform/deno-and-bun.js   base.js
      bun node                require  index.cjs     emulator/index.cjs     platform/deno-and-bun.cjs  base.cjs
      (none)                  import   index.js      emulator/index.js      platform/web.js            base.js
      (none)                  require  index.cjs     emulator/index.cjs     platform/web.cjs           base.cjs"
    `);
  });

  it("leads to files that exist, whatever the conditions", () => {
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const targets = targetsIn([
      manifest.exports,
      manifest.imports,
      manifest.bin,
      manifest.main,
      manifest.module,
      manifest.types,
    ]);
    expect(targets.length).toBeGreaterThan(30);
    expect(targets.filter((target) => !existsSync(join(installed, target)))).toEqual([]);
    const publicFiles = new Set(targets.map((target) => target.replace(/^\.\//, "")));
    // What is loaded late, or by several of them, is named by what it holds and a hash.
    const code = filesBelow(installed).filter(
      ({ path }) => /\.c?js$/.test(path) && !/\/[a-z-]+-[A-Z0-9]{8}\.c?js$/.test(path),
    );
    expect(code.filter(({ path }) => !publicFiles.has(path))).toEqual([]);
  });
});

/** Prints what Node's own two resolvers say. */
const probe = `
  import { createRequire } from "node:module";
  import { pathToFileURL } from "node:url";
  const [folder, ...names] = process.argv.slice(2);
  const inside = pathToFileURL(folder + "/dist/index.js").href;
  const from = (name) => (name.startsWith("#") ? inside : import.meta.url);
  console.log(JSON.stringify({
    imported: names.map((name) => import.meta.resolve(name, from(name))),
    required: names.map((name) => createRequire(from(name)).resolve(name)),
  }));
`;

/** Asks esbuild, which adds no condition of its own but import or require, and default. */
async function resolveAll(
  conditions: string[],
  kind: "import-statement" | "require-call",
): Promise<string[]> {
  const found: string[] = [];
  const plugin: NonNullable<BuildOptions["plugins"]>[number] = {
    name: "resolve-all",
    setup({ onStart, resolve }) {
      onStart(async () => {
        for (const name of [...doors, ...choices]) {
          const resolveDir = name.startsWith("#") ? join(installed, "dist") : consumer;
          const { path, errors } = await resolve(name, {
            kind,
            resolveDir,
            importer: join(resolveDir, "x.js"),
          });
          found.push(errors.length > 0 ? "nothing" : path);
        }
      });
    },
  };
  const stdin = { contents: "", resolveDir: consumer };
  await build({
    stdin,
    conditions,
    platform: "neutral",
    plugins: [plugin],
    write: false,
    logLevel: "silent",
  });
  return found;
}

function row(how: string, way: string, files: readonly string[]): string {
  const names = files.map((file) => file.replaceAll("\\", "/").replace(/^.*\/template-pdf\/dist\//, ""));
  return [how, way, ...names].join("\t");
}

/** Aligns the columns, so that a change is seen at a glance. */
function table(rows: readonly string[]): string {
  const cells = [["conditions", "by", ...doors, ...choices], ...rows.map((line) => line.split("\t"))];
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  return cells
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n");
}

function targetsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(targetsIn) : [];
}
