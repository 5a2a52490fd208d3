import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// The features of the operating system that runs the tests. A test uses these names to state what it requires. They never hide a
// failure of the product: its behaviour on the other systems has its own tests.

export const isWindows = process.platform === "win32";

/** File modes, umasks and owners. Windows knows only whether a file is writable. */
export const hasModes = !isWindows;

/** Names with `:`, `?`, line breaks or a dot at the end, which Windows refuses. */
export const hasFreeNames = !isWindows;

/** Named pipes, as created by `mkfifo`, and `/dev`. */
export const hasPipeFiles = !isWindows;

/** A device that is always full, as on Linux. */
export const hasFullDevice = existsSync("/dev/full");

/** Signals that a program can handle. On Windows, every `kill` ends it at once. */
export const hasSignals = !isWindows;

/** A process table with start times. */
export const hasProcessTable = existsSync("/proc/self/stat");

/** Whether this user may create symbolic links. On Windows, this requires a permission. */
export const hasLinks = canLink();

/** Mount namespaces in which this user may mount files. */
export const canMount = process.platform === "linux" && spawnSync("unshare", ["-rm", "true"]).status === 0;

/** A POSIX shell. The shell of Git for Windows starts programs differently. */
export const hasPosixShell = !isWindows;

function canLink(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "template-pdf-link-"));
  try {
    symlinkSync("target", join(folder, "link"));
    return readlinkSync(join(folder, "link")) === "target";
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
