import { relative } from "node:path";

/** A path as a terminal shows it best, and makes a link of: relative to the working directory where that is shorter. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.length < path.length ? short : path;
}
