import { Readable } from "node:stream";
import { run } from "../../src/cli/run.ts";
import type { Ending, ProcessOptions } from "./command.ts";
import { FakeTerminal, RecordedOutput } from "./fake-terminal.ts";

/** Commands run one after the other, because each changes the working directory of this process. */
let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs the command from the sources in this process. Use it if a test does not need a separate process, whose start takes
 * longer than most commands.
 */
export function runInProcess(args: readonly string[], options: ProcessOptions): Promise<Ending> {
  const ending = previous.then(() => runIn(args, options));
  previous = ending.catch(() => {});
  return ending;
}

async function runIn(args: readonly string[], { cwd, env = {}, input }: ProcessOptions): Promise<Ending> {
  const terminal = new FakeTerminal();
  const stdout = new RecordedOutput();
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
