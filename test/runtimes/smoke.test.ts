import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consumer } from "../package/consumer.ts";
import { bundleForPage, namesOfChecks } from "./smoke/bundle.ts";
import type { Ground, Run, Runtime } from "./smoke/runtime.ts";
import { runtimes } from "./smoke/runtimes.ts";
import { documents, SmokeService } from "./smoke/service.ts";
import { writeFileSync } from "node:fs";

const html = "<!doctype html><title>Smoke suite</title><script src=/page.js></script>";

const names = await namesOfChecks();

const service = await SmokeService.start({
  "/": { type: "text/html", text: html },
  "/page.js": { type: "text/javascript", text: await bundleForPage("page") },
  "/web-worker.js": { type: "text/javascript", text: await bundleForPage("web-worker") },
});
afterAll(() => service.close());

const only = process.env["ONLY"];
describe.each(runtimes.filter((r) => !only || new RegExp(only).test(r.name + " " + r.as)))("$name, $as:", (runtime) => {
  let run: Run;

  beforeAll(async () => {
    const started = Date.now();
    run = await runtime.run(groundFor(runtime));
    console.log(runtime.name, runtime.as, run.version, run.results.length, run.results.filter(r => r.failed).length, "failed", Date.now() - started);
    writeFileSync(`/tmp/try7/${runtime.name} ${runtime.as}.json`.replaceAll("`", ""), JSON.stringify(run, null, 1));
  }, 300_000);

  it.each(names)("%s", (name) => {
    const result = run.results.find((one) => one.name === name);
    expect(result, "It was not made.").toBeDefined();
    expect(result?.failed).toBeUndefined();
  });
});

function groundFor({ name, as, facts }: Runtime): Ground {
  const folder = join(consumer, "projects", `smoke-${name}-${as}`.replaceAll(/[^\w-]+/g, "-"));
  mkdirSync(folder, { recursive: true });
  const unserved = service.address.replace("127.0.0.1", "127.91.7.3");
  const settings = JSON.stringify({ service: service.address, unserved, facts, folder, ...documents });
  return { service: service.address, unserved, folder, settings };
}
