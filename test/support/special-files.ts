import { execFileSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, rmSync } from "node:fs";
import { onTestFinished } from "vitest";

/**
 * Creates a named pipe that nothing writes to. When the test has finished, every thread that waits for a writer continues:
 * otherwise a failing test would keep its process from exiting.
 */
export function makePipe(path: string): string {
  execFileSync("mkfifo", [path]);
  onTestFinished(() => {
    if (!existsSync(path)) return;
    const writer = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    rmSync(path);
    closeSync(writer);
  });
  return path;
}
