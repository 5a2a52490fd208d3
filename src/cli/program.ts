import type { Command } from "commander";
import { version } from "../../package.json";
import { addBulk } from "./commands/add-bulk.ts";
import { addEmulate } from "./commands/add-emulate.ts";
import { addGenerate } from "./commands/add-generate.ts";
import { addMcp } from "./commands/add-mcp.ts";
import { addRuns } from "./commands/add-runs.ts";
import { addTypes } from "./commands/add-types.ts";
import { addWork } from "./commands/add-work.ts";
import { finishCommand, helpPrinted } from "./commands/finish-command.ts";
import { OwnCommand } from "./commands/own-command.ts";
import { exitCodesHelp } from "./exit-codes.ts";
import type { Output, Session } from "./terminal.ts";

/**
 * Parses a command line and runs its command.
 *
 * @param argv - the arguments after the program's name
 * @throws {Misuse} if the command line is invalid
 * @throws {QuietEnd} if there is no command; the help is printed instead
 * @throws whatever error the command throws
 */
export async function runCommandLine(argv: readonly string[], session: Session): Promise<void> {
  try {
    await buildProgram(session).parseAsync(argv, { from: "user" });
  } catch (error) {
    if (error !== helpPrinted) throw error;
  }
}

function buildProgram(session: Session): Command {
  const { stdout, stderr } = session.terminal;
  const program = new OwnCommand("template-pdf")
    .description("Generates PDFs from the templates of the Template PDF Generation Service.")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // The caller prints errors on one line.
      outputError: () => {},
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    })
    // Without this, `--set --version` would print the version.
    .enablePositionalOptions()
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help for a command");
  finishCommand(program, exitCodesHelp.generate);
  addGenerate(program, session);
  addBulk(program, session);
  addWork(program, session);
  addRuns(program, session);
  addEmulate(program, session);
  addTypes(program, session);
  addMcp(program, session);
  return program;
}

function widthOf({ isTTY, columns }: Output): number {
  return (isTTY && columns) || 80;
}
