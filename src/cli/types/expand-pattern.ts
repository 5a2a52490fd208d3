import { readdir } from "node:fs/promises";
import { basename } from "node:path";

/**
 * Finds the files that `*` and `?` in the last part of a path stand for: the shells of Windows leave that to the program, and so does
 * everybody else's between quotes.
 *
 * @param platform - as `process.platform` tells it
 * @returns their paths, in order; the path itself where it is no pattern, or nothing is like it
 */
export async function expandPattern(path: string, platform: string): Promise<string[]> {
  const last = basename(path);
  if (!/[*?]/.test(last)) return [path];
  const folder = path.slice(0, path.lastIndexOf(last));
  const names = await readdir(folder || ".").catch(() => []);
  const found = names.filter((name) => isLike(name, last, platform)).sort();
  return found.length > 0 ? found.map((name) => folder + name) : [path];
}

/** Whether a name is like a pattern. Hidden files are like none that does not begin with their dot. */
function isLike(name: string, pattern: string, platform: string): boolean {
  if (name.startsWith(".") && !pattern.startsWith(".")) return false;
  const parts = pattern
    .replace(/[\\^$.+()[\]{}|]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  // Windows takes `A.JSON` and `a.json` for one name.
  return new RegExp(`^${parts}$`, platform === "win32" ? "isu" : "su").test(name);
}
