import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { filesBelow, installed } from "./consumer.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(installed, path), "utf8");
const manifest = JSON.parse(read("package.json"));

/** The licenses that travel along, by the package they are of. */
const licenses = new Map(
  read("dist/THIRD-PARTY-LICENSES.md")
    .split(/^# /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf(" ")), section]),
);

describe("the published package carries the license of", () => {
  it("everything that is bundled into it", () => {
    // The build names the source of each piece in a comment before it.
    const code = filesBelow(installed)
      .filter(({ path }) => /\.c?js$/.test(path))
      .map(({ path }) => read(path));
    const bundled = code.flatMap((text) =>
      [...text.matchAll(/^ *\/\/ (?:.*\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm)].map(([, name]) => name),
    );
    expect([...licenses.keys()]).toEqual([...new Set(bundled)].sort());
  });

  it("every package that its sources load and that nobody installs with it", () => {
    const others = { ...manifest.dependencies, ...manifest.peerDependencies };
    const source = join(repository, "src");
    const loaded = filesBelow(source).flatMap(({ path }) =>
      [
        ...readFileSync(join(source, path), "utf8").matchAll(
          /(?:^(?:import|export) (?!type )(?:[\w*, ]|\{[^{}]*\})+ from|\bimport\() ?"(?!node:)((?:@[\w-]+\/)?\w[\w-]*)/gm,
        ),
      ].map(([, name = ""]) => name),
    );
    const missing = loaded.filter((name) => !(name in others));
    expect(missing).toContain("@hono/node-server");
    expect(missing.filter((name) => !licenses.has(name))).toEqual([]);
  });

  it.each([...licenses])("%s: the whole of it, and whose it is", (name, license) => {
    const { version } = JSON.parse(
      readFileSync(join(repository, "node_modules", name, "package.json"), "utf8"),
    );
    expect(license).toContain(`${name} ${version}\n`);
    expect(license).toMatch(/^(?:Copyright|The MIT License)/im);
    expect(license).toMatch(/^Copyright /m);
    for (const part of ["Permission is hereby granted", "shall be", '"AS IS"']) {
      expect(license.replaceAll("'", '"').replaceAll("“", '"').replaceAll("”", '"')).toContain(part);
    }
  });

  it.each([...licenses])("%s: those whose code it holds", (name, license) => {
    const folder = join(repository, "node_modules", name);
    const sources = filesBelow(folder).filter(
      ({ path }) => /^(?:src|lib|dist\/(?!cjs\/)|[^/]+\.js)/.test(path) && /\.m?[jt]s$/.test(path),
    );
    expect(sources.length).toBeGreaterThan(0);
    const taken = sources.flatMap(({ path }) => {
      const text = readFileSync(join(folder, path), "utf8");
      return [...text.matchAll(/\b(?:adapted|borrowed|copied|derived) from (?:the )?([A-Z][\w.-]*\w)/g)];
    });
    expect(taken.map(([, from = ""]) => from).filter((from) => !license.includes(from))).toEqual([]);
  });

  it("the schemas' checker, and of Ajv and punycode.js, which it holds", () => {
    const license = licenses.get("@cfworker/json-schema");
    for (const holder of ["Jeremy Danyow", "Mathias Bynens", "Evgeny Poberezkin"]) {
      expect(license).toContain(holder);
    }
  });
});

it("the fonts of the examples have theirs beside them", () => {
  const fonts = filesBelow(join(repository, "examples")).filter(
    ({ path }) => /\.(?:otf|ttf|woff2?)$/.test(path) && !path.includes("node_modules"),
  );
  expect(fonts.length).toBeGreaterThan(0);
  const bare = fonts.filter(({ path }) => !existsSync(join(repository, "examples", path, "../OFL.txt")));
  expect(bare.map(({ path }) => path)).toEqual([]);
});
