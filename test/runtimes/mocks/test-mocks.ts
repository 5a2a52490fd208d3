import { expect, it } from "vitest";
import type { Kit } from "./combinations.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Makes a test of every project of a kit.
 *
 * @param workspace - has installed what the kit needs
 * @param node - gives the program that runs them
 */
export function testMocks({ combinations }: Kit, workspace: Workspace, node?: () => string): void {
  it.each(combinations)("$title, set up $moment our import, in $format", async (combination) => {
    const { printed, ...run } = await workspace.run(combination, node?.());
    // The one request is that of the last test, which has put the mock away.
    expect(run, printed).toEqual({ exitCode: 0, passed: 5, requests: 1, sockets: 1 });
  });
}
