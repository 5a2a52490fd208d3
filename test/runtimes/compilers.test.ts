import { beforeAll, describe, expect, it } from "vitest";
import { compileMistakes, expectedMistakes, installCompilers } from "../package/compilers.ts";
import {
  compileProject,
  legacyProject,
  modernProjects,
  type ProjectTitle,
} from "../package/typed-projects.ts";

/** Tests the types with other supported compilers. test/package/types.test.ts uses this repository's one. */
const compilers = ["5.4.5", "5.7.3", "6.0.3", "7.0.2"];

/** The oldest version is slow. It compiles those that differ most: with both module formats, and without the types of Node. */
const slowProjects: readonly ProjectTitle[] = [
  "a Node project of ES modules",
  "a browser project without @types/node",
];

describe("the types", { timeout: 120_000 }, () => {
  beforeAll(() => installCompilers(compilers), 120_000);

  it.concurrent.each(modernProjects)("compile with TypeScript 7.0.2 in %s", async (title) => {
    expect(await compileProject("7.0.2", title)).toBe("");
  });

  it.concurrent.each(slowProjects)("compile with TypeScript 5.4.5 in %s", async (title) => {
    expect(await compileProject("5.4.5", title)).toBe("");
  });

  it.concurrent.each(["5.4.5", "6.0.3"])(
    "compile with TypeScript %s in a project with `moduleResolution: node`",
    async (version) => {
      expect(await compileProject(version, legacyProject)).toBe("");
    },
  );

  it.concurrent.each(compilers)(
    "reject mistakes in TypeScript %s with readable messages",
    async (version) => {
      expect(await compileMistakes(version)).toEqual(expectedMistakes);
    },
  );
});
