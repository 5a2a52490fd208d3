import type { TestProject } from "vitest/node";
import installConsumer from "../package/install.ts";
import { installRuntimes } from "./installed.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether this run updates stale pages. */
    updates: boolean;
  }
}

/** Installs what the tests of this folder need: the packed package in an empty project, and every runtime. */
export default function install(project: TestProject): () => void {
  installRuntimes();
  const removeConsumer = installConsumer(project);
  project.provide("updates", project.config.snapshotOptions.updateSnapshot === "all");
  return removeConsumer;
}
