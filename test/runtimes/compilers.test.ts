import { beforeAll, describe } from "vitest";
import { installCompilers, testMistakes } from "../package/compilers.ts";
import { testProjects } from "../package/typed-projects.ts";

/** All that the types are meant for, beside the one of this repository: see test/package/types.test.ts. */
const compilers = ["5.4.5", "5.5.4", "5.6.3", "5.7.3", "5.8.3", "6.0.3", "7.0.2"];

describe("the types", { timeout: 120_000 }, () => {
  beforeAll(() => installCompilers(compilers), 120_000);
  // What holds in both the oldest and the newest is not asked of those between.
  testProjects(["5.4.5", "7.0.2"]);
  testMistakes(compilers);
});
