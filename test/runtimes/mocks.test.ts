import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { everywhere, sinceNode22 } from "../package/mocks/combinations.ts";
import { testMocks } from "../package/mocks/test-mocks.ts";
import { Workspace } from "../package/mocks/workspace.ts";

const versions = [22, 24, 26];

/** Without a kit and without configuration; one project of each mock is in test/package/projects.test.ts, too. */
describe("mocks work", () => {
  const nodes = new Workspace();
  const kits = [everywhere, sinceNode22].map((kit) => ({ kit, workspace: new Workspace() }));

  beforeAll(async () => {
    await nodes.install(...versions.map((version) => `node-${version}@npm:node@${version}`));
    for (const { kit, workspace } of kits) await workspace.install(...kit.packages);
  }, 300_000);

  afterAll(() => {
    nodes.remove();
    for (const { workspace } of kits) workspace.remove();
  }, 120_000);

  describe.each(["at hand", ...versions])("on Node %s:", (version) => {
    const node = () =>
      version === "at hand"
        ? process.execPath
        : join(nodes.folder, "node_modules", `node-${version}`, "bin", "node");
    for (const { kit, workspace } of kits) {
      // The one at hand may be Node 20.
      if (version !== "at hand" || kit === everywhere) testMocks(kit, workspace, node);
    }
  });
});
