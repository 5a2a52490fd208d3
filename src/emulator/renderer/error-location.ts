import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describeThrown, isInstance, readForeignText } from "../../errors/foreign-values.ts";
import { isOfUser } from "./user-file.ts";

const longestCheckMs = 10_000;

interface SourceLocation {
  readonly path: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

interface StackFrame extends SourceLocation {
  readonly text: string;
}

/** Finds the origin of an error in user files, as far as it is known. `loaded` is in load order. */
export async function findErrorLocation(
  error: unknown,
  path: string,
  loaded: readonly string[],
): Promise<SourceLocation> {
  return (
    locationAboveMessage(error) ??
    userFrames(error)[0] ??
    (await locationOfSyntaxError(error, loaded)) ?? { path }
  );
}

/**
 * Finds the frames of an error in user files, innermost first.
 *
 * The message before the frames is left out, because it may contain values and look like frames.
 */
export function userFrames(error: unknown): StackFrame[] {
  const stack = stackOf(error);
  const message = isInstance(error, Error) ? describeThrown(error) : "";
  const at = stack.indexOf(message);
  // A message that was changed later cannot be distinguished from frames.
  const lines = at === -1 ? [] : stack.slice(at + message.length).split("\n");
  return lines.flatMap((text) => {
    const location = /^ +at /.test(text) ? parseLocation(text.replace(/^ +at (?:async )?/, "")) : undefined;
    return location ? [{ text, ...location }] : [];
  });
}

/** Node puts a line such as `file:///a.mjs:1` before the message of some errors of modules. */
function locationAboveMessage(error: unknown): SourceLocation | undefined {
  const [first = ""] = stackOf(error).split("\n", 1);
  return isInstance(error, SyntaxError) && first.startsWith("file://") ? parseLocation(first) : undefined;
}

function stackOf(error: unknown): string {
  return (isInstance(error, Error) && readForeignText(error, "stack")) || "";
}

/** Reads `f (file:///folder (1)/a.mjs:1:2)`, `/a.cjs:1:2`, `C:\a.cjs:1:2` or `file:///a.mjs:1`, if the file is the user's. */
function parseLocation(text: string): SourceLocation | undefined {
  const position = /:(\d+)(?::(\d+))?\)?$/.exec(text);
  if (position === null) return undefined;
  const [line, column] = position.slice(1).map((digits) => (digits ? Number(digits) : undefined));
  // Parsed from the end, because a single pattern would search from every bracket.
  const before = text.slice(0, position.index);
  const beginning = /(?:^|\()(?=file:\/\/|\/|[A-Za-z]:[\\/])/.exec(before);
  if (beginning === null) return undefined;
  const file = before.slice(beginning.index + beginning[0].length);
  try {
    const path = file.startsWith("file:") ? fileURLToPath(file) : file;
    return isOfUser(path) ? { path, line, column } : undefined;
  } catch {
    return undefined;
  }
}

/** The error of a module that cannot be parsed has no position (Node 20 to 26), so `node --check` finds it. */
async function locationOfSyntaxError(
  error: unknown,
  loaded: readonly string[],
): Promise<SourceLocation | undefined> {
  if (!isInstance(error, SyntaxError)) return undefined;
  for (const path of [...loaded].reverse()) {
    const printed = await new Promise<string>((resolve) => {
      // Killed after a while, because the file may have become a pipe since.
      const limits = { timeout: longestCheckMs, killSignal: "SIGKILL" } as const;
      execFile(process.execPath, ["--check", path], limits, (_error, _stdout, stderr) => resolve(stderr));
    });
    const [first = "", ...others] = printed.split("\n");
    const line = /:(\d+)\s*$/.exec(first)?.[1];
    // A marker, `^^^`, follows the line of code.
    const marker = others.find((printedLine) => printedLine.trimStart().startsWith("^"));
    if (line !== undefined)
      return { path, line: Number(line), column: marker ? marker.indexOf("^") + 1 : undefined };
  }
  return undefined;
}
