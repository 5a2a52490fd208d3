import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import installConsumer from "../package/install.ts";
import { installRuntimes } from "./installed.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether this run writes pages anew that it finds stale. */
    updates: boolean;
  }
}

/** Where the smoke suite leaves its table, which is printed at the end of the run. */
export const tableFile = (consumer: string) => join(consumer, "runtimes.md");

/** What the tests of this folder need: the packed package in an empty project, and every runtime. */
export default function install(project: TestProject): () => void {
  installRuntimes();
  const removeConsumer = installConsumer(project);
  project.provide("updates", project.config.snapshotOptions.updateSnapshot === "all");
  return () => {
    const table = tableFile(project.getProvidedContext().consumer);
    if (existsSync(table)) console.log(readFileSync(table, "utf8"));
    removeConsumer();
  };
}
