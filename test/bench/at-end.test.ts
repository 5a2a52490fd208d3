import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hasSignals } from "../support/platform.ts";

const module = new URL("../../bench/shared/at-end.mjs", import.meta.url).href;

/** Makes a folder with a file in it, starts a child that never ends by itself, and prints the folder. */
const program = `
  import { spawn } from "node:child_process";
  import { once } from "node:events";
  import { writeFileSync } from "node:fs";
  import { killAtEnd, makeTemporaryFolder } from "${module}";
  const path = makeTemporaryFolder("test");
  writeFileSync(path + "/key.pem", "secret");
  // It ignores every signal but SIGKILL, as a busy process does.
  const deaf = "process.on('SIGTERM', () => {}); setTimeout(() => {}, 30000); console.log('here')";
  const child = killAtEnd(spawn(process.execPath, ["-e", deaf], { stdio: ["ignore", "pipe", "inherit"] }));
  await once(child.stdout, "data");
  process.stdin.once("data", () => {
    throw new Error("It failed.");
  });
  process.stdout.write(path);
`;

/** Its standard error stays open until both processes have ended. */
async function endedBy(end: (child: ReturnType<typeof spawn>) => void) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
  const closed = once(child, "close");
  const [data] = await Promise.race([once(child.stdout, "data"), closed]);
  const folder = String(data);
  expect(existsSync(folder)).toBe(true);
  end(child);
  const [code] = await closed;
  return { code, isThere: existsSync(folder) };
}

describe("A benchmark leaves neither a folder nor a process behind", () => {
  it.runIf(hasSignals).each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("after %s", async (signal, code) => {
    expect(await endedBy((child) => child.kill(signal))).toEqual({ code, isThere: false });
  });

  it("after an error", async () => {
    expect(await endedBy((child) => child.stdin?.write("now"))).toEqual({ code: 1, isThere: false });
  });
});
