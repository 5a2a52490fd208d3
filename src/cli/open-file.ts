import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { Failure } from "./failure.ts";

/**
 * Returns the `spawn` arguments that open a file with its default program.
 *
 * @param platform - a value of `process.platform`
 * @param path - an absolute path or a URL, so that no program mistakes it for an option
 */
export function openerOf(
  platform: string,
  path: string,
  env: NodeJS.ProcessEnv,
): [command: string, args: string[], options: SpawnOptions] {
  const options: SpawnOptions = { detached: true, stdio: "ignore", env };
  if (platform === "darwin") return ["open", [path], options];
  if (platform !== "win32") return ["xdg-open", [path], options];
  // The path is passed in a quoted variable, because cmd would interpret `%` and `&` in an argument.
  const args = ["/d", "/v:off", "/s", "/c", '"start "" "%TEMPLATE_PDF_OPEN%""'];
  const variables = { ...env, TEMPLATE_PDF_OPEN: path };
  return ["cmd", args, { ...options, env: variables, windowsHide: true, windowsVerbatimArguments: true }];
}

/**
 * Opens a file or a URL with the user's default program, and does not wait for that program to exit.
 *
 * @param opener - the result of `openerOf`
 * @param advice - what the user can do if it cannot be opened
 * @throws {Failure} if the program cannot be started
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
