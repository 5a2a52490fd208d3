import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type BulkResult, type BulkSummary, folder, runBulk } from "template-pdf/bulk";
import { onTestFinished } from "vitest";
import { seenFrom } from "../../support/seen-from.ts";
import { type Answer, Service, withLength } from "../../support/service.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";
import { small } from "../many.ts";

export interface NamedJob {
  readonly template: string;
  readonly values: { readonly name: string };
}

/** Creates a service and runs jobs with these names into the folder `out` of a temporary folder. */
export async function setUpFolder(answer: Answer = withLength(small)) {
  const service = await Service.start(answer);
  const { path: at, remove } = makeTemporaryFolder("sink");
  onTestFinished(remove);
  const out = join(at, "out");
  await mkdir(out);
  const run = async (names: readonly string[], options: object = {}) => {
    const results: BulkResult<NamedJob>[] = [];
    const summary: BulkSummary = await runBulk({
      client: service.client(),
      jobs: names.map((name) => ({ template: "t", values: { name } })),
      sink: folder("{{name}}", { root: out }),
      journal: join(at, "run.journal"),
      onResult: (result) => results.push(result as BulkResult<NamedJob>),
      ...options,
    });
    const messages = results.map(({ status, error }) =>
      status === "rejected" ? seenFrom(at, (error as Error).message) : status,
    );
    return { summary, results, messages };
  };
  const files = async (inner = "out") => (await readdir(join(at, inner))).sort();
  return { service, at, out, run, files };
}
