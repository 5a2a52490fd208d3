/**
 * Gives two paths of one file as one text, where the system takes `A.pdf` and `a.pdf` for one, or `a/b.pdf` and `a\b.pdf`.
 *
 * @param platform - as `process.platform` tells it
 */
export function foldedPath(path: string, platform: string): string {
  const isFolded = platform === "win32" || platform === "darwin";
  const folded = isFolded ? path.normalize("NFC").toLowerCase() : path;
  return platform === "win32" ? folded.replaceAll("/", "\\") : folded;
}
