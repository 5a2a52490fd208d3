import { beforeAll, describe } from "vitest";
import { installCompilers, testMistakes } from "../package/compilers.ts";
import { testProjects } from "../package/typed-projects.ts";

/** Tests the types with other supported compilers. test/package/types.test.ts uses this repository's one. */
const compilers = ["5.4.5", "5.7.3", "6.0.3", "7.0.2"];

describe("the types", { timeout: 120_000 }, () => {
  beforeAll(() => installCompilers(compilers), 120_000);
  // All projects are compiled with the newest version, and the two most different ones with the oldest, which is slow.
  testProjects(["7.0.2"]);
  testProjects(["5.4.5"], ["a Node project of CommonJS modules", "a browser project without @types/node"]);
  testMistakes(compilers);
});
