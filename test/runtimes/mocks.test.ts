import { afterAll, beforeAll, describe } from "vitest";
import { nodeOf } from "./installed.ts";
import { everywhere, sinceNode22 } from "./mocks/combinations.ts";
import { testMocks } from "./mocks/test-mocks.ts";
import { Workspace } from "./mocks/workspace.ts";

const versions = [22, 24, 26] as const;

/** Without a kit and without configuration. */
describe("mocks work", () => {
  const kits = [everywhere, sinceNode22].map((kit) => ({ kit, workspace: new Workspace() }));

  beforeAll(async () => {
    for (const { kit, workspace } of kits) await workspace.install(...kit.packages);
  }, 300_000);

  afterAll(() => {
    for (const { workspace } of kits) workspace.remove();
  }, 120_000);

  describe.each(["at hand", ...versions] as const)("on Node %s:", (version) => {
    const node = () => (version === "at hand" ? process.execPath : nodeOf(version));
    for (const { kit, workspace } of kits) {
      // The one at hand may be Node 20.
      if (version !== "at hand" || kit === everywhere) testMocks(kit, workspace, node);
    }
  });
});
