import { afterAll, beforeAll, describe } from "vitest";
import { packagesOfExamples, testOtherExamples } from "../package/example-projects.ts";
import { Workspace } from "../package/mocks/workspace.ts";

/** The one for vitest, and what all say about themselves: see test/package/projects.test.ts. */
const names = ["jest", "node-test"];

describe("an example project", () => {
  const workspace = new Workspace();

  beforeAll(() => workspace.install(...packagesOfExamples(names)), 120_000);
  afterAll(() => workspace.remove(), 60_000);

  testOtherExamples(workspace, names);
});
