import { describe } from "vitest";
import { ofRepository, testMistakes } from "./compilers.ts";
import { testProjects } from "./typed-projects.ts";

/** By the compiler that this repository has; by all others in test/runtimes/compilers.test.ts. */
describe("the types", { timeout: 120_000 }, () => {
  testProjects([ofRepository]);
  testMistakes([ofRepository]);
});
