import { beforeAll, describe } from "vitest";
import { installCompilers, testMistakes } from "../package/compilers.ts";
import { testProjects } from "../package/typed-projects.ts";

/** Tests the types with supported compilers other than that of this repository, which test/package/types.test.ts uses. */
const compilers = ["5.4.5", "5.7.3", "6.0.3", "7.0.2"];

describe("the types", { timeout: 120_000 }, () => {
  beforeAll(() => installCompilers(compilers), 120_000);
  // The versions between the oldest and the newest are not tested with everything.
  testProjects(["5.4.5", "7.0.2"]);
  testMistakes(compilers);
});
