import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";
import { type BulkSettings, startBulk } from "./bulk-process.ts";
import { documentOf, filesIn, recordedOf, Shelves, type Values } from "./shelves.ts";

/** The jobs that `run.mjs` makes. */
function jobsOf(count: number, version = 0): Values[] {
  return Array.from({ length: count }, (_, n) => ({
    n,
    shelf: n % 3,
    ...(n % 10 === 0 && version > 0 && { version }),
  }));
}

/** Runs of the same jobs into one folder, one after the other, which are held to what a run promises. */
export async function setUpRuns(count: number) {
  const shelves = new Shelves();
  await shelves.open();
  onTestFinished(() => shelves.close());
  const { path: folder, remove } = makeTemporaryFolder("crashes");
  onTestFinished(remove);
  let runs = 0;

  const start = (settings: Partial<BulkSettings> = {}, command?: readonly string[]) => {
    const apiKey = `run-${++runs}`;
    const jobs = jobsOf(count, settings.version);
    const before = recordedOf(folder, jobs);
    const running = startBulk({ baseUrl: shelves.baseUrl, apiKey, folder, count, ...settings }, command);
    const ended = running.ended.then((end) => {
      const asked = (shelves.asked.get(apiKey) ?? []).map(({ n }) => n);
      expect(new Set(asked).size, "what was asked for twice in one run").toBe(asked.length);
      expect(
        asked.filter((n) => before.has(n)),
        "what was finished and asked for again",
      ).toEqual([]);
      const after = recordedOf(folder, jobs);
      const said = end.told.filter(({ status }) => status === "fulfilled" || status === "skipped");
      const numbers = said.map(({ key = "" }) => Number(/(\d+)\.pdf$/.exec(key)?.[1]));
      expect(
        numbers.filter((n) => !after.has(n)),
        "what was called finished, and is not recorded",
      ).toEqual([]);
      return { ...end, asked, before, after };
    });
    return { ...running, ended };
  };

  const expectWhole = (version = 0) => {
    const paths = jobsOf(count, version).map(
      (values) => [`out/${values.shelf}/${values.n}.pdf`, values] as const,
    );
    expect(filesIn(folder)).toEqual([...paths.map(([path]) => path), "run.journal"].sort());
    for (const [path, values] of paths) {
      expect(readFileSync(join(folder, path)).equals(documentOf(values)), path).toBe(true);
    }
  };
  return { shelves, folder, start, expectWhole };
}
