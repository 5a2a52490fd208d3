import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { readPdf } from "../support/pdf-text.ts";
import { type Program, start } from "../support/programs.ts";
import { freePort } from "../support/redis-server.ts";
import { Workspace } from "./mocks/workspace.ts";

/** Tests examples/queue with the packed package: starts the services of compose.yaml without Docker. */

interface ComposeService {
  readonly command: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas: number };
}

const workspace = new Workspace();
let folder: string;
let services: Readonly<Record<"redis" | "emulator" | "worker" | "add", ComposeService>>;

beforeAll(async () => {
  [folder = ""] = await workspace.installExamples(["queue"]);
  services = parse(readFileSync(join(folder, "compose.yaml"), "utf8"), { merge: true }).services;
}, 300_000);
afterAll(() => workspace.remove(), 60_000);

it("examples/queue generates all invoices with two workers, and adds none twice", async () => {
  const ports = { redis: await freePort(), emulator: await freePort() };
  const defaults = { redis: 6379, emulator: 4010 };
  mkdirSync(join(folder, "data"));

  /** Starts a service of compose.yaml on this machine, with its command and its environment. */
  const startService = (name: keyof typeof services, more: readonly string[] = []): Program => {
    const { command, environment = {} } = services[name];
    const atHome = (value: string) =>
      value.replace(/\b(redis|emulator):(\d+)$/, (_, host: keyof typeof ports, port: string) => {
        expect(Number(port)).toBe(defaults[host]);
        return `127.0.0.1:${ports[host]}`;
      });
    const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, atHome(value)]));
    const [program = "", ...args] = command.replace("--port 4010", `--port ${ports.emulator}`).split(" ");
    // The image has the package in its working folder; here it is in a parent folder.
    const path = program.replace(/^node_modules/, join(workspace.folder, "node_modules"));
    const running = start(path === "node" ? process.execPath : path, [...args, ...more], {
      cwd: folder,
      env,
    });
    onTestFinished(() => running.stop());
    return running;
  };

  const redis = ["--port", String(ports.redis), "--dir", join(folder, "data"), "--save", ""];
  await startService("redis", redis).prints(/Ready to accept connections/);
  await startService("emulator").prints(/^Ctrl-C/m);
  const workers = Array.from({ length: services.worker?.deploy?.replicas ?? 0 }, () =>
    startService("worker"),
  );
  expect(workers).toHaveLength(2);
  await Promise.all(workers.map((worker) => worker.prints(/^waiting for jobs$/m)));

  const first = await startService("add").ended;
  expect(first, first.printed).toMatchObject({ exitCode: 0 });
  expect(first.stdout).toMatch(/^200 added, 0 known\n/);
  expect(first.stdout).toMatch(/\n200 of 200 generated, 0 failed\n$/);
  expect((await startService("add").ended).stdout).toMatch(/^0 added, 200 known\n200 of 200 generated/);

  for (const { child } of workers) child.kill("SIGTERM");
  const endings = await Promise.all(workers.map(({ ended }) => ended));
  expect(endings.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  const counts = endings.map(({ stdout }) => Number(/^(\d+) documents generated$/m.exec(stdout)?.[1]));
  expect(counts.reduce((one, other) => one + other)).toBe(200);
  expect(Math.min(...counts)).toBeGreaterThan(0);

  const names = readdirSync(join(folder, "out")).sort();
  expect(names).toEqual(
    Array.from({ length: 200 }, (_, index) => `2026-11-${String(index + 1).padStart(4, "0")}.pdf`),
  );
  const texts = await Promise.all(
    names.map(async (name) => (await readPdf(readFileSync(join(folder, "out", name)))).text),
  );
  for (const [index, text] of texts.entries()) expect(text).toContain(`£${index + 1}.00`);
}, 180_000);
