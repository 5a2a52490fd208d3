/** Ends a command with a message on one line: what happened, to what, and what to do next. */
export class Failure extends Error {
  override readonly name: string = "Failure";
}

/** The command line or its input is wrong; nothing was sent. */
export class Misuse extends Failure {
  override readonly name = "Misuse";
}

/** A run was stopped before its end, and can be gone on with. */
export class Halted extends Failure {
  override readonly name = "Halted";
}

/** Ends a command without a word: whoever is the reason knows it. */
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

/** What went wrong with a file, by the code of the system's error. */
export function describeReadError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && reasons[code]) || code || message;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is a file, not a folder",
  EISDIR: "it is a folder",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  ENOSPC: "the disk is full",
};
