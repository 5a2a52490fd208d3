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
  // Windows takes `A.JSON` and `a.json` for one name.
  const fold = (text: string) => [...(platform === "win32" ? text.toLowerCase() : text)];
  const pattern = fold(last);
  // Hidden files are only like patterns that begin with a dot.
  const isLike = (name: string) =>
    (last.startsWith(".") || !name.startsWith(".")) && isMatch(fold(name), pattern);
  const found = names.filter(isLike).sort();
  return found.length > 0 ? found.map((name) => folder + name) : [path];
}

/** Goes once through the pattern: a regular expression takes minutes for `*a*a*a*a*b`. */
function isMatch(name: readonly string[], pattern: readonly string[]): boolean {
  const positions = [...name.keys(), name.length];
  /** Where the beginning of the name may end that is like the pattern so far. */
  let ends = [0];
  for (const wanted of pattern) {
    const [first = Number.POSITIVE_INFINITY] = ends;
    if (wanted === "*") ends = positions.filter((end) => end >= first);
    else if (wanted === "?") ends = ends.filter((end) => end < name.length).map((end) => end + 1);
    else ends = ends.filter((end) => name[end] === wanted).map((end) => end + 1);
  }
  return ends.at(-1) === name.length;
}
