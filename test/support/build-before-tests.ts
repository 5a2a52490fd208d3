import type { TestProject } from "vitest/node";
import { buildIfChanged } from "../../scripts/build-if-changed.mjs";

/**
 * Builds the code in `dist`, which commands and worker threads load, if the sources have changed. Vitest calls this function before the
 * first run, whichever projects and files it runs.
 */
export default async function buildBeforeTests(project: TestProject): Promise<void> {
  // A failed build removes `dist`, so the tests that need it fail. The others show what is wrong in the file that is being edited.
  project.onTestsRerun(async () => void (await buildIfChanged("code")));
  if (!(await buildIfChanged("code"))) throw new Error("The build failed. Its output is above.");
}
