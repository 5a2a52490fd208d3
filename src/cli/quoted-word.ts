/**
 * Writes a word as a shell reads it, quoted only where it has to be.
 *
 * @param platform - as `process.platform` tells it
 */
export function quotedWord(word: string, platform: string): string {
  // What both shells of Windows take; no path has a quotation mark there.
  if (platform === "win32") return /^[\w./\\=@:+,-]+$/.test(word) ? word : `"${word}"`;
  return /^[\w./=@:+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
