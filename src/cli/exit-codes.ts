import { isInstance } from "../errors/foreign-values.ts";
import { Failure, Halted, Misuse, QuietEnd } from "./failure.ts";

/** The exit codes of the command. */
export const exitCodes = {
  done: 0,
  failed: 1,
  misused: 2,
  halted: 3,
  SIGINT: 130,
  closedPipe: 141,
  SIGTERM: 143,
} as const;

/** Returns the exit code for the error that ended a command. */
export async function exitCodeOf(error: unknown): Promise<number> {
  if (isInstance(error, QuietEnd)) return error.exitCode;
  if (isInstance(error, Misuse)) return exitCodes.misused;
  if (isInstance(error, Halted)) return exitCodes.halted;
  if (isInstance(error, Failure)) return exitCodes.failed;
  // Imported lazily, because `--help` does not need the client.
  const { ConfigurationError, SaveError, ValuesError } = await import("../index.ts");
  if (ConfigurationError.is(error) || ValuesError.is(error)) return exitCodes.misused;
  // The path is invalid, and no request was sent.
  if (SaveError.is(error) && error.attempts === 0) return exitCodes.misused;
  return exitCodes.failed;
}

/** The exit codes in the `--help` of each command. */
export const exitCodesHelp = {
  generate: `
Exit codes:
  0    done
  1    failed: the service, the network, the disk or a timeout
  2    the command line or the input is wrong; nothing was sent
  130  stopped by Ctrl-C (143: by SIGTERM); no incomplete file is left behind
  141  the output was closed`,
  bulk: `
Exit codes:
  0    all documents were generated
  1    some documents failed and all others were generated, or the report could not
       be written
  2    the command line, the data, the journal or a folder is wrong; nothing was sent
  3    stopped early: --stop-after, a full disk, a wrong API key or uid, a service
       outage, or a Retry-After that is too long
  130  stopped by Ctrl-C (143: by SIGTERM); no incomplete file is left behind
  141  the output was closed`,
  work: `
Exit codes:
  0    stopped by Ctrl-C or SIGTERM; the documents in flight were finished
  1    Redis is unreachable, or a run was added with another key or version
  2    the command line or a setting is wrong
  3    the worker stopped: a wrong API key, a full disk, or a long service outage;
       its jobs remain in the queue
  130  stopped by a second Ctrl-C (143: by SIGTERM); unfinished jobs remain in the
       queue
  141  the output was closed`,
  runs: `
Exit codes:
  0    done, or the live table was stopped with Ctrl-C
  1    Redis is unreachable, or the run does not exist
  2    the command line or a setting is wrong
  130  stopped by Ctrl-C before the command finished (143: by SIGTERM)
  141  the output was closed`,
  emulate: `
Exit codes:
  0    stopped by Ctrl-C or SIGTERM
  1    the emulator cannot listen, pdfmake is not installed, or calls were interrupted
  2    an option, the folder or a template is wrong
  130  stopped by a second Ctrl-C before all calls had finished
  141  the output was closed`,
  types: `
Exit codes:
  0    done; with --check: the file is up to date
  1    with --check: the file is missing or outdated; without --check: the file
       could not be written
  2    the command line, a sample or a schema is wrong; nothing was written
  130  stopped by Ctrl-C (143: by SIGTERM); nothing was written
  141  the output was closed`,
  mcp: `
Exit codes:
  0    the client closed standard input, or Ctrl-C or SIGTERM stopped the server
  1    a package is not installed, or the port is not available
  2    the command line, a sample, a schema or a folder is wrong
  130  stopped by a second Ctrl-C before all calls had finished
  141  the output was closed`,
} as const;
