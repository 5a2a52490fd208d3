/**
 * Writes a word as a shell reads it, quoted only where it has to be.
 *
 * @param platform - as `process.platform` tells it; all but `win32` have a POSIX shell
 */
export function quotedWord(word: string, platform: string): string {
  // As far as one spelling suits both shells of Windows: between quotation marks, too, PowerShell reads `$` and backticks, and cmd `%name%`.
  // No path has a quotation mark there; backslashes before the last one are doubled, or the program would take it for a part of the word.
  if (platform === "win32") {
    return /^(?!@)[\w./\\=@:+-]+$/.test(word) ? word : `"${word.replace(/(?<!\\)\\+$/, "$&$&")}"`;
  }
  return /^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
