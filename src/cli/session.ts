import { exitCodes } from "./exit-codes.ts";
import { Stopped } from "./failure.ts";
import { outputFailure } from "./output.ts";
import type { EndingSignal, Session, Terminal } from "./terminal.ts";

const endingSignals: readonly EndingSignal[] = ["SIGINT", "SIGTERM"];

/**
 * Begins to watch over a command: Ctrl-C, SIGTERM or a broken standard output abort its signal; a second Ctrl-C ends
 * the process at once. A command with a graceful stop has one more step.
 *
 * @param argv - the words behind the program's name; `--debug` counts wherever it stands, in a wrong command line too
 * @returns the session, and how to stop listening to Ctrl-C and SIGTERM
 */
export function openSession(
  argv: readonly string[],
  terminal: Terminal,
): { readonly session: Session; close(): void } {
  const ending = new AbortController();
  let easing: AbortController | undefined;
  const listeners = endingSignals.map((name) => {
    const end = () => {
      const stopped = new Stopped(exitCodes[name]);
      if (ending.signal.aborted) terminal.exit(stopped.exitCode);
      else if (easing && !easing.signal.aborted) easing.abort(stopped);
      else ending.abort(stopped);
    };
    terminal.on(name, end);
    return { name, end };
  });
  terminal.stdout.on("error", (error) => ending.abort(outputFailure(error)));
  // If standard error fails, nothing can be reported.
  terminal.stderr.on("error", () => {});
  return {
    session: {
      terminal,
      signal: ending.signal,
      isDebug: argv.includes("--debug"),
      endInSteps() {
        easing ??= new AbortController();
        return easing.signal;
      },
    },
    close() {
      for (const { name, end } of listeners) terminal.off(name, end);
    },
  };
}

/**
 * Waits for a promise, or until a signal is aborted.
 *
 * @throws the signal's reason, or what the promise rejects with
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
