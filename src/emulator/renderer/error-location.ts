import { execFile } from "node:child_process";
import { shortPath } from "../short-path.ts";
import { formatLocation, locationAboveMessage, type SourceLocation, userFrames } from "./source-location.ts";

/**
 * Finds where in the user's files an error began.
 *
 * @param error - what was thrown
 * @param path - of the template file, which is named where nothing else is known
 * @param loaded - the user's modules that were loaded, the last one last
 * @returns `path:line:column`, as far as it is known; relative to the working directory where that is shorter
 */
export async function findErrorLocation(
  error: unknown,
  path: string,
  loaded: readonly string[],
): Promise<string> {
  const location =
    locationAboveMessage(error) ?? userFrames(error)[0] ?? (await locationOfSyntaxError(error, loaded));
  return location === undefined ? shortPath(path) : formatLocation(location);
}

/** A module that cannot be parsed does not say where (Node 20 to 26); `node --check` does. */
async function locationOfSyntaxError(
  error: unknown,
  loaded: readonly string[],
): Promise<SourceLocation | undefined> {
  if (!(error instanceof SyntaxError)) return undefined;
  for (const path of [...loaded].reverse()) {
    const printed = await new Promise<string>((resolve) => {
      execFile(process.execPath, ["--check", path], (_error, _stdout, stderr) => resolve(stderr));
    });
    const line = /:(\d+)\s*$/.exec(printed.split("\n", 1)[0] ?? "")?.[1];
    if (line !== undefined) {
      // Below the line of code stand blanks and a marker: `^^^`.
      const marker = printed.split("\n").find((printedLine) => printedLine.trimStart().startsWith("^"));
      return { path, line, column: marker && String(marker.indexOf("^") + 1) };
    }
  }
  return undefined;
}
