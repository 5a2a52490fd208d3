import { afterAll, beforeAll, describe } from "vitest";
import { packagesOfExamples, testExampleProjects } from "./example-projects.ts";
import { everywhere } from "./mocks/combinations.ts";
import { testMocks } from "./mocks/test-mocks.ts";
import { Workspace } from "./mocks/workspace.ts";

/** All that needs the package beside many others: they are installed once. */

const workspace = new Workspace();

beforeAll(() => workspace.install(...everywhere.packages, ...packagesOfExamples()), 120_000);
afterAll(() => workspace.remove(), 60_000);

/** MSW 3, and other versions of Node: see test/runtimes/mocks.test.ts. */
describe("mocks work with no kit and no configuration", () => {
  testMocks(everywhere, workspace);
});

describe("an example project", () => {
  testExampleProjects(workspace);
});
