import { expect, it } from "vitest";
import { ofRepository } from "./compilers.ts";
import { legacyProject, testProjects } from "./typed-projects.ts";

// With the compiler of this repository. test/runtimes/compilers.test.ts has others, and all kinds of projects.
describe("the types", { timeout: 120_000 }, () => {
  testProjects([ofRepository], ["a Node project of ES modules", legacyProject]);
});
