/**
 * Quotes a word for a shell, if it needs quotes.
 *
 * @param platform - the value of `process.platform`; all platforms except `win32` have a POSIX shell
 */
export function quotedWord(word: string, platform: string): string {
  // One spelling for both shells of Windows. Within quotation marks, PowerShell still expands `$` and backticks, and cmd `%name%`.
  // A Windows path has no quotation marks. Trailing backslashes are doubled, because they would escape the closing quotation mark.
  if (platform === "win32") {
    return /^(?!@)[\w./\\=@:+-]+$/.test(word) ? word : `"${word.replace(/(?<!\\)\\+$/, "$&$&")}"`;
  }
  return /^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
