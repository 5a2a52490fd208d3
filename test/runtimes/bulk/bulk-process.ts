import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { makeProject } from "../../package/consumer.ts";
import { atEnd } from "../../support/at-end.ts";
import { environmentOfUsers } from "../../support/environment-of-users.ts";

/** What `run.mjs` says. */
export interface Told {
  readonly status?: "fulfilled" | "rejected" | "skipped";
  readonly key?: string;
  readonly code?: string;
  readonly name?: string;
  readonly message?: string;
  readonly summary?: {
    readonly fulfilled: number;
    readonly skipped: number;
    readonly rejected: number;
    readonly changed: number;
    readonly missing: number;
  };
}

/** How a run is started. */
export interface BulkSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly folder: string;
  readonly count: number;
  readonly version?: number;
  readonly die?: { readonly call: string; readonly when: string; readonly nth: number };
  readonly end?: { readonly how: string; readonly after: number };
  readonly options?: object;
}

let project: string | undefined;

/** Starts a run in a process of its own, with the package as it is installed. */
export function startBulk(settings: BulkSettings, command: readonly string[] = [process.execPath]) {
  project ??= makeProject("bulk", { "run.mjs": readFileSync(join(import.meta.dirname, "run.mjs"), "utf8") });
  const [program = "", ...args] = command;
  const child = spawn(program, [...args, join(project, "run.mjs"), JSON.stringify(settings)], {
    cwd: project,
    env: environmentOfUsers(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => void child.kill("SIGKILL");
  const forget = atEnd(kill);
  onTestFinished(() => {
    kill();
    forget();
  });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const told: Told[] = [];
  const heard: ((told: Told) => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const each: Told = JSON.parse(line);
    told.push(each);
    for (const hear of heard) hear(each);
  });
  const ended = once(child, "close").then(([code, signal]) => ({ told, code, signal, complaints }));
  return { child, told, ended, kill, hear: (one: (told: Told) => void) => void heard.push(one) };
}
