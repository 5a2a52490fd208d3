import { exitCodes } from "./exit-codes.ts";
import { Stopped } from "./failure.ts";
import { outputFailure } from "./output.ts";
import type { EndingSignal, Session, Terminal } from "./terminal.ts";

const endingSignals: readonly EndingSignal[] = ["SIGINT", "SIGTERM"];

/**
 * Starts the session for a command. Ctrl-C, SIGTERM or a broken standard output aborts its signal, and a
 * second Ctrl-C ends the process immediately. A command that stops gracefully has one more step.
 *
 * @param argv - the arguments after the program's name; `--debug` counts at any position, even in an invalid command line
 * @returns the session, and `close` to stop listening to Ctrl-C and SIGTERM
 */
export function openSession(
  argv: readonly string[],
  terminal: Terminal,
): { readonly session: Session; close(): void } {
  const ending = new AbortController();
  let draining: AbortController | undefined;
  const listeners = endingSignals.map((name) => {
    const end = () => {
      const stopped = new Stopped(exitCodes[name]);
      if (ending.signal.aborted) {
        // A thread that waits for the system delays the exit. From now on, signals end the process at once.
        close();
        terminal.exit(stopped.exitCode);
      } else if (draining && !draining.signal.aborted) draining.abort(stopped);
      else ending.abort(stopped);
    };
    terminal.on(name, end);
    return { name, end };
  });
  const close = () => {
    for (const { name, end } of listeners) terminal.off(name, end);
  };
  terminal.stdout.on("error", (error) => ending.abort(outputFailure(error)));
  // If standard error fails, nothing can be reported.
  terminal.stderr.on("error", () => {});
  return {
    session: {
      terminal,
      signal: ending.signal,
      isDebug: argv.includes("--debug"),
      endInSteps() {
        draining ??= new AbortController();
        return draining.signal;
      },
    },
    close,
  };
}
