import { relative } from "node:path";

/** Formats a path for a terminal: relative to the working directory if that is shorter. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.length < path.length ? short : path;
}
