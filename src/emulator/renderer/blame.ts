import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { shortPath } from "../short-path.ts";

/** A line of the user's own code. */
interface Place {
  readonly path: string;
  readonly line: string;
  readonly column: string | undefined;
}

/** This package's own files, which are never the ones to blame. */
const own = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Finds where in the user's files an error began.
 *
 * @param error - what was thrown
 * @param path - of the template file, which is named where nothing else is known
 * @param loaded - the user's modules that were loaded, the last one last
 * @returns `path:line:column`, as far as it is known; relative to the working directory where that is shorter
 */
export async function blame(error: unknown, path: string, loaded: readonly string[]): Promise<string> {
  const stack = error instanceof Error ? String(error.stack) : "";
  const place =
    placesIn(stack).find((candidate) => isOfUser(candidate.path)) ??
    (error instanceof SyntaxError ? await findSyntaxError([...loaded].reverse()) : undefined);
  if (place === undefined) return shortPath(path);
  return [shortPath(place.path), place.line, place.column].filter(Boolean).join(":");
}

/** The frames of an error's stack that lie in the user's files, for whoever wants to see more than a line. */
export function framesOf(error: unknown): string {
  const stack = error instanceof Error ? String(error.stack) : "";
  return stack
    .split("\n")
    .filter((line) => /^ +at /.test(line) && placesIn(line).some(({ path }) => isOfUser(path)))
    .join("\n");
}

/** Both `at f (file:///a.mjs:1:2)` and the line that Node puts before the message of some errors, `file:///a.mjs:1`. */
function placesIn(text: string): Place[] {
  return [...text.matchAll(/(file:\/\/[^\s()]+?|(?<=[\s(])\/[^\s():]+?):(\d+)(?::(\d+))?(?=[\s)]|$)/g)].map(
    ([, file = "", line = "", column]) => ({
      path: file.startsWith("file:") ? fileURLToPath(file) : file,
      line,
      column,
    }),
  );
}

function isOfUser(path: string): boolean {
  return !/[\\/]node_modules[\\/]/.test(path) && !path.startsWith(own);
}

/** A module that cannot be parsed does not say where (Node 20 to 26); `node --check` does. */
async function findSyntaxError(paths: readonly string[]): Promise<Place | undefined> {
  for (const path of paths) {
    const printed = await new Promise<string>((resolve) => {
      execFile(process.execPath, ["--check", path], (_error, _stdout, stderr) => resolve(stderr));
    });
    const line = /:(\d+)\s*$/.exec(printed.split("\n", 1)[0] ?? "")?.[1];
    if (line !== undefined) {
      const marker = /^\s*(?=\^)/m.exec(printed)?.[0].replace("\n", "").length;
      return { path, line, column: marker === undefined ? undefined : String(marker + 1) };
    }
  }
  return undefined;
}
