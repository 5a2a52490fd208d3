import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { readSmallFileSync } from "../../files/read-file.ts";

/** The maximum size of a file in `/proc` in bytes: far more than these files contain. */
const maxProcFileBytes = 64 * 1024;

/** The process that holds a lock, with enough data to identify it uniquely. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /**
   * The scope of the process ids. A container may have the same name as its host but its own processes, and two machines may have
   * the same name. Empty if unknown.
   */
  readonly processes: string;
  /** The start time of the process in Linux clock ticks; empty on other systems. */
  readonly started: string;
  /** A random token, unique to each lock. */
  readonly token: string;
}

/** Returns this process as a lock holder. */
export function thisProcess(token: string): LockHolder {
  const { pid } = process;
  return {
    pid,
    host: known(hostname),
    processes: ownProcesses(),
    started: startOf(pid)?.started ?? "",
    token,
  };
}

/** Parses the content of a lock file. Returns `undefined` if it is invalid. */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, host, processes, started, token } = JSON.parse(text);
    const isHolder =
      Number.isSafeInteger(pid) &&
      pid > 0 &&
      [host, processes, started, token].every((member) => typeof member === "string") &&
      /^\w+$/.test(token);
    return isHolder ? { pid, host, processes, started, token } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process still exists; undefined if that cannot be determined. */
export function isRunning({ pid, host, processes, started }: LockHolder): boolean | undefined {
  const ownHost = known(hostname);
  if (ownHost === "" || host !== ownHost || processes !== ownProcesses()) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH") return false;
    if (code !== "EPERM") return undefined;
  }
  const found = startOf(pid);
  // Another process may have its id by now, because Windows reuses ids quickly. The lock's holder keeps touching the lock.
  if (!found) return undefined;
  // A zombie has ended, and only waits for its parent.
  return !/[ZX]/.test(found.state) && (started === "" || found.started === started);
}

/** Returns the state and the start time of a process from proc(5), if it exists. */
function startOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  const text = known(() => readProcFile(`${pid}/stat`));
  // The second field is the program name in parentheses. It may contain any character.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", started] = [fields[0], fields[19]];
  return started === undefined ? undefined : { state, started };
}

function ownProcesses(): string {
  const boot = known(() => readProcFile("sys/kernel/random/boot_id").trim());
  const namespace = known(() => readlinkSync("/proc/self/ns/pid"));
  return [boot, namespace].filter((part) => part !== "").join(" ");
}

function readProcFile(name: string): string {
  return readSmallFileSync(`/proc/${name}`, maxProcFileBytes).toString();
}

/** Returns the result of a call, or an empty string if it fails. */
function known(tell: () => string): string {
  try {
    return tell();
  } catch {
    return "";
  }
}
