import { mayBeHeld } from "./system-errors.ts";

/** The delays before each retry, in milliseconds: about a second in all. */
const delaysMs = [10, 20, 40, 80, 160, 320, 640];

/**
 * Renames a file. On Windows it retries for about a second if another program may hold the file or the one it replaces open.
 *
 * @param rename - renames once; any other error that it throws ends the retries
 * @param platform - a value of `process.platform`
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
