import { Readable } from "node:stream";
import { run } from "../../src/cli/run.ts";
import type { Circumstances, Ending } from "./command.ts";
import { FakeTerminal, Recorded } from "./fake-terminal.ts";

/** The working directory is one of the whole process: each command has it to itself. */
let isFree: Promise<unknown> = Promise.resolve();

/**
 * Runs the command in this process, from the sources: where nothing is asked of a process of its own, whose start takes longer
 * than what most commands do.
 */
export function runHere(args: readonly string[], circumstances: Circumstances): Promise<Ending> {
  const ending = isFree.then(() => runIn(args, circumstances));
  isFree = ending.catch(() => {});
  return ending;
}

async function runIn(args: readonly string[], { cwd, env = {}, input }: Circumstances): Promise<Ending> {
  const terminal = new FakeTerminal();
  const stdout = new Recorded();
  Object.assign(terminal, { stdout, env, platform: process.platform });
  if (input !== undefined) terminal.stdin = Readable.from([Buffer.from(input)]);
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const code = await run(args, terminal);
    return { code, stdout: stdout.bytes, stderr: terminal.stderr.text };
  } finally {
    process.chdir(before);
  }
}
