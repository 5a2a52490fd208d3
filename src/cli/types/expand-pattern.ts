import { readdir } from "node:fs/promises";
import { basename } from "node:path";

/**
 * Finds the files that match `*` and `?` in the last part of a path. Shells on Windows do not expand patterns, and other
 * shells do not expand them in quotes.
 *
 * @param platform - the value of `process.platform`
 * @returns their sorted paths; the path itself if it is not a pattern, or if no file matches
 */
export async function expandPattern(path: string, platform: string): Promise<string[]> {
  const last = basename(path);
  if (!/[*?]/.test(last)) return [path];
  const folder = path.slice(0, path.lastIndexOf(last));
  const names = await readdir(folder || ".").catch(() => []);
  // Windows treats `A.JSON` and `a.json` as the same name.
  const fold = (text: string) => [...(platform === "win32" ? text.toLowerCase() : text)];
  const pattern = fold(last);
  // Only patterns that start with a dot match hidden files.
  const isLike = (name: string) =>
    (last.startsWith(".") || !name.startsWith(".")) && isMatch(fold(name), pattern);
  const found = names.filter(isLike).sort();
  return found.length > 0 ? found.map((name) => folder + name) : [path];
}

/** Reads the pattern only once, because a regular expression takes minutes for `*a*a*a*a*b`. */
function isMatch(name: readonly string[], pattern: readonly string[]): boolean {
  const positions = [...name.keys(), name.length];
  /** The lengths of the prefixes of the name that match the pattern so far. */
  let ends = [0];
  for (const wanted of pattern) {
    const [first = Number.POSITIVE_INFINITY] = ends;
    if (wanted === "*") ends = positions.filter((end) => end >= first);
    else if (wanted === "?") ends = ends.filter((end) => end < name.length).map((end) => end + 1);
    else ends = ends.filter((end) => name[end] === wanted).map((end) => end + 1);
  }
  return ends.at(-1) === name.length;
}
