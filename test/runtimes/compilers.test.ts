import { beforeAll, describe } from "vitest";
import { installCompilers, testMistakes } from "../package/compilers.ts";
import { legacyProject, testProjects } from "../package/typed-projects.ts";

/** Tests the types with other supported compilers. test/package/types.test.ts uses this repository's one. */
const compilers = ["5.4.5", "5.7.3", "6.0.3", "7.0.2"];

/** The oldest version is slow. It compiles those that differ most: with both module formats, and without the types of Node. */
const slowProjects: readonly ProjectTitle[] = [
  "a Node project of ES modules",
  "a browser project without @types/node",
];

describe("the types", { timeout: 120_000 }, () => {
  beforeAll(() => installCompilers(compilers), 120_000);
  testProjects(["7.0.2"]);
  // The oldest version is slow. It compiles those that differ most: with both module formats, and without the types of Node.
  testProjects(["5.4.5"], ["a Node project of ES modules", "a browser project without @types/node"]);
  testProjects(["5.4.5", "6.0.3"], [legacyProject]);
  testMistakes(compilers);
});
