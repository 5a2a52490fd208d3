import { type SpawnOptions, spawn } from "node:child_process";
import { Failure } from "./failure.ts";

/** How a system is asked to open a file with the program that its user has chosen. */
export interface Opener {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
}

/**
 * Finds out how a system opens a file.
 *
 * @param platform - as `process.platform` names it
 * @param path - absolute, so that no program takes it for an option
 */
export function openerOf(platform: string, path: string, env: NodeJS.ProcessEnv): Opener {
  const options: SpawnOptions = { detached: true, stdio: "ignore", env };
  if (platform === "darwin") return { command: "open", args: [path], options };
  if (platform !== "win32") return { command: "xdg-open", args: [path], options };
  return {
    command: "cmd",
    // The path by a variable, in quotes: written here, `%` and `&` in it would mean something to the shell.
    args: ["/d", "/v:off", "/s", "/c", '"start "" "%TEMPLATE_PDF_OPEN%""'],
    options: {
      ...options,
      env: { ...env, TEMPLATE_PDF_OPEN: path },
      windowsHide: true,
      windowsVerbatimArguments: true,
    },
  };
}

/**
 * Opens a file, and does not wait until its user has read it.
 *
 * @throws {Failure} when there is no program to open it with
 */
export function openFile({ command, args, options }: Opener, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    child.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "ENOENT" ? "there is no such program" : (cause.code ?? cause.message);
      reject(
        new Failure(
          `Could not open ${path} with ${command}: ${why}. The document is saved there: open it by hand.`,
          { cause },
        ),
      );
    });
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
