import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { makeProjectWith } from "../package/consumer.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type Program, start } from "../support/programs.ts";
import { freePort, startRedis } from "../support/redis-server.ts";
import { Service } from "../support/service.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { answerPdf } from "./queue/set-up.ts";

/** Tests examples/queue and docs/guides/queues.md with the packed package. */

interface ComposeService {
  readonly command: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const workspace = useWorkspace();

/** Returns a function that starts a service of compose.yaml without Docker, with its command and its environment. */
async function readComposeFile(folder: string) {
  const services: Readonly<Record<string, ComposeService>> = parse(
    readFileSync(join(folder, "compose.yaml"), "utf8"),
    { merge: true },
  ).services;
  const ports: Record<string, number> = { "redis:6379": await freePort(), "emulator:4010": await freePort() };
  const startService = (name: string, more: readonly string[] = []): Program => {
    const { command, environment = {} } = services[name] ?? expect.fail(name);
    const atHome = (value: string) =>
      value.replace(/\b(?:redis|emulator):\d+$/, (host) => `127.0.0.1:${ports[host]}`);
    const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, atHome(value)]));
    const own = command.replace("--port 4010", `--port ${ports["emulator:4010"]}`);
    const [program = "", ...args] = own.split(" ");
    // The image has the package in its working folder; here it is in a parent folder.
    const path = program.replace(/^node_modules/, join(workspace.folder, "node_modules"));
    const running = start(path === "node" ? process.execPath : path, [...args, ...more], {
      cwd: folder,
      env,
    });
    onTestFinished(() => running.stop());
    return running;
  };
  return { services, startService, redisPort: ports["redis:6379"] };
}

/** Starts Redis, the emulator and both workers, and returns the workers. */
async function startServices(folder: string, { services, startService, redisPort }: Compose) {
  mkdirSync(join(folder, "data"));
  const redis = ["--port", String(redisPort), "--dir", join(folder, "data"), "--save", ""];
  await startService("redis", redis).prints(/Ready to accept connections/);
  await startService("emulator").prints(/^Ctrl-C/m);
  expect(services["worker"]).toMatchObject({ deploy: { replicas: 2 } });
  const workers = [startService("worker"), startService("worker")];
  await Promise.all(workers.map((worker) => worker.prints(/^waiting for jobs$/m)));
  return workers;
}

type Compose = Awaited<ReturnType<typeof readComposeFile>>;

it("examples/queue generates all invoices with two workers, and does not add any job twice", async () => {
  const [folder = ""] = await workspace.installExamples(["queue"]);
  const compose = await readComposeFile(folder);
  const workers = await startServices(folder, compose);

  for (const counts of ["200 added, 0 known", "0 added, 200 known"]) {
    const { exitCode, stdout, printed } = await compose.startService("add").ended;
    expect(exitCode, printed).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${counts}\n(.*\n)*200 of 200 generated, 0 failed\n$`));
  }

  for (const { child } of workers) child.kill("SIGTERM");
  const endings = await Promise.all(workers.map(({ ended }) => ended));
  expect(endings.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  const counts = endings.map(({ stdout }) => Number(/^(\d+) documents generated$/m.exec(stdout)?.[1]));
  expect(counts.reduce((one, other) => one + other)).toBe(200);
  expect(Math.min(...counts)).toBeGreaterThan(0);

  const names = Array.from({ length: 200 }, (_, at) => `2026-11-${String(at + 1).padStart(4, "0")}.pdf`);
  expect(readdirSync(join(folder, "out")).sort()).toEqual(names);
  for (const n of [1, 42, 200]) {
    const { text } = await readPdf(readFileSync(join(folder, "out", names[n - 1] ?? "")));
    expect(text).toContain(`£${n}.00`);
  }
}, 300_000);

const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/queues.md"), "utf8");
it.each(blocksOf(guide, "js").map((code, at) => [at + 1, code] as const))(
  "example %d in docs/guides/queues.md runs with the installed package",
  async (number, code) => {
    const [redis, service] = [await startRedis(), await Service.start(answerPdf)];
    const project = makeProjectWith(["bullmq", "ioredis"], `queue-guide-${number}`, {
      "program.mjs": code,
    });
    const env = { REDIS_URL: redis.url, TEMPLATE_PDF_BASE_URL: service.baseUrl, TEMPLATE_PDF_API_KEY: "key" };
    const { exitCode, printed } = await start(process.execPath, ["program.mjs"], { cwd: project, env }).ended;
    expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: expect.not.stringContaining("Error") });
  },
);
