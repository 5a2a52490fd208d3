import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hasSignals } from "../support/platform.ts";

const shared = new URL("../../bench/shared/", import.meta.url).href;

/** Makes a folder with something in it, starts a child that never ends by itself, and tells of both. */
const program = `
  import { spawn } from "node:child_process";
  import { once } from "node:events";
  import { writeFileSync } from "node:fs";
  import { killAtEnd } from "${shared}at-end.mjs";
  import { makeTemporaryFolder } from "${shared}temporary-folder.mjs";
  const { path } = makeTemporaryFolder("test");
  writeFileSync(path + "/key.pem", "secret");
  // Deaf to everything but SIGKILL, as one that is busy.
  const deaf = "process.on('SIGTERM', () => {}); setTimeout(() => {}, 30000); console.log('here')";
  const child = killAtEnd(spawn(process.execPath, ["-e", deaf], { stdio: ["ignore", "pipe", "inherit"] }));
  await once(child.stdout, "data");
  process.stdin.once("data", () => {
    throw new Error("It went wrong.");
  });
  process.stdout.write(path);
`;

/** Its standard error stays open until both processes have ended. */
async function endedBy(end: (child: ReturnType<typeof spawn>) => void) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
  const closed = once(child, "close");
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [data] = await Promise.race([once(child.stdout, "data"), closed]);
  const folder = String(data);
  expect(existsSync(folder), stderr).toBe(true);
  end(child);
  const [code] = await closed;
  return { code, folder };
}

describe("what a program of the bench leaves behind", () => {
  it.runIf(hasSignals).each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("is neither a folder nor a process after %s", async (signal, expected) => {
    const { code, folder } = await endedBy((child) => child.kill(signal));
    expect(code).toBe(expected);
    expect(existsSync(folder)).toBe(false);
  });

  it("is neither after an error", async () => {
    const { code, folder } = await endedBy((child) => child.stdin?.write("now"));
    expect(code).toBe(1);
    expect(existsSync(folder)).toBe(false);
  });
});
