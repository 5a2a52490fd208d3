import { Readable } from "node:stream";
import { run } from "../../src/cli/run.ts";
import { type Answer, pdfOf, Service, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Ending, ProcessOptions } from "./command.ts";
import { FakeTerminal, RecordedOutput } from "./fake-terminal.ts";

/**
 * Runs the command from the sources in this process, because starting a separate process takes longer than most commands.
 * Commands must run one after the other, because each changes the working directory of this process.
 */
export async function runInProcess(
  args: readonly string[],
  { cwd, env = {}, input }: ProcessOptions,
): Promise<Ending> {
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

/** Starts a service, and returns it with an empty working directory, and a terminal and an environment that use it. */
export async function generateSetting(answer: Answer = withLength(pdfOf(36_789)), apiKey = "k") {
  const service = await Service.start(answer);
  const env = { TEMPLATE_PDF_API_KEY: apiKey, TEMPLATE_PDF_BASE_URL: service.baseUrl };
  const terminal = new FakeTerminal();
  terminal.env = { ...env };
  return { service, cwd: temporaryFolder(), env, terminal };
}
