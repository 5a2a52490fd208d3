import { beforeAll, describe } from "vitest";
import { installCompilers, testMistakes } from "../package/compilers.ts";
import { testProjects } from "../package/typed-projects.ts";

/** Tests the types with other supported compilers. test/package/types.test.ts uses this repository's one. */
const compilers = ["5.4.5", "5.7.3", "6.0.3", "7.0.2"];

describe("the types", { timeout: 120_000 }, () => {
  beforeAll(() => installCompilers(compilers), 120_000);
  // All of the projects are compiled only with the oldest and the newest version.
  testProjects(["5.4.5", "7.0.2"]);
  testMistakes(compilers);
});
