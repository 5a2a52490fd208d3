import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Who holds a lock: a process, told from all that have been and will be. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /**
   * Whose process ids these are: a container may have its host's name and processes of its own, and two machines one
   * name. Empty where it cannot be told.
   */
  readonly processes: string;
  /** When the process started, as Linux counts it; empty elsewhere. */
  readonly started: string;
  /** Random: no two locks have the same. */
  readonly token: string;
}

/** This process, as the holder of a lock. */
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

/** Reads the text of a lock; gives nothing where it is none. */
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

/** Whether a process is still there; undefined where that cannot be told from here. */
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
  // Another process may have its number by now, which Windows gives away again soon: whoever holds the lock touches it.
  if (!found) return undefined;
  // A zombie has ended, and only waits for its parent to take note.
  return !/[ZX]/.test(found.state) && (started === "" || found.started === started);
}

/** The state and the start of a process, by proc(5), where there is such a thing. */
function startOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  const text = known(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The second field is the program's name in parentheses, in which anything may stand.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", started] = [fields[0], fields[19]];
  return started === undefined ? undefined : { state, started };
}

function ownProcesses(): string {
  const boot = known(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = known(() => readlinkSync("/proc/self/ns/pid"));
  return [boot, namespace].filter((part) => part !== "").join(" ");
}

/** What a call gives; an empty text where there is no such thing, or this process may not know. */
function known(tell: () => string): string {
  try {
    return tell();
  } catch {
    return "";
  }
}
