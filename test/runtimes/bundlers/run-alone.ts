import { execFile } from "node:child_process";
import { environmentOfUsers } from "../../support/environment-of-users.ts";

/** Runs a program of Node to its end, without what this test run has put into the environment. */
export function runAlone(
  cwd: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ printed: string; exitCode: number }> {
  return new Promise((resolve) => {
    const env = environmentOfUsers(settings);
    execFile(process.execPath, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const exitCode = typeof error?.code === "number" ? error.code : error ? 1 : 0;
      resolve({ printed: `${stdout}${stderr}`, exitCode });
    });
  });
}
