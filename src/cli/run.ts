import { isInstance } from "../errors/foreign-values.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { QuietEnd, Stopped } from "./failure.ts";
import { flush } from "./output.ts";
import { runCommandLine } from "./program.ts";
import { openSession } from "./session.ts";
import type { Session, Terminal } from "./terminal.ts";

/**
 * Runs one command.
 *
 * @param argv - the arguments after the program's name
 * @param terminal - the process, or a fake of it
 * @returns the exit code
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { session, close } = openSession(argv, terminal);
  const exitCode = await perform(argv, session);
  await flush(terminal.stderr);
  close();
  return exitCode;
}

async function perform(argv: readonly string[], session: Session): Promise<number> {
  const { terminal, signal } = session;
  try {
    await runCommandLine(argv, session);
    const flushed = flush(terminal.stdout);
    // If a stopped command still succeeded, wait for its last output.
    await (signal.aborted ? flushed : untilAborted(flushed, signal));
    if (signal.aborted && !(signal.reason instanceof Stopped)) throw signal.reason;
    return exitCodes.done;
  } catch (error) {
    if (!isInstance(error, QuietEnd)) {
      const { report } = await import("./report.ts");
      report(error, session);
    }
    return exitCodeOf(error);
  }
}
