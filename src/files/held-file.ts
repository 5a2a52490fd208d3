/** By one of these Windows refuses to rename a file, or over one, that a virus scanner, an indexer or a reader holds open. */
const codes: readonly (string | undefined)[] = ["EPERM", "EACCES", "EBUSY"];

/** How long is waited before each next try, in milliseconds: about a second in all. */
const delaysMs = [10, 20, 40, 80, 160, 320, 640];

/** What such a refusal means; Windows does not tell which of the two. */
export const heldOrForbidden = "another program has it open, or this process may not write there";

/**
 * Whether an error is Windows' refusal to rename a file, as it comes while another program has that open.
 *
 * @param platform - as `process.platform` tells it
 */
export function mayBeHeld(error: unknown, platform: string): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return platform === "win32" && syscall === "rename" && codes.includes(code);
}

/**
 * Renames a file; on Windows again and again for about a second, where the file or the one it replaces may be held open.
 *
 * @param rename - tries it once; what else it throws ends it
 * @param platform - as `process.platform` tells it
 */
export async function renamePatiently<T>(
  rename: () => Promise<T>,
  platform: string = process.platform,
): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await rename();
    } catch (error) {
      if (!mayBeHeld(error, platform)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  return rename();
}
