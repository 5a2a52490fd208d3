import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesBelow } from "../package/consumer.ts";
import { everywhere } from "./mocks/combinations.ts";
import { runTests, Workspace } from "./mocks/workspace.ts";

/** The projects that a reader may copy, with the packed package in the place of the published one. */

const repository = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  readonly scripts?: { readonly test?: string };
  readonly version?: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const examples = readdirSync(join(repository, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && filesOf(entry.name).includes("package.json"))
  .map(({ name }) => name)
  // The others are run elsewhere, such as in browsers.
  .filter((name) => manifestOf(name).scripts?.test !== undefined);

/** What the guide says about tests: each block is a file, which its first line names. */
const guide = "docs/guides/testing.md";
const blocks = [
  ...readFileSync(join(repository, guide), "utf8").matchAll(/^```ts\n(?:\/\/ (\S+\.ts)\n)?(.*?)^```$/gms),
].map(([, name, code = ""]) => ({ name, code }));

/** What the guide imports, beside what the mocks and the examples need. */
const packagesOfGuide = ["valibot@1"];

/** What example projects say they need, as `npm install` takes it. */
function packagesOfExamples(names: readonly string[]): string[] {
  const inMocks = everywhere.packages.map((spec) => spec.split("@")[0]);
  const specs = names.flatMap((name) =>
    Object.entries(needsOf(name))
      .filter(([needed]) => needed !== "template-pdf" && !inMocks.includes(needed))
      .map(([needed, range]) => `${needed}@${range}`),
  );
  return [...new Set(specs), ...packagesOfGuide];
}

describe("an example project", () => {
  const workspace = new Workspace();

  beforeAll(() => workspace.install(...everywhere.packages, ...packagesOfExamples(examples)), 300_000);
  afterAll(() => workspace.remove(), 60_000);

  it("is there for vitest, Jest and node --test", () => {
    expect(examples).toEqual(["jest", "node-test", "vitest"]);
  });

  it.each(examples)("%s: needs what it says it needs, and this version of ours", (name) => {
    const imported = filesOf(name).flatMap((file) => packagesImportedBy(read(name, file)));
    const needs = needsOf(name);
    expect(imported.filter((each) => !isBuiltin(each) && !(each in needs))).toEqual([]);
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as Manifest;
    expect(needs["template-pdf"]).toBe(`^${version}`);
  });

  it(`vitest: passes its tests, and those that ${guide} shows`, async () => {
    expect(blocks.map(({ name }) => name)).not.toContain(undefined);
    const project = copy("vitest", workspace);
    mkdirSync(join(project, "test/guide"));
    for (const { name = "", code } of blocks) writeFileSync(join(project, "test/guide", name), code);
    await expectToPass(project);
  });

  it.each(["jest", "node-test"])("%s: passes its tests", async (name) => {
    await expectToPass(copy(name, workspace));
  });
});

async function expectToPass(project: string): Promise<void> {
  const tests = countTests(filesBelow(project).map(({ path }) => readFileSync(join(project, path), "utf8")));
  const { printed, ...outcome } = await runTests(project, "npm", ["test"]);
  expect(tests).toBeGreaterThan(0);
  expect(outcome, printed).toEqual({ exitCode: 0, passed: tests });
}

function copy(example: string, workspace: Workspace): string {
  const project = join(workspace.folder, "examples", example);
  for (const file of filesOf(example))
    cpSync(join(repository, "examples", example, file), join(project, file));
  return project;
}

/** All but what a reader who has run it here has installed. */
function filesOf(example: string): string[] {
  const paths = filesBelow(join(repository, "examples", example)).map(({ path }) => path);
  return paths.filter((path) => !path.startsWith("node_modules/")).sort();
}

function read(example: string, file: string): string {
  return readFileSync(join(repository, "examples", example, file), "utf8");
}

function manifestOf(example: string): Manifest {
  return JSON.parse(read(example, "package.json"));
}

function needsOf(example: string): Readonly<Record<string, string>> {
  const { dependencies, devDependencies } = manifestOf(example);
  return { ...dependencies, ...devDependencies };
}

function packagesImportedBy(code: string): string[] {
  return [...code.matchAll(/(?:^|[^\w.])(?:from |import |require\()"([^."][^"]*)"/gm)].map(([, path = ""]) =>
    isBuiltin(path) ? path : path.replace(/^((?:@[^/]+\/)?[^/]+).*/, "$1"),
  );
}

function countTests(codes: readonly string[]): number {
  return codes.flatMap((code) => code.match(/^test\(/gm) ?? []).length;
}
