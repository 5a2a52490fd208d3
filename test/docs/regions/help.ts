import { run } from "../../../src/cli/run.ts";
import { FakeTerminal } from "../../cli/fake-terminal.ts";

/** The output of a command with `--help`: `help generate`. */
export default async function help(command = ""): Promise<string> {
  const terminal = new FakeTerminal();
  await run([command, "--help"], terminal);
  if (!terminal.printed.startsWith(`Usage: template-pdf ${command} `))
    throw new Error(`Expected \`help\` to be followed by a command, got "${command}".`);
  return `\`\`\`text\n${terminal.printed.trim()}\n\`\`\``;
}
