import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import ts from "typescript";
import { describe, expect, it } from "vitest";

/**
 * The core, from the top layer to the bottom. A name that ends in a slash is a folder. A file imports only from layers
 * below its own, and from its own folder.
 */
const layers: readonly (readonly string[])[] = [
  ["index.ts"],
  ["client.ts"],
  ["platform/"],
  ["document/"],
  ["call/", "template.ts"],
  ["options/"],
  ["request/", "transport/", "files/"],
  ["errors/"],
  ["runtime/"],
];

/**
 * The folders outside the core: one for each entry point, and three that they share. Each imports its own files and those listed
 * here. Files of the core do not import them.
 */
const outer: Readonly<Record<string, readonly string[]>> = {
  "json/": [],
  "service/": ["errors/", "files/", "json/", "request/", "runtime/"],
  "browser/": ["errors/errors.ts", "index.ts"],
  "bulk/": ["index.ts", "call/", "errors/", "files/", "json/", "options/", "runtime/"],
  "queue/": ["index.ts", "bulk/", "call/", "errors/", "json/", "options/", "request/", "runtime/"],
  "handler/": ["index.ts", "errors/", "json/", "options/", "request/", "runtime/", "service/", "template.ts"],
  "testing/": [
    "index.ts",
    "call/",
    "errors/foreign-values.ts",
    "json/",
    "options/",
    "request/",
    "runtime/",
    "service/",
    "template.ts",
  ],
  "template-types/": ["errors/foreign-values.ts", "json/"],
  "emulator/": [
    "index.ts",
    "errors/foreign-values.ts",
    "files/",
    "json/",
    "request/",
    "runtime/",
    "service/",
    "template-types/",
  ],
  "mcp/": [
    "index.ts",
    "bulk/folder/",
    "emulator/",
    "errors/foreign-values.ts",
    "files/",
    "json/",
    "runtime/shared-turns.ts",
    "request/",
    "runtime/",
    "service/",
    "template-types/",
    "testing/pdf/read-by-pdf-js.ts",
  ],
  "cli/": [
    "index.ts",
    "bulk/",
    "emulator/",
    "errors/foreign-values.ts",
    "errors/value-kinds.ts",
    "files/",
    "json/",
    "mcp/",
    "options/",
    "queue/",
    "request/",
    "runtime/",
    "template-types/",
    "template.ts",
  ],
};

/** Third-party modules, and the only files that may import them. */
const outside: readonly { readonly what: RegExp; readonly by: readonly string[] }[] = [
  { what: /^#platform$/, by: ["client.ts"] },
  { what: /^#sockets$/, by: ["testing/fake-service.ts"] },
  {
    what: /^node:/,
    by: [
      "files/",
      "document/node-outputs.ts",
      "platform/node.ts",
      "transport/",
      "service/listen.ts",
      "handler/node.ts",
      "bulk/folder/",
      "bulk/journal/",
      "bulk/run-bulk.ts",
      "queue/",
      "emulator/",
      "mcp/",
      "cli/",
      "service/faults/play-on-socket.ts",
      "testing/load-msw.ts",
      "runtime/platform-types.ts",
    ],
  },
  { what: /^undici(\/|$)/, by: ["transport/"] },
  { what: /^@hono\/node-server(\/|$)/, by: ["handler/node.ts", "service/listen.ts"] },
  {
    what: /^@cfworker\/json-schema$/,
    by: ["template-types/", "emulator/renderer/", "testing/", "json/"],
  },
  { what: /^bidi-js$/, by: ["emulator/renderer/right-to-left.ts"] },
  { what: /^jsonc-parser$/, by: ["json/"] },
  { what: /^commander$/, by: ["cli/"] },
  { what: /^prettier(\/|$)/, by: ["template-types/"] },
  { what: /^(?:bullmq|ioredis)$/, by: ["queue/"] },
  { what: /^@modelcontextprotocol\/sdk\//, by: ["mcp/"] },
  { what: /^msw$/, by: ["testing/"] },
  { what: /^\.\.\/package\.json$/, by: ["cli/", "platform/node.ts", "platform/web.ts"] },
  { what: /^pdfjs-dist\//, by: ["testing/pdf/read-by-pdf-js.ts"] },
  { what: /^(?:preact(\/|$)|@codemirror\/)/, by: ["emulator/playground/page/"] },
  { what: /^pdfmake(\/|$)/, by: ["emulator/renderer/"] },
];

/** The files that a browser or an edge worker loads, with its own implementation of `#platform`. */
const webEntries = ["index.ts", "platform/browser.ts", "platform/web.ts"];

/** `to` is a path below `src`, or a specifier as written: `#platform`, `node:fs`. A type-only import is removed at run time. */
type Import = { readonly to: string; readonly typeOnly: boolean };

/** `path` is below `src`. */
type SourceFile = { readonly path: string; readonly imports: readonly Import[] };

const root = fileURLToPath(new URL("../src", import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts"))
  .map((path) => sourceFile(path, readFileSync(`${root}/${path}`, "utf8")));
const paths = sources.map(({ path }) => path);

describe("the source files", () => {
  it("each belong to a layer or an outer folder", () => {
    const homeless = paths.filter((path) => layerOf(path) === -1 && outerFolderOf(path) === undefined);
    expect(homeless, "Add them to `layers` or `outer` at the top of this file").toEqual([]);
  });

  it("include every path listed in this test", () => {
    const named = [...layers.flat(), ...Object.keys(outer), ...Object.values(outer).flat()];
    expect([...named, ...webEntries].filter((name) => !paths.some((path) => isIn(path, name)))).toEqual([]);
  });

  it("import files only from the layers and folders that this test allows", () => {
    expect(violations(sources, objectionToOurs)).toEqual([]);
  });

  it("of the core do not import each other in a circle, not even for a type", () => {
    const core = sources.filter(({ path }) => layerOf(path) !== -1);
    expect(circlesIn(core)).toEqual([]);
  });

  it("import third-party modules only where this test allows them", () => {
    expect(violations(sources, objectionToOutside)).toEqual([]);
  });

  it("load neither Node.js modules nor third-party packages in a browser", () => {
    const loaded = reachable(sources, webEntries).flatMap(({ path, imports }) =>
      imports
        // The build replaces the version by its text.
        .filter(
          ({ to, typeOnly }) => !typeOnly && !paths.includes(to) && !/^#platform$|package\.json$/.test(to),
        )
        .map(({ to }) => `${path} → ${to}`),
    );
    expect(loaded).toEqual([]);
  });
});

/**
 * The functions of node:fs with which a file may be opened for reading. Only `files/read-file.ts` uses them, because opening a
 * named pipe waits, and a device never ends.
 */
const opening = /^(?:(?:read|copy)File(?:Sync)?|cp(?:Sync)?|open(?:Sync|AsBlob)?|createReadStream)$/;

/** The files that open something else, and what that is. */
const otherOpeners: Readonly<Record<string, string>> = {
  "bulk/folder/writable-folder.ts": "a folder",
  "bulk/journal/journal-file.ts":
    "a journal, for reading and writing: it does not wait, and checks what it opened",
  "cli/bulk/data/stored-bytes.ts": "its own new file",
};

/** The files that get node:fs by name, of which the second only writes. */
const loadersOfFs = ["files/file-system.ts", "files/read-file.ts"];

describe("files", () => {
  it("are opened for reading only by files/read-file.ts", () => {
    const openers = sources.filter(
      ({ path }) => namesFromFs(readFileSync(`${root}/${path}`, "utf8")).length > 0,
    );
    expect(openers.map(({ path }) => path).sort()).toEqual(Object.keys(otherOpeners).sort());
  });

  it("are the only reason to get node:fs by name", () => {
    const byName = sources.filter(({ path }) =>
      readFileSync(`${root}/${path}`, "utf8").includes('Module("node:fs'),
    );
    expect(byName.map(({ path }) => path).sort()).toEqual(loadersOfFs);
  });

  it("are put into missing folders only by files/make-folders.ts, because a recursive `mkdir` may never end", () => {
    const recursive = /\bmkdir(?:Sync)?\([^;]*recursive: true/;
    const makers = sources.filter(({ path }) => recursive.test(readFileSync(`${root}/${path}`, "utf8")));
    expect(makers.map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['import { readFile as read, stat } from "node:fs/promises";', ["readFile"]],
    ['import { type Stats, createReadStream } from "node:fs";', ["createReadStream"]],
    ['import fs from "node:fs";', ["fs"]],
    ['import * as fs from "node:fs/promises";', ["* as fs"]],
    ['import { writeFile, lstatSync } from "node:fs";', []],
    ['import { readFile } from "./types.ts";', []],
  ])("are recognized in %j", (text, names) => expect(namesFromFs(text)).toEqual(names));
});

/** Returns the imported functions of node:fs that may open a file for reading, or the whole module. */
function namesFromFs(text: string): string[] {
  return [...text.matchAll(/^import (?!type )([^;]*?) from "node:fs(?:\/promises)?";/gms)].flatMap(
    ([, what = ""]) => {
      const list = /^\{(.*)\}$/s.exec(what.trim())?.[1];
      if (list === undefined) return [what];
      const names = list.split(",").map((name) => name.trim().split(" as ")[0] ?? "");
      return names.filter((name) => opening.test(name));
    },
  );
}

describe("the architecture rules", () => {
  it("cover every kind of import", () => {
    const ways = [
      ['import a from "./a.ts"; a();', "folder/a.ts", false],
      ['import type { B } from "../b.ts";', "b.ts", true],
      ['import { type C } from "./c.ts";', "folder/c.ts", true],
      ['export { d } from "./d.ts";', "folder/d.ts", false],
      ['export type * from "./e.ts";', "folder/e.ts", true],
      ['type G = import("node:stream").Readable;', "node:stream", true],
      ['const h = await import("undici");', "undici", false],
      ['const i = process.getBuiltinModule("node:fs");', "node:fs", false],
    ] as const;
    const { imports } = sourceFile("folder/x.ts", ways.map(([way]) => way).join("\n"));
    expect(imports).toEqual(ways.map(([, to, typeOnly]) => ({ to, typeOnly })));
  });

  it("find a circle of three files, and no file outside of it", () => {
    const files = [
      sourceFile("call/a.ts", 'import { b } from "./b.ts"; b();'),
      sourceFile("call/b.ts", 'import type { C } from "./c.ts";'),
      sourceFile("call/c.ts", 'export type { A } from "./a.ts"; import "./d.ts";'),
      sourceFile("call/d.ts", "export {};"),
      sourceFile("call/e.ts", 'import "./a.ts";'),
    ];
    expect(circlesIn(files)).toEqual([["call/a.ts", "call/b.ts", "call/c.ts"]]);
  });

  it.each([
    ["a higher layer", { path: "errors/errors.ts", from: "../client.ts", objectionTo: objectionToOurs }],
    [
      "core internals from outside the core",
      { path: "emulator/start.ts", from: "../client.ts", objectionTo: objectionToOurs },
    ],
    ["an unlisted package", { path: "client.ts", from: "axios", objectionTo: objectionToOutside }],
  ] as const)("reject even a type-only import of %s", (_title, { path, from, objectionTo }) => {
    expect(violations([sourceFile(path, `import type { A } from "${from}";`)], objectionTo)).toHaveLength(1);
  });
});

/** Reads the imports of a file: statements, `import()` calls, types, and built-in modules that are loaded by name. */
function sourceFile(path: string, text: string): SourceFile {
  // Removes imports that are not used at run time.
  const loaded = namesIn(transformSync(text, { loader: "ts" }).code);
  const imports = namesIn(text).map((name) => {
    const to = name.startsWith(".") ? posix.join(posix.dirname(path), name) : name;
    return { to, typeOnly: !loaded.includes(name) };
  });
  return { path, imports };
}

function namesIn(text: string): string[] {
  const builtIn = [...text.matchAll(/\bgetBuiltinModule\("([^"]+)"\)/g)].map(([, name = ""]) => name);
  return [...ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName), ...builtIn];
}

type Objection = (path: string, imported: Import) => string | undefined;

function violations(files: readonly SourceFile[], objectionTo: Objection): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap((imported) => {
      const objection = objectionTo(path, imported);
      return objection ? [`${path} → ${imported.to}: ${objection}`] : [];
    }),
  );
}

function objectionToOurs(path: string, { to }: Import): string | undefined {
  if (!to.endsWith(".ts")) return undefined;
  if (!paths.includes(to)) return "there is no such file";
  const folder = outerFolderOf(path);
  if (folder !== undefined) {
    const allowed = [folder, ...(outer[folder] ?? [])];
    return allowed.some((name) => isIn(to, name))
      ? undefined
      : `${folder} may import only ${allowed.join(", ")}`;
  }
  if (outerFolderOf(to) !== undefined) return "the core imports no outer folder";
  const [from, target] = [layerOf(path), layerOf(to)];
  if (target > from || nameOfLayerIn(path) === nameOfLayerIn(to)) return undefined;
  return target === from ? "both are in the same layer" : "that is a layer above";
}

function objectionToOutside(path: string, { to }: Import): string | undefined {
  if (to.endsWith(".ts")) return undefined;
  const by = outside.find(({ what }) => what.test(to))?.by;
  if (!by) return "add the importing file to `outside` at the top of this file";
  return by.some((name) => isIn(path, name)) ? undefined : `only ${by.join(", ")} may`;
}

/** Returns these files and all that they load. Type-only imports load nothing. */
function reachable(files: readonly SourceFile[], entries: readonly string[]): SourceFile[] {
  const found = new Set(files.filter(({ path }) => entries.includes(path)));
  for (const { imports } of found) {
    for (const { to } of imports.filter(({ typeOnly }) => !typeOnly)) {
      for (const file of files) if (file.path === to) found.add(file);
    }
  }
  return [...found];
}

/** Returns the groups of files that import each other, directly or through others. */
function circlesIn(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.map((file) => [file.path, file.imports.map(({ to }) => to)]));
  const reached = new Map(
    files.map(({ path }) => {
      const found = new Set<string>();
      const open = [path];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        for (const to of imports.get(next) ?? []) {
          if (imports.has(to) && !found.has(to)) open.push(to);
          found.add(to);
        }
      }
      return [path, found];
    }),
  );
  const inCircles = files.map(({ path }) => path).filter((path) => reached.get(path)?.has(path));
  const groups = inCircles.map((path) =>
    inCircles.filter((other) => reached.get(path)?.has(other) && reached.get(other)?.has(path)).sort(),
  );
  return groups.filter(([first], index) => first === inCircles[index]);
}

function layerOf(path: string): number {
  return layers.findIndex((names) => names.some((name) => isIn(path, name)));
}

function outerFolderOf(path: string): string | undefined {
  return Object.keys(outer).find((folder) => isIn(path, folder));
}

/** Returns the file or folder of the table that contains a path. */
function nameOfLayerIn(path: string): string {
  return layers.flat().find((name) => isIn(path, name)) ?? path;
}

/** Whether a path is this file or is in this folder. */
function isIn(path: string, name: string): boolean {
  return name.endsWith("/") ? path.startsWith(name) : path === name;
}
