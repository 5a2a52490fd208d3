import { afterAll, beforeAll, describe } from "vitest";
import { packagesOfExamples, testExampleOfVitest, testManifests } from "./example-projects.ts";
import { everywhere, oneOfEach } from "./mocks/combinations.ts";
import { testMocks } from "./mocks/test-mocks.ts";
import { Workspace } from "./mocks/workspace.ts";

/** What needs the package beside many others: they are installed once. All of it is in test/runtimes. */

const workspace = new Workspace();

beforeAll(() => workspace.install(...everywhere.packages, ...packagesOfExamples(["vitest"])), 120_000);
afterAll(() => workspace.remove(), 60_000);

/** In every format, at every moment and on other versions of Node: see test/runtimes/mocks.test.ts. */
describe("mocks work with no kit and no configuration", () => {
  testMocks(oneOfEach(everywhere), workspace);
});

/** Those for Jest and `node --test` run in test/runtimes/example-projects.test.ts. */
describe("an example project", () => {
  testManifests();
  testExampleOfVitest(workspace);
});
