import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { consumer } from "../../package/consumer.ts";
import { environmentOfUsers } from "../../support/environment-of-users.ts";
import { nodeOf, programOf } from "../installed.ts";
import { bundleForProcess } from "./bundle.ts";
import type { Ground, Run } from "./runtime.ts";

type Format = "esm" | "cjs";

/** So long that only what hangs takes it. */
const limitMs = 240_000;

/**
 * Runs a program by itself, without what this test run has put into the environment.
 *
 * @returns what it printed
 * @throws {Error} when it ends with anything but 0; the message holds what it printed
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = environmentOfUsers(settings);
  const options = { cwd, env, timeout: limitMs, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(program, args, options).catch((error) => {
    // Not the error's own message, which is mostly the command.
    throw new Error(`${program} ended with ${error.code ?? error.signal}: ${error.stderr}${error.stdout}`);
  });
  return stdout;
}

function run(
  program: () => string,
  format: Format,
  target: string,
  args: (ground: Ground) => readonly string[],
): (ground: Ground) => Promise<Run> {
  return async (ground) => {
    const { folder, settings, service } = ground;
    const main = join(folder, `main.${format === "esm" ? "mjs" : "cjs"}`);
    writeFileSync(main, await bundleForProcess(format, target));
    const environment = { TEMPLATE_PDF_BASE_URL: service, TEMPLATE_PDF_API_KEY: "key-of-the-smoke-suite" };
    const version = await runProgram(program(), ["--version"], folder);
    // It has to end by itself: nothing of the client may keep a process alive.
    const printed = await runProgram(program(), [...args(ground), main, settings], folder, environment);
    return { version: /\d+\.\d+\.\d+/.exec(version)?.[0] ?? version, results: JSON.parse(printed) };
  };
}

/** Until 24, Node has no `await using` of its own: a compiler makes something else of it. */
export function inNode(version: 20 | 22 | 24 | 26, format: Format) {
  const target = version < 24 ? `node${version}` : "esnext";
  return run(
    () => nodeOf(version),
    format,
    target,
    () => [],
  );
}

export function inBun(format: Format) {
  return run(
    () => programOf("bun"),
    format,
    "esnext",
    () => ["run"],
  );
}

/** With no more permissions than it needs. */
export function inDeno(format: Format, mayReadEnvironment: boolean) {
  return run(
    () => programOf("deno"),
    format,
    "esnext",
    ({ service, unserved, folder }) => [
      "run",
      "--no-prompt",
      `--allow-net=${new URL(service).host},${new URL(unserved).host}`,
      `--allow-read=${consumer}`,
      `--allow-write=${folder}`,
      ...(mayReadEnvironment ? ["--allow-env=TEMPLATE_PDF_BASE_URL,TEMPLATE_PDF_API_KEY"] : []),
    ],
  );
}
