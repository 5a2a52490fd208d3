import type { TestProject } from "vitest/node";
import installConsumer from "../package/install.ts";
import { installRuntimes } from "./installed.ts";

/** Installs what the tests of this folder need: the packed package in an empty project, and every runtime. */
export default function install(project: TestProject): () => void {
  installRuntimes();
  return installConsumer(project);
}
