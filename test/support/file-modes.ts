import { statSync } from "node:fs";
import { onTestFinished } from "vitest";

/** Returns the permissions of a file in octal. */
export function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

/** Sets the umask of this process until the test has finished. */
export function setUmask(umask: number): void {
  const before = process.umask(umask);
  onTestFinished(() => void process.umask(before));
}
