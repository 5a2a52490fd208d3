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
  const isLike = matcherOf(last, platform);
  const found = names.filter(isLike).sort();
  return found.length > 0 ? found.map((name) => folder + name) : [path];
}

/** Gives what tells whether a name is like a pattern. Hidden files are only like patterns that begin with a dot. */
function matcherOf(pattern: string, platform: string): (name: string) => boolean {
  // Windows takes `A.JSON` and `a.json` for one name.
  const fold = (text: string) => (platform === "win32" ? text.toLowerCase() : text);
  const wanted = [...fold(pattern).replace(/\*+/g, "*")];
  const minLength = wanted.filter((character) => character !== "*").length;
  return (name) => {
    if (name.startsWith(".") && !pattern.startsWith(".")) return false;
    const characters = [...fold(name)];
    return characters.length >= minLength && isMatch(characters, wanted);
  };
}

/** Goes back to the last `*` only: a regular expression tries all of them, which takes minutes for `*a*a*a*a*b`. */
function isMatch(name: readonly string[], pattern: readonly string[]): boolean {
  let at = 0;
  let star = -1;
  let afterStar = 0;
  for (let index = 0; index < name.length; ) {
    const wanted = pattern[at];
    if (wanted === "*") {
      star = at++;
      afterStar = index;
    } else if (wanted === "?" || wanted === name[index]) {
      at += 1;
      index += 1;
    } else if (star === -1) {
      return false;
    } else {
      at = star + 1;
      index = ++afterStar;
    }
  }
  if (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
