import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { exports as resolveExports, imports as resolveImports } from "resolve.exports";
import { describe, expect, it } from "vitest";
import { consumer, filesBelow, installed, makeProject, runNode } from "./consumer.ts";

// The file that each name resolves to: entry points from a project, imports from inside the package.
const entries = ["template-pdf", "template-pdf/emulator"];
const imports = ["#platform", "#base"];

describe("the package", () => {
  it("resolves to the same files for import and require if Node can require ES modules", async () => {
    const project = makeProject("resolution", { "probe.mjs": probe });
    const flags = ["", "--no-experimental-require-module", "--conditions=browser"];
    const rows = await Promise.all(
      flags.map(async (flag) => {
        const options = ["--experimental-import-meta-resolve", ...(flag ? [flag] : [])];
        const args = ["probe.mjs", installed, ...entries, ...imports];
        const found = JSON.parse(await runNode(project, ...options, ...args));
        return [rowOf(flag, "import", found.imported), rowOf(flag, "require", found.required)];
      }),
    );
    expect(table(rows.flat())).toMatchInlineSnapshot(`
      "import: index.js emulator/index.js platform/node.js base.js
      require: index.js emulator/index.js platform/node.js base.js
      --no-experimental-require-module import: index.js emulator/index.js platform/node.js base.js
      --no-experimental-require-module require: index.cjs emulator/index.cjs platform/node.cjs base.cjs
      --conditions=browser import: index.js emulator/index.js platform/browser.js base.js
      --conditions=browser require: index.js emulator/index.js platform/browser.js base.js"
    `);
  });

  it("resolves to the right implementation for the conditions of other runtimes and bundlers", async () => {
    const ways = [
      "node",
      "browser",
      "workerd worker browser",
      "edge-light",
      "deno node",
      "module-sync bun node",
    ];
    const rows = await Promise.all(
      [...ways, ""].map(async (conditions) => [
        rowOf(conditions, "import", await resolveAll(conditions, "import-statement")),
        rowOf(conditions, "require", await resolveAll(conditions, "require-call")),
      ]),
    );
    expect(table(rows.flat())).toMatchInlineSnapshot(`
      "node import: index.js emulator/index.js platform/node.js base.js
      node require: index.cjs emulator/index.cjs platform/node.cjs base.cjs
      browser import: index.js emulator/index.js platform/browser.js base.js
      browser require: index.cjs emulator/index.cjs platform/browser.cjs base.cjs
      workerd worker browser import: index.js emulator/index.js platform/web.js base.js
      workerd worker browser require: index.cjs emulator/index.cjs platform/web.cjs base.cjs
      edge-light import: index.js emulator/index.js platform/web.js base.js
      edge-light require: index.cjs emulator/index.cjs platform/web.cjs base.cjs
      deno node import: index.js emulator/index.js platform/deno-and-bun.js base.js
      deno node require: index.cjs emulator/index.cjs platform/deno-and-bun.cjs base.cjs
      module-sync bun node import: index.js emulator/index.js platform/deno-and-bun.js base.js
      module-sync bun node require: index.js emulator/index.js platform/deno-and-bun.js base.js
      import: index.js emulator/index.js platform/web.js base.js
      require: index.cjs emulator/index.cjs platform/web.cjs base.cjs"
    `);
  });

  it("resolves only to existing files", () => {
    const { exports, imports, bin, main, module, types } = manifest;
    const targets = JSON.stringify([exports, imports, bin, main, module, types]).match(
      /"(?:\.\/)?dist\/[^"]+"/g,
    );
    const files = (targets ?? []).map((target) => target.replace(/^"(?:\.\/)?|"$/g, ""));
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => !existsSync(join(installed, file)))).toEqual([]);
    // Shared and lazy chunks have a hash in their names.
    const modules = filesBelow(installed).map(({ path }) => path);
    // The page names the files that a browser loads.
    const named = modules.filter(
      (path) => /\.c?js$/.test(path) && !/\/[a-z-]+-[A-Z0-9]{8}\.c?js$|\/playground\//.test(path),
    );
    expect(named.filter((path) => !files.includes(path))).toEqual([]);
  });
});

const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
const platforms = ["node", "browser", "workerd", "edge-light", "react-native", "deno", "bun"];
const runtimes = [
  ...platforms.map((platform) => [platform]),
  // Jest with jsdom and Node's own conditions, a worker, and runtimes that also claim to be Node.
  ...[
    ["browser", "node"],
    ["worker", "browser"],
    ["workerd", "worker", "browser"],
    ["deno", "node"],
    ["bun", "node"],
  ],
  [],
];
const formats = {
  import: ["import"],
  require: ["require"],
  "import with module-sync": ["import", "module-sync"],
  "require with module-sync": ["require", "module-sync"],
};

/** Resolvers that do not backtrack (Jest 28 and 29, Metro) stop at the first condition that matches. */
describe.each(runtimes)("with the conditions %j, a resolver that does not backtrack", (...conditions) => {
  it.each(Object.entries(formats))(
    "finds every entry point and every import by %s, in that format",
    (_title, format) => {
      const options = { unsafe: true, conditions: [...conditions, ...format, "default"] };
      const isRequire = !format.includes("import") && !format.includes("module-sync");
      const targets = new Map<string, string | undefined>();
      for (const name of Object.keys(manifest.exports)) {
        if (name === "./package.json") continue;
        targets.set(name, resolveExports(manifest, name, options)?.[0]);
        targets.set(
          `types of ${name}`,
          resolveExports(manifest, name, { ...options, conditions: ["types", ...options.conditions] })?.[0],
        );
      }
      // The other imports are files of the emulator, which has one format.
      for (const name of ["#platform", "#errors", "#base", "#sockets"]) {
        targets.set(name, resolveImports(manifest, name, options)?.[0]);
      }
      for (const [name, target] of targets) {
        const ending = name.startsWith("types")
          ? isRequire
            ? ".d.cts"
            : ".d.ts"
          : isRequire
            ? ".cjs"
            : ".js";
        expect(target?.endsWith(ending), `${name} is ${target}, not a file with ${ending}`).toBe(true);
        expect(existsSync(join(installed, target as string)), `${name}: ${target} exists`).toBe(true);
      }
    },
  );
});

it("the package has types for each entry point that `moduleResolution: node` finds", () => {
  const names = Object.keys(manifest.exports).filter((name) => !/^\.$|\.json$/.test(name));
  expect(Object.keys(manifest.typesVersions["*"])).toEqual(names.map((name) => name.slice(2)));
});

/** Prints the files that the two resolvers of Node find. */
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

/** Resolves with esbuild, which adds only the conditions import or require, and default. */
async function resolveAll(
  conditions: string,
  kind: "import-statement" | "require-call",
): Promise<readonly string[]> {
  const found: string[] = [];
  const plugin: NonNullable<BuildOptions["plugins"]>[number] = {
    name: "resolve-all",
    setup({ onStart, resolve }) {
      onStart(async () => {
        for (const name of [...entries, ...imports]) {
          const resolveDir = name.startsWith("#") ? join(installed, "dist") : consumer;
          const { path } = await resolve(name, { kind, resolveDir, importer: join(resolveDir, "x.js") });
          found.push(path);
        }
      });
    },
  };
  await build({
    stdin: { contents: "", resolveDir: consumer },
    conditions: conditions.split(" ").filter((condition) => condition !== ""),
    platform: "neutral",
    plugins: [plugin],
    write: false,
    logLevel: "silent",
  });
  return found;
}

function rowOf(conditions: string, way: string, files: readonly string[]): readonly string[] {
  const names = files.map((file) => file.replaceAll("\\", "/").replace(/^.*\/template-pdf\/dist\//, ""));
  return [conditions, way, ...names];
}

/** A line for each row. */
function table(rows: readonly (readonly string[])[]): string {
  return rows
    .map(([conditions = "", way = "", ...files]) => `${conditions} ${way}: ${files.join(" ")}`.trim())
    .join("\n");
}
