import { writeSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { findErrorLocation } from "../emulator/renderer/error-location.ts";
import { formatFault } from "../emulator/renderer/template-fault.ts";
import { describeThrown, isInstance, readForeign } from "../errors/foreign-values.ts";
import { objectionToReading } from "../files/read-file.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import { exitCodes } from "./exit-codes.ts";
import { Misuse } from "./failure.ts";
import { printable } from "./output.ts";

/** A module that the user wrote. */
interface ModuleFile {
  /** The absolute path. */
  readonly path: string;
  /** The path as the user gave it, for messages. */
  readonly name: string;
}

/**
 * Loads a module that the user wrote.
 *
 * @param what - one word for the module in messages, such as `schema`
 * @returns the exports of the module
 * @throws {Misuse} if the module cannot be loaded, or ends or blocks the process
 * @throws the signal's abort reason
 */
export async function loadModule(
  { path, name }: ModuleFile,
  what: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  // Node would wait for a pipe, and the command could not be stopped.
  const objection = objectionToReading(path);
  if (objection !== undefined) throw new Misuse(`${name} cannot be loaded: ${objection}.`);
  const reportExit = () => {
    process.exitCode = exitCodes.misused;
    try {
      // Synchronous, because the process is exiting.
      writeSync(
        2,
        `template-pdf: ${printable(name)}: the module ended the process while it was loading. It must only export values.\n`,
      );
    } catch {
      // Standard error is closed.
    }
  };
  const never = new AbortController();
  // `beforeExit` means that nothing is pending that could finish loading.
  const giveUp = () =>
    never.abort(
      new Misuse(`${name}: the module has a top-level await that never settles. It must only export values.`),
    );
  process.once("exit", reportExit).once("beforeExit", giveUp);
  try {
    const loading = import(/* @vite-ignore */ pathToFileURL(path).href);
    return await untilAborted(untilAborted(loading, signal), never.signal);
  } catch (error) {
    if (isInstance(error, Misuse)) throw error;
    signal.throwIfAborted();
    if (readForeign(error, "code") === "ERR_UNKNOWN_FILE_EXTENSION") {
      throw new Misuse(
        `${name}: ${process.version} cannot load TypeScript. Use Node 22.18 or later, or write the ${what} as .mjs.`,
      );
    }
    const [reason = ""] = describeThrown(error).split("\n", 1);
    const { path: file, line, column } = await findErrorLocation(error, path, [path]);
    const fault = { file, line, column, part: "", message: `${name} cannot be loaded: ${reason}` };
    throw new Misuse(formatFault(fault), { cause: error });
  } finally {
    process.off("exit", reportExit).off("beforeExit", giveUp);
  }
}

/**
 * Redirects standard output to standard error during `work`. Modules may print while they load, and standard output may be
 * the types file.
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
