import type { Readable, Writable } from "node:stream";

/** A stream that a command writes to, with the properties of a terminal if it is one. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** The signals that end a command. */
export type EndingSignal = "SIGINT" | "SIGTERM";

/** The part of `process` that a command uses. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  on(signal: EndingSignal, listener: () => void): unknown;
  off(signal: EndingSignal, listener: () => void): unknown;
  exit(code: number): void;
}

/** The context of one running command. */
export interface Session {
  readonly terminal: Terminal;
  /** Aborted when the user stops the command, or its output is closed. */
  readonly signal: AbortSignal;
  /** Whether to print all details of errors. */
  readonly isDebug: boolean;
  /**
   * From now on, the first Ctrl-C or SIGTERM aborts only the given signal, which requests a graceful stop. The second aborts
   * `signal`, and the third ends the process.
   */
  endInSteps(): AbortSignal;
}
