import { realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** Tells where an absolute path leads, links followed. What it ends with need not be there yet. */
export async function realPathOf(path: string): Promise<string> {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return join(real, relative(at, path));
  }
  return path;
}
