import { describeSystemError } from "../files/system-errors.ts";

/** Ends a command with a one-line message: what happened, to what, and what to do. */
export class Failure extends Error {
  override readonly name: string = "Failure";
}

/** The command line or its input is invalid; nothing was sent. */
export class Misuse extends Failure {
  override readonly name = "Misuse";
}

/** A run stopped early and can be resumed. */
export class Halted extends Failure {
  override readonly name = "Halted";
}

/** Ends a command without a message, because the cause is known. */
export class QuietEnd extends Error {
  override readonly name = "QuietEnd";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`ended with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** The user stopped the command. */
export class Stopped extends QuietEnd {}

/** Describes why a file could not be read. */
export function describeReadError(error: unknown): string {
  return describeSystemError(error, reasons);
}

const reasons = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
};
