/** What a place is like that takes no more documents, whichever comes next. */
const reasons: { readonly [code: string]: string | undefined } = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
};

/** Says why nothing more can be stored, where that is what an error, or what lies behind it, tells. */
export function fullness(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 10; depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (code !== undefined && reasons[code] !== undefined) return reasons[code];
    at = at.cause;
  }
  return undefined;
}
