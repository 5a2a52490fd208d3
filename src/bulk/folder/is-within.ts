import { isAbsolute, relative, sep } from "node:path";

/** Tells whether an absolute path is another, or one of what is inside of that. */
export function isWithin(path: string, folder: string): boolean {
  const seen = relative(folder, path);
  return seen !== ".." && !seen.startsWith(`..${sep}`) && !isAbsolute(seen);
}
