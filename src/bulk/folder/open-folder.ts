import { fileSystem } from "../../files/file-system.ts";

/** Throws if a folder must not be used. Receives its path with all links resolved. */
export type FolderCheck = (realPath: string) => void;

/** `O_PATH` of Linux, which `node:fs` does not name. It opens a folder that this process may use but not list. */
const openPath = 0x20_0000;

/** Whether the system resolves paths through descriptors of folders. */
let canPin = false;

/**
 * A folder that is checked where it really is. Another process may put a link in its place at any time.
 *
 * On Linux, `path` leads through the folder's descriptor, so it always leads to the folder that was checked. On other systems, in
 * Deno and without access to /proc, it is the real path at the time of the check. There, use `check` again after using `path`.
 */
export class OpenFolder {
  /** The path for system calls. */
  readonly path: string;
  readonly #check: FolderCheck;
  #descriptor: number | undefined;

  private constructor(path: string, check: FolderCheck, descriptor?: number) {
    this.path = path;
    this.#check = check;
    this.#descriptor = descriptor;
  }

  /** Opens a folder and checks it. */
  static async open(path: string, check: FolderCheck): Promise<OpenFolder> {
    const descriptor = await openPinned(path);
    const ownPath = descriptor === undefined ? await fileSystem().realpath(path) : pinnedPath(descriptor);
    const folder = new OpenFolder(ownPath, check, descriptor);
    try {
      await folder.check();
    } catch (error) {
      folder.close();
      throw error;
    }
    return folder;
  }

  /** Returns the path at which the folder really is now. */
  async realPath(): Promise<string> {
    const { readlinkSync, realpath } = fileSystem();
    // Synchronous, because it waits for no disk: the system keeps the paths of open folders in memory.
    return this.#descriptor === undefined ? realpath(this.path) : readlinkSync(this.path);
  }

  /** Checks where the folder is now. */
  async check(): Promise<void> {
    this.#check(await this.realPath());
  }

  /** Closes once, because the system reuses the number of a closed descriptor. */
  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    // Synchronous, because nothing was written through the descriptor.
    if (descriptor !== undefined) fileSystem().closeSync(descriptor);
  }
}

function pinnedPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

/** Returns the descriptor of a folder, or `undefined` if this process cannot use paths through descriptors. */
async function openPinned(path: string): Promise<number | undefined> {
  // Deno asks the user for permission to use each path in /proc.
  if (process.platform !== "linux" || "deno" in process.versions) return undefined;
  const { open, close, constants } = fileSystem();
  const descriptor = await open(path, openPath | constants.O_DIRECTORY);
  canPin ||= await leadsToFolder(pinnedPath(descriptor));
  if (canPin) return descriptor;
  await close(descriptor);
  return undefined;
}

/** Whether this process may use a path: /proc may be missing, and Node's permission model may deny access to it. */
async function leadsToFolder(path: string): Promise<boolean> {
  const { open, close, constants } = fileSystem();
  try {
    await close(await open(`${path}/.`, constants.O_WRONLY));
    return false;
  } catch (error) {
    // The system found the folder, and only refuses to write to it as if it were a file.
    return (error as NodeJS.ErrnoException).code === "EISDIR";
  }
}
