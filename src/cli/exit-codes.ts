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

/** Returns the exit code for what ended a command. */
export async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof QuietEnd) return error.exitCode;
  if (error instanceof Misuse) return exitCodes.misused;
  if (error instanceof Halted) return exitCodes.halted;
  if (error instanceof Failure) return exitCodes.failed;
  // Loaded late, because `--help` does not need the client.
  const { ConfigurationError, SaveError, ValuesError } = await import("../index.ts");
  if (ConfigurationError.is(error) || ValuesError.is(error)) return exitCodes.misused;
  // The path is wrong, and no request was sent.
  if (SaveError.is(error) && error.attempts === 0) return exitCodes.misused;
  return exitCodes.failed;
}

/** What the exit codes mean, for the `--help` of each command. */
export const exitCodesHelp = {
  generate: `
Exit codes:
  0    done
  1    it was tried and failed: the service, the network, the disk, the time
  2    the command line or its input is wrong, and nothing was sent
  130  stopped by Ctrl-C (143: by SIGTERM); no half of a file is left
  141  nobody reads the output any more`,
  bulk: `
Exit codes:
  0    all documents are made
  1    some failed, and all others are made; or the report could not be written in the
       end
  2    the command line, the data, the journal or a folder is wrong; nothing was sent
  3    stopped before the end: --stop-after, a full disk, a wrong key or uid, or the
       service is away or asks to wait for too long
  130  stopped by Ctrl-C (143: by SIGTERM); no half of a file is left
  141  nobody reads the output any more`,
  work: `
Exit codes:
  0    stopped by Ctrl-C or SIGTERM; what was in flight is finished
  1    Redis cannot be reached, or what is in the queue cannot be read
  2    the command line or a setting is wrong
  3    the worker stopped by itself: a wrong API key, a full disk, or a service that
       is away for too long; its jobs are in the queue
  130  stopped by a second Ctrl-C (143: by SIGTERM); what was in flight is in the queue
  141  nobody reads the output any more`,
  runs: `
Exit codes:
  0    done, or stopped by Ctrl-C
  1    Redis cannot be reached, or there is no such run
  2    the command line or a setting is wrong
  130  stopped by Ctrl-C before it was done (143: by SIGTERM)
  141  nobody reads the output any more`,
  emulate: `
Exit codes:
  0    stopped by Ctrl-C or SIGTERM
  1    it cannot listen there, pdfmake is not installed, or calls had to be cut off
  2    an option, the folder or a template is wrong
  130  stopped by a second Ctrl-C, before every call was answered
  141  nobody reads the output any more`,
  types: `
Exit codes:
  0    done; with --check: the file is as it should be
  1    with --check: the file is missing or stale; else: it could not be written
  2    the command line, a sample or a schema is wrong; nothing was written
  130  stopped by Ctrl-C (143: by SIGTERM); nothing was written
  141  nobody reads the output any more`,
} as const;
