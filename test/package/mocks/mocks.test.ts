import { afterAll, beforeAll, describe } from "vitest";
import { everywhere } from "./combinations.ts";
import { testMocks } from "./test-mocks.ts";
import { Workspace } from "./workspace.ts";

/** MSW 3, and other versions of Node: see test/runtimes/mocks.test.ts. */
describe("mocks work with no kit and no configuration", () => {
  const workspace = new Workspace();

  beforeAll(() => workspace.install(...everywhere.packages), 120_000);
  afterAll(() => workspace.remove(), 60_000);

  testMocks(everywhere, workspace);
});
