import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { filesBelow } from "../package/consumer.ts";
import { filesIn } from "../support/blocks-of.ts";
import { runTests, useWorkspace } from "./mocks/workspace.ts";
import { testServedExample } from "./served-example.ts";

/** Tests the example projects, and docs/guides/testing.md, with the packed package. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const manifestOf = (name: string) => JSON.parse(read(`examples/${name}/package.json`));
const projects = readdirSync(join(repository, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => readdirSync(join(repository, "examples", name)).includes("package.json"));
const tested = projects.filter((name) => manifestOf(name).scripts.test !== undefined);
const workspace = useWorkspace();
const folders = new Map<string, string>();

beforeAll(async () => {
  const more = ["nock@14", "undici@7", "valibot@1"];
  const names = [...tested, "express"];
  const copies = await workspace.installExamples(names, more);
  for (const [at, name] of names.entries()) folders.set(name, copies[at] ?? "");
}, 600_000);

it("every example project depends on this version of the package", () => {
  expect(tested).toEqual(["jest", "node-test", "vitest"]);
  const { version } = JSON.parse(read("package.json"));
  const ranges = projects.map((name) => manifestOf(name).dependencies["template-pdf"]);
  expect(new Set(ranges)).toEqual(new Set([`^${version}`]));
});

describe.each(tested)("examples/%s", (name) => {
  const folder = () => folders.get(name) ?? "";
  const textsOf = () => filesBelow(folder()).map(({ path }) => readFileSync(join(folder(), path), "utf8"));

  it("declares every package that it imports", () => {
    const { dependencies, devDependencies } = manifestOf(name);
    const pattern = /(?:^|[^\w.])(?:from |import |require\()"((?:@[^/"]+\/)?[^/."][^/"]*)[^"]*"/gm;
    const imported = textsOf().flatMap((text) => [...text.matchAll(pattern)].map(([, path = ""]) => path));
    const needs = { ...dependencies, ...devDependencies };
    expect(imported.filter((each) => !isBuiltin(each) && !(each in needs))).toEqual([]);
  });

  it("passes its own tests and the applicable tests in docs/guides/testing.md", async () => {
    if (name === "vitest") {
      const blocks = filesIn(read("docs/guides/testing.md"));
      mkdirSync(join(folder(), "test/guide"));
      for (const [file, code] of blocks) writeFileSync(join(folder(), "test/guide", file), code);
      expect(blocks.size).toBe(read("docs/guides/testing.md").match(/^```ts$/gm)?.length);
    }
    const tests = textsOf().flatMap((text) => text.match(/^test\(/gm) ?? []).length;
    const { printed, ...outcome } = await runTests(folder(), "npm", ["test"]);
    expect(tests).toBeGreaterThan(0);
    expect(outcome, printed).toEqual({ exitCode: 0, passed: tests });
  }, 300_000);
});

describe("examples/express", () => {
  testServedExample(() => folders.get("express") ?? "");
});
