import { run } from "../../../src/cli/run.ts";
import { FakeTerminal } from "../../cli/fake-terminal.ts";

/** What a command prints with `--help`, as `help generate`. */
export default async function help(command = ""): Promise<string> {
  const terminal = new FakeTerminal();
  await run([command, "--help"], terminal);
  if (!terminal.printed.startsWith(`Usage: template-pdf ${command} `))
    throw new Error(`template-pdf has no command \`${command}\`.`);
  return `\`\`\`text\n${terminal.printed.trim()}\n\`\`\``;
}
