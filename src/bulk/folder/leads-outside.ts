import { readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";

/** Tells whether a folder, which need not be there yet, is outside of another, because a part of its path is a link. */
export async function isFolderOutside(path: string, root: string): Promise<boolean> {
  const inside = await realpath(root);
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return isOutside(real, inside);
    if (dirname(at) === at) return false;
  }
}

/** Tells whether a file is a link out of a folder. */
export async function isLinkOutside(path: string, root: string): Promise<boolean> {
  const link = await readlink(path).catch(() => undefined);
  if (link === undefined) return false;
  const real = await realpath(path).catch(() => resolve(dirname(path), link));
  return isOutside(real, await realpath(root));
}

function isOutside(real: string, inside: string): boolean {
  const seen = relative(inside, real);
  return seen === ".." || seen.startsWith(`..${sep}`) || isAbsolute(seen);
}
