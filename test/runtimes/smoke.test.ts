import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { consumer } from "../package/consumer.ts";
import { pageOf, pagePath, type Row, withBrowsersOf } from "./smoke/page.ts";
import { type Runtime, runtimes } from "./smoke/runtimes.ts";
import { SmokeService } from "./smoke/service.ts";
import { bundleForPage, type Ground, namesOfChecks, type Run } from "./smoke/start.ts";

const html = "<!doctype html><title>Smoke suite</title><script src=/page.js></script>";

const names = await namesOfChecks();

const service = await SmokeService.start({
  "/": { type: "text/html", text: html },
  "/page.js": { type: "text/javascript", text: await bundleForPage("page") },
  "/web-worker.js": { type: "text/javascript", text: await bundleForPage("web-worker") },
});
afterAll(() => service.close());

/** The runs of the suite, two at a time. */
const runs = new Map<Runtime, Promise<Run>>();

beforeAll(() => {
  const lanes = [Promise.resolve(), Promise.resolve()];
  runtimes.forEach((runtime, at) => {
    const run = (lanes[at % lanes.length] ?? Promise.resolve()).then(() => runtime.run(groundFor(runtime)));
    runs.set(runtime, run);
    lanes[at % lanes.length] = run.then(
      () => {},
      () => {},
    );
  });
});

const rows: Row[] = [];

describe.each(runtimes)("$name, $as:", (runtime) => {
  let run: Run;

  beforeAll(async () => {
    run = (await runs.get(runtime)) ?? { version: "", results: [] };
    const { name, as, facts } = runtime;
    rows.push({ name, as, transport: facts.transport, ...run });
  }, 600_000);

  it.each(names)("%s", (name) => {
    const result = run.results.find((one) => one.name === name);
    expect(result, "The check did not run.").toBeDefined();
    expect(result?.failed).toBeUndefined();
  });
});

it("docs/reports/runtimes.md contains the results of this run (npm run docs -- runtimes)", async () => {
  const failed = rows.flatMap(({ results }) => results.filter((result) => result.failed !== undefined));
  expect(failed).toEqual([]);
  const before = readFileSync(pagePath, "utf8");
  const page = pageOf(before, rows);
  const updated = inject("updates") ? page : withBrowsersOf(before, page);
  await expect(updated).toMatchFileSnapshot(pagePath);
});

function groundFor({ name, as, facts }: Runtime): Ground {
  const folder = join(consumer, "projects", `smoke-${name}-${as}`.replaceAll(/[^\w-]+/g, "-"));
  mkdirSync(folder, { recursive: true });
  // The service listens on 127.0.0.1 only, so nothing listens on other loopback addresses.
  const unserved = service.address.replace("127.0.0.1", "127.91.7.3");
  const settings = JSON.stringify({ service: service.address, unserved, facts, folder });
  return { service: service.address, unserved, folder, settings };
}
