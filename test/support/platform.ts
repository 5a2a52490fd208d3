import { existsSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// What the system that runs the tests has, so that a test of what it has not says so by a name. Never a way around a failure of the
// product: what it does in its stead on that system has a test of its own.

export const isWindows = process.platform === "win32";

/** Modes, umasks and owners of files: Windows knows only whether a file may be written to. */
export const hasModes = !isWindows;

/** Names with `:`, `?`, line breaks or a dot at the end, which Windows refuses. */
export const hasFreeNames = !isWindows;

/** Pipes that are files, as `mkfifo` makes them, and `/dev`. */
export const hasPipeFiles = !isWindows;

/** A device that is always full, as Linux has it. */
export const hasFullDevice = existsSync("/dev/full");

/** Signals that a program can hear: on Windows every `kill` ends it at once. */
export const hasSignals = !isWindows;

/** A table that tells when a process began. */
export const hasProcessTable = existsSync("/proc/self/stat");

/** Whether this user may make symbolic links: on Windows not everybody may. */
export const hasLinks = canLink();

/** The shell that POSIX describes; that of Git for Windows starts programs in ways of its own. */
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
