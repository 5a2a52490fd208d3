import { describe, expect, it } from "vitest";
import {
  type Import,
  importsOf,
  readSources,
  readsProcessEnv,
  type SourceFile,
} from "./support/source-imports.ts";

/**
 * The core, top floor first. A file imports only from floors below its own. An entry that ends in a slash is
 * a room: its files may import each other, too.
 */
const floors: readonly (readonly string[])[] = [
  ["index.ts", "platform/", "base.ts"],
  ["client.ts"],
  ["call.ts", "pending.ts"],
  ["attempts.ts"],
  ["asking.ts"],
  ["document.ts"],
  ["files/", "attempt.ts", "chunk-iterator.ts", "collector.ts", "web-stream.ts"],
  ["body.ts", "attempt-errors.ts"],
  ["api-error.ts"],
  ["options.ts", "template.ts"],
  ["call-events.ts"],
  ["waits.ts", "hooks.ts"],
  ["api-key.ts", "content-length.ts", "headers.ts", "option-rules.ts", "request.ts", "values.ts"],
  ["transport/"],
  ["caller-stack.ts", "disposal.ts", "filename.ts", "redact.ts", "verify.ts"],
  ["chunks.ts", "clock.ts", "abort-signals.ts", "secret-key.ts", "supervisor.ts"],
  [
    "environment.ts",
    "errors.ts",
    "linked-list.ts",
    "loopback.ts",
    "ordinary-words.ts",
    "platform-types.ts",
    "retry-after.ts",
    "retry.ts",
    "error-contents.ts",
    "escapes.ts",
    "safe-filename.ts",
    "secret-phrases.ts",
    "standard-schema.ts",
  ],
];

/** Beside the core: each wing may import its own files and what is named here, and no floor may import it. */
const wings: Readonly<Record<string, readonly string[]>> = {
  "server/": ["api-key.ts", "errors.ts", "loopback.ts", "platform-types.ts", "redact.ts", "safe-filename.ts"],
  "input/": [],
  "browser/": ["index.ts"],
  "bulk/": [
    "index.ts",
    "abort-signals.ts",
    "caller-stack.ts",
    "errors.ts",
    "files/drafting.ts",
    "files/held-file.ts",
    "files/reason-of.ts",
    "files/windows-name.ts",
    "option-rules.ts",
    "retry.ts",
    "supervisor.ts",
    "waits.ts",
    "input/",
  ],
  "handler/": [
    "index.ts",
    "option-rules.ts",
    "platform-types.ts",
    "redact.ts",
    "request.ts",
    "template.ts",
    "waits.ts",
    "server/",
    "input/",
  ],
  "template-types/": [],
  "testing/": [
    "index.ts",
    "api-key.ts",
    "disposal.ts",
    "option-rules.ts",
    "platform-types.ts",
    "standard-schema.ts",
    "template.ts",
    "verify.ts",
    "server/",
    "input/",
  ],
  "emulator/": ["index.ts", "disposal.ts", "standard-schema.ts", "server/", "input/"],
  "cli/": [
    "index.ts",
    "files/drafting.ts",
    "files/held-file.ts",
    "files/reason-of.ts",
    "files/windows-name.ts",
    "option-rules.ts",
    "safe-filename.ts",
    "standard-schema.ts",
    "template.ts",
    "bulk/",
    "emulator/",
    "input/",
    "template-types/",
  ],
};

/** What is not ours, and the only places that may import it. */
const outside: readonly { readonly what: RegExp; readonly by: readonly string[] }[] = [
  { what: /^#platform$/, by: ["client.ts", "document.ts"] },
  { what: /^#sockets$/, by: ["testing/fake-service.ts"] },
  {
    what: /^node:/,
    by: [
      "files/",
      "transport/",
      "server/listen.ts",
      "bulk/folder/",
      "bulk/journal/",
      "bulk/key-table/",
      "bulk/run-bulk.ts",
      "emulator/",
      "cli/",
      "testing/sockets/play-on-socket.ts",
      "testing/msw-handlers.ts",
      "platform-types.ts",
    ],
  },
  { what: /^undici(\/|$)/, by: ["transport/"] },
  { what: /^@hono\/node-server(\/|$)/, by: ["server/listen.ts"] },
  { what: /^@cfworker\/json-schema$/, by: ["emulator/renderer/", "testing/", "input/json-schema.ts"] },
  { what: /^jsonc-parser$/, by: ["input/"] },
  { what: /^commander$/, by: ["cli/"] },
  { what: /^csv-parse(\/|$)/, by: ["cli/bulk/data/"] },
  { what: /^msw$/, by: ["testing/"] },
  { what: /^\.\.\/package\.json$/, by: ["cli/"] },
  { what: /^pdfjs-dist\//, by: ["testing/pdf/read-by-pdf-js.ts"] },
  { what: /^pdfmake(\/|$)/, by: ["emulator/renderer/"] },
];

/** What a page or an edge worker loads; `#platform` is its own twin there. */
const webEntries = ["index.ts", "platform/web.ts"];

const longestFile = 320;

const sources = readSources();
const paths = sources.map(({ path }) => path);

describe("the house", () => {
  it("has a floor or a wing for every file", () => {
    const homeless = paths.filter((path) => floorOf(path) === -1 && wingOf(path) === undefined);
    expect(homeless, "Add them to `floors` or `wings` at the top of test/floors.test.ts").toEqual([]);
  });

  it("has a file for every name in these tables", () => {
    const named = [...floors.flat(), ...Object.keys(wings), ...Object.values(wings).flat()];
    expect([...named, ...webEntries].filter((name) => !paths.some((path) => isIn(path, name)))).toEqual([]);
  });

  it("leaves the transports to the client, and the files to the document", () => {
    const taken = (path: string) =>
      /import \{ (.*) \} from "#platform"/.exec(sources.find((file) => file.path === path)?.text ?? "")?.[1];
    expect([taken("client.ts"), taken("document.ts")]).toEqual(["transports", "files"]);
  });

  it("imports downward only", () => {
    expect(violations(sources, objectionToOurs)).toEqual([]);
  });

  it("imports what is not ours only where it is meant to", () => {
    expect(violations(sources, objectionToOutside)).toEqual([]);
  });

  it("imports in no circle, not even for types", () => {
    expect(circleIn(sources)).toBeUndefined();
  });

  it("loads nothing of Node, and no package, in a page", () => {
    const loaded = reachable(sources, webEntries).flatMap(({ path, imports }) =>
      imports
        .filter(({ to, typeOnly }) => !typeOnly && !paths.includes(to) && to !== "#platform")
        .map(({ to }) => `${path} → ${to}`),
    );
    expect(loaded).toEqual([]);
  });

  it("reads process.env in environment.ts only", () => {
    expect(sources.filter(readsProcessEnv).map(({ path }) => path)).toEqual(["environment.ts"]);
  });

  it(`has no file of more than ${longestFile} lines`, () => {
    const long = sources.filter(({ text }) => text.trimEnd().split("\n").length > longestFile);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it("names its files and folders in kebab-case, after what they are", () => {
    const kebab = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*(?:\.d)?\.ts$/;
    const empty = /(?:^|[/-])(?:utils?|helpers?|common|misc|shared|manager|impl)(?:[./-]|$)/;
    expect(paths.filter((path) => !kebab.test(path) || empty.test(path))).toEqual([]);
  });
});

describe("these rules", () => {
  const file = (path: string, text: string): SourceFile => ({ path, text, imports: importsOf(path, text) });

  it("see every way to import", () => {
    const text = `
      import a from "./a.ts";
      import type { B } from "../b.ts";
      import { type C } from "./c.ts";
      export { d } from "./d.ts";
      export type * from "./e.ts";
      import "./f.ts";
      type G = import("node:stream").Readable;
      const h = await import("undici");
      const i = process.getBuiltinModule("node:fs");
    `;
    expect(importsOf("room/x.ts", text)).toEqual([
      { to: "room/a.ts", typeOnly: false },
      { to: "b.ts", typeOnly: true },
      { to: "room/c.ts", typeOnly: true },
      { to: "room/d.ts", typeOnly: false },
      { to: "room/e.ts", typeOnly: true },
      { to: "room/f.ts", typeOnly: false },
      { to: "node:stream", typeOnly: true },
      { to: "undici", typeOnly: false },
      { to: "node:fs", typeOnly: false },
    ]);
  });

  it.each([
    ["a floor above", "errors.ts", 'import "./client.ts";'],
    ["the same floor", "api-error.ts", 'import "./api-error.ts";'],
    ["a wing from the core", "client.ts", 'import "./emulator/start.ts";'],
    ["the core's inside from a wing", "emulator/start.ts", 'import type { A } from "../client.ts";'],
    ["a wing from another", "server/endpoint.ts", 'import "../emulator/start.ts";'],
    ["a file that is not there", "client.ts", 'import "./nowhere.ts";'],
  ])("refuse to import %s", (_title, path, text) => {
    expect(violations([file(path, text)], objectionToOurs)).toHaveLength(1);
  });

  it.each([
    ["undici in the core", "client.ts", 'import { Agent } from "undici";'],
    ["the transports below the client", "attempt.ts", 'import { transports } from "#platform";'],
    ["the files outside the document", "pending.ts", 'import { files } from "#platform";'],
    ["a package nobody named", "client.ts", 'import axios from "axios";'],
  ])("refuse to import %s", (_title, path, text) => {
    expect(violations([file(path, text)], objectionToOutside)).toHaveLength(1);
  });

  it("find a circle of types", () => {
    const circle = [
      file("a.ts", 'import "./b.ts";'),
      file("b.ts", 'import type { C } from "./c.ts";'),
      file("c.ts", 'import type { B } from "./b.ts";'),
    ];
    expect(circleIn(circle)).toBe("b.ts → c.ts → b.ts");
  });
});

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
  const wing = wingOf(path);
  if (wing !== undefined) {
    const allowed = [wing, ...(wings[wing] ?? [])];
    return allowed.some((name) => isIn(to, name))
      ? undefined
      : `${wing} may import only ${allowed.join(", ")}`;
  }
  if (wingOf(to) !== undefined) return "the core imports no wing";
  const [from, target] = [floorOf(path), floorOf(to)];
  if (target > from || (target === from && roomOf(path) === roomOf(to) && path !== to)) return undefined;
  return target === from ? "both are on the same floor" : "that is a floor above";
}

function objectionToOutside(path: string, { to }: Import): string | undefined {
  if (to.endsWith(".ts")) return undefined;
  const by = outside.find(({ what }) => what.test(to))?.by;
  if (!by) return "nobody may, until it stands in `outside` at the top of test/floors.test.ts";
  return by.some((name) => isIn(path, name)) ? undefined : `only ${by.join(", ")} may`;
}

/** The first circle there is, as `a.ts → b.ts → a.ts`. */
function circleIn(files: readonly SourceFile[]): string | undefined {
  const targets = new Map(files.map(({ path, imports }) => [path, imports.map(({ to }) => to)]));
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): string | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path].join(" → ");
    if (done.has(path)) return undefined;
    for (const target of targets.get(path) ?? []) {
      const circle = walk(target, [...trail, path]);
      if (circle) return circle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of targets.keys()) {
    const circle = walk(path, []);
    if (circle) return circle;
  }
  return undefined;
}

/** These files and all they load; type-only imports load nothing. */
function reachable(files: readonly SourceFile[], entries: readonly string[]): SourceFile[] {
  const found = new Set<SourceFile>();
  const visit = (path: string): void => {
    const file = files.find((candidate) => candidate.path === path);
    if (!file || found.has(file)) return;
    found.add(file);
    for (const { to, typeOnly } of file.imports) if (!typeOnly) visit(to);
  };
  for (const entry of entries) visit(entry);
  return [...found];
}

function floorOf(path: string): number {
  return floors.findIndex((names) => names.some((name) => isIn(path, name)));
}

function wingOf(path: string): string | undefined {
  return Object.keys(wings).find((wing) => isIn(path, wing));
}

function roomOf(path: string): string {
  return floors.flat().find((name) => isIn(path, name)) ?? path;
}

/** Whether a file is the one named, or in the folder named. */
function isIn(path: string, name: string): boolean {
  return name.endsWith("/") ? path.startsWith(name) : path === name;
}
