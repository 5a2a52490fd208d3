import type { Stats } from "node:fs";
import { fileSystem } from "./file-system.ts";
import { PathRefusal } from "./system-errors.ts";

/** The mode of folders such as /tmp, in which users cannot replace the files of others. `node:fs` does not name it. */
const stickyMode = 0o1000;

/** The capability of Linux with which a process can replace every file in a sticky folder. */
const ownerCapability = 1n << 3n;

/**
 * Checks that this process may replace a file that it may write to. In doubt, it does not throw.
 *
 * @param folder - the folder of the file
 * @throws {PathRefusal} if the folder is sticky and another user owns the file
 */
export async function checkReplaceable(file: Stats, folder: string): Promise<void> {
  // Windows does not have users, and Deno requires a permission for this function.
  const userId = "deno" in process.versions ? undefined : process.geteuid?.();
  if (userId === undefined || userId === 0 || userId === file.uid) return;
  const { mode, uid } = await fileSystem().stat(folder);
  if ((mode & stickyMode) === 0 || uid === userId || mayBeCapable()) return;
  throw new PathRefusal("another user owns it, and only its owner can replace a file in a sticky folder");
}

/** Whether this process may have the capability. Other systems than Linux do not have capabilities. */
function mayBeCapable(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const status = fileSystem().processStatus();
    const [, capabilities] = /^CapEff:\s*([\da-f]+)$/m.exec(status) ?? [];
    return capabilities === undefined || (BigInt(`0x${capabilities}`) & ownerCapability) !== 0n;
  } catch {
    // Node's permission model may deny access to it.
    return true;
  }
}
