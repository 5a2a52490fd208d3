import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { Failure } from "./failure.ts";

/**
 * Finds out how a system opens a file: the arguments of `spawn`.
 *
 * @param platform - a value of `process.platform`
 * @param path - absolute, so that no program takes it for an option
 */
export function openerOf(
  platform: string,
  path: string,
  env: NodeJS.ProcessEnv,
): [command: string, args: string[], options: SpawnOptions] {
  const options: SpawnOptions = { detached: true, stdio: "ignore", env };
  if (platform === "darwin") return ["open", [path], options];
  if (platform !== "win32") return ["xdg-open", [path], options];
  // The path by a variable, in quotes: written here, `%` and `&` in it would mean something to the shell.
  const args = ["/d", "/v:off", "/s", "/c", '"start "" "%TEMPLATE_PDF_OPEN%""'];
  const variables = { ...env, TEMPLATE_PDF_OPEN: path };
  return ["cmd", args, { ...options, env: variables, windowsHide: true, windowsVerbatimArguments: true }];
}

/**
 * Opens a file, or a URL, with the program that its user has chosen, and does not wait for that to end.
 *
 * @param opener - see `openerOf`
 * @param advice - what to do if it cannot be opened
 * @throws {Failure} when there is no program to open it with
 */
export async function openFile(
  opener: ReturnType<typeof openerOf>,
  path: string,
  advice = "The document is saved. Open it yourself.",
): Promise<void> {
  const child = spawn(...opener);
  await once(child, "spawn").catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === "ENOENT" ? "the program was not found" : (cause.code ?? cause.message);
    const what = `Could not open ${path} with ${opener[0]}: ${why}.`;
    throw new Failure(`${what} ${advice}`, { cause });
  });
  child.unref();
}
