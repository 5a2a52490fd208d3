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
  const pattern = patternOf(last, platform);
  // Hidden files are only like patterns that begin with a dot.
  const isLike = (name: string) => pattern.test(name) && (last.startsWith(".") || !name.startsWith("."));
  const found = names.filter(isLike).sort();
  return found.length > 0 ? found.map((name) => folder + name) : [path];
}

function patternOf(text: string, platform: string): RegExp {
  const parts = text
    .split(/\*+/)
    .map((part) => part.replace(/[\\^$.+()[\]{}|/]/g, "\\$&").replaceAll("?", "."));
  const [first = "", ...others] = parts;
  const last = others.pop();
  // A lookahead is not gone back to: trying every way to match `*a*a*a*a*b` takes minutes.
  const inner = others.map((part, index) => `(?=(.*?${part}))\\${index + 1}`).join("");
  const end = last === undefined ? "" : `.*${last}`;
  // Windows takes `A.JSON` and `a.json` for one name.
  return new RegExp(`^${first}${inner}${end}$`, platform === "win32" ? "isu" : "su");
}
