import type { TestProject } from "vitest/node";
import { installRuntimes } from "../../scripts/runtimes.mjs";
import installConsumer from "../package/install.ts";

/** Installs what the tests of this folder need: the packed package in an empty project, and every runtime. */
export default async function install(project: TestProject): Promise<() => void> {
  if (!(await installRuntimes())) throw new Error("npm could not install the runtimes.");
  return installConsumer(project);
}
