import { describe, expect, it } from "vitest";
import type { TestProject } from "vitest/node";
import { isBuilt } from "../../scripts/build-stamp.mjs";
import config from "../../vitest.config.ts";
import buildBeforeTests from "../support/build-before-tests.ts";

describe("the build before the tests", () => {
  it("is the set-up of the root of the Vitest configuration, which Vitest calls for the files of every project", () => {
    expect(config.test?.globalSetup).toContain("test/support/build-before-tests.ts");
  });

  it("was built from the current sources", () => {
    expect(isBuilt("code")).toBe(true);
  });

  it("is checked again before each rerun in watch mode", async () => {
    const handlers: Parameters<TestProject["onTestsRerun"]>[0][] = [];
    const project = { onTestsRerun: (handler) => void handlers.push(handler) } as TestProject;
    await buildBeforeTests(project);
    expect(handlers).toHaveLength(1);
  });
});
