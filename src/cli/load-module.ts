import { writeSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { findErrorLocation } from "../emulator/renderer/error-location.ts";
import { describeThrown } from "../json/describe-thrown.ts";
import { exitCodes } from "./exit-codes.ts";
import { Misuse } from "./failure.ts";
import { printable } from "./output.ts";
import { untilAborted } from "./session.ts";

/** A module of the user's. */
interface ModuleFile {
  /** The absolute path. */
  readonly path: string;
  /** What to call it in messages: the path as it was given. */
  readonly name: string;
}

/**
 * Loads a module of the user's.
 *
 * @param what - what it is meant to be, in a word, for messages
 * @returns what it exports
 * @throws {Misuse} when it cannot be loaded, or does something else than to export
 * @throws the signal's reason
 */
export async function loadModule(
  { path, name }: ModuleFile,
  what: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const refuseEnd = () => {
    process.exitCode = exitCodes.misused;
    try {
      // Synchronously: nothing else is done any more.
      writeSync(
        2,
        `template-pdf: ${printable(name)}: the module ended the process while it was loading. It must only export.\n`,
      );
    } catch {
      // Standard error is closed.
    }
  };
  const never = new AbortController();
  // Nothing is left that could make it ready.
  const giveUp = () =>
    never.abort(
      new Misuse(`${name}: the module waits for something that never happens. It must only export.`),
    );
  process.once("exit", refuseEnd).once("beforeExit", giveUp);
  try {
    const loading = import(/* @vite-ignore */ pathToFileURL(path).href);
    return await untilAborted(untilAborted(loading, signal), never.signal);
  } catch (error) {
    if (error instanceof Misuse) throw error;
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException | undefined)?.code === "ERR_UNKNOWN_FILE_EXTENSION") {
      throw new Misuse(
        `${name}: ${process.version} cannot load TypeScript. Use Node 22.18 or later, or write the ${what} as .mjs.`,
      );
    }
    const [reason = ""] = describeThrown(error).split("\n", 1);
    throw new Misuse(`${await findErrorLocation(error, path, [path])}: ${name} cannot be loaded: ${reason}`, {
      cause: error,
    });
  } finally {
    process.off("exit", refuseEnd).off("beforeExit", giveUp);
  }
}

/**
 * Lets everything that is written to the process's standard output go to standard error while something is done:
 * templates that are loaded may print, and what is written there may be the file of the types.
 */
export async function divertStdout<T>(work: () => Promise<T>): Promise<T> {
  const { stdout, stderr } = process;
  const own = Object.getOwnPropertyDescriptor(stdout, "write");
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  try {
    return await work();
  } finally {
    if (own) Object.defineProperty(stdout, "write", own);
    else Reflect.deleteProperty(stdout, "write");
  }
}
