import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { main } from "../cli/command.ts";
import { makeProjectWith } from "../package/consumer.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningProgram, start, startProgram } from "../support/programs.ts";
import { startRedis } from "../support/redis-server.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const count = 100;

/** Each kind of run has its own folder. */
const kinds = ["library", "command", "queue"];

/** A run of the library at the same pace as the command. */
const program = `
import { TemplatePdf } from "template-pdf";
import { folder, runBulk } from "template-pdf/bulk";

const [root, baseUrl] = process.argv.slice(2);
const jobs = Array.from({ length: ${count} }, (_, n) => ({ template: "letter", values: { no: String(n + 1) } }));
const sink = folder("{{no}}.pdf", { root });
const journal = root + "/run.journal";
const client = new TemplatePdf({ baseUrl, apiKey: "k" });
const { fulfilled, rejected } = await runBulk({ client, jobs, sink, journal, perSecond: 10 });
console.log(JSON.stringify({ fulfilled, rejected }));
await client.close();
`;

/** A queue with one worker. */
const queueProgram = `
import { TemplatePdf } from "template-pdf";
import { folder } from "template-pdf/bulk";
import { bulkQueue } from "template-pdf/queue";

const [root, baseUrl, connection] = process.argv.slice(2);
const jobs = Array.from({ length: ${count} }, (_, n) => ({ template: "letter", values: { no: String(n + 1) } }));
const client = new TemplatePdf({ baseUrl, apiKey: "k" });
const runs = bulkQueue({ connection, name: "outage" });
await runs.add("all", jobs);
const worker = runs.work({ client, sink: folder("{{no}}.pdf", { root }), perSecond: 10 });
for await (const _ of runs.progress("all")) continue;
const { fulfilled, rejected } = await worker.close();
console.log(JSON.stringify({ fulfilled, rejected }));
await runs.close();
await client.close();
`;

it("runs of the library, of the command and of a queue finish even if the emulator is stopped for a minute", async () => {
  const { path: at, remove } = makeTemporaryFolder("outage");
  onTestFinished(remove);
  mkdirSync(join(at, "templates"));
  writeFileSync(join(at, "templates", "letter.json"), '{ "content": ["Letter {{no}}"] }');
  const rows = Array.from({ length: count }, (_, n) => n + 1);
  writeFileSync(join(at, "data.csv"), `no\n${rows.join("\n")}\n`);
  const emulate = (port: string): Promise<RunningProgram> => {
    const args = [main, "emulate", "templates", "--port", port, "--key", "k", "--no-ui"];
    return startProgram(process.execPath, args, { cwd: at, ready: /127\.0\.0\.1:(\d+)/ });
  };

  let emulator = await emulate("0");
  onTestFinished(() => emulator.stop());
  const { origin } = emulator;
  const programs = { "run.mjs": program, "queue.mjs": queueProgram };
  const project = makeProjectWith(["bullmq", "ioredis"], "bulk-outage", programs);
  const redis = await startRedis();
  const ofQueue = start(process.execPath, ["queue.mjs", join(at, "queue"), origin, redis.url], {
    cwd: project,
  });
  onTestFinished(() => ofQueue.stop());
  const ofLibrary = start(process.execPath, ["run.mjs", join(at, "library"), origin], { cwd: project });
  const flags = ["--out", "command/{{no}}.pdf", "--per-second", "10"];
  const ofCommand = start(process.execPath, [main, "bulk", "letter", "data.csv", ...flags], {
    cwd: at,
    env: { TEMPLATE_PDF_API_KEY: "k", TEMPLATE_PDF_BASE_URL: origin },
  });
  onTestFinished(() => ofLibrary.stop());
  onTestFinished(() => ofCommand.stop());

  const documentsIn = (folder: string) =>
    readdirSync(join(at, folder)).filter((name) => /^\d+\.pdf$/.test(name));
  await ofCommand.prints(/./);
  await eventually(() => existsSync(join(at, "queue")));
  const leastDone = () => Math.min(...kinds.map((kind) => documentsIn(kind).length));
  await eventually(() => leastDone() > 5);
  await emulator.stop();
  // The outage of one minute.
  await sleep(60_000);
  expect(Math.max(...kinds.map((kind) => documentsIn(kind).length))).toBeLessThan(count);
  emulator = await emulate(new URL(origin).port);

  const [library, bulk, queue] = await Promise.all([ofLibrary.ended, ofCommand.ended, ofQueue.ended]);
  expect([queue.exitCode, queue.stdout]).toEqual([0, '{"fulfilled":100,"rejected":0}\n']);
  expect([library.exitCode, library.stdout]).toEqual([0, '{"fulfilled":100,"rejected":0}\n']);
  expect(bulk.exitCode, bulk.printed).toBe(0);
  expect(bulk.stdout).toMatch(/^100 documents made, in /);
  expect(bulk.printed).toMatch(/^waiting for the service, 15 min at most: Could not reach .*ECONNREFUSED/m);
  expect(bulk.printed).toMatch(/ of 100 {2}0 failed {2}no response for \d+ s, next request in \d+ s$/m);
  expect(bulk.printed).toMatch(/^the service is available again after 1 min/m);
  for (const folder of kinds) {
    expect(documentsIn(folder)).toHaveLength(count);
    for (const name of documentsIn(folder))
      expect(
        readFileSync(join(at, folder, name))
          .subarray(0, 5)
          .toString(),
      ).toBe("%PDF-");
  }
}, 180_000);
