/**
 * Gives two paths of one file as one text, where the system takes `A.pdf` and `a.pdf` for one.
 *
 * @param platform - as `process.platform` tells it
 */
export function foldedPath(path: string, platform: string): string {
  const isFolded = platform === "win32" || platform === "darwin";
  return isFolded ? path.normalize("NFC").toLowerCase() : path;
}
