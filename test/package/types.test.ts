import { expect, it } from "vitest";
import { ofRepository } from "./compilers.ts";
import { compileProject, legacyProject } from "./typed-projects.ts";

// test/runtimes/compilers.test.ts has other compilers, and all kinds of projects.
it.concurrent.each([
  "a Node project of ES modules",
  "a project without the types of Node or browsers",
  legacyProject,
] as const)(
  "the types compile with the compiler of this repository in %s",
  async (title) => {
    expect(await compileProject(ofRepository, title)).toBe("");
  },
  120_000,
);
