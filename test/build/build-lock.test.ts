import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { waitForOtherBuild } from "../../scripts/build-lock.mjs";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const module = new URL("../../scripts/build-lock.mjs", import.meta.url).href;

/** Prints a line when it has the lock, and ends when its standard input ends. */
const builder = `
  const { waitForOtherBuild } = await import(${JSON.stringify(module)});
  await waitForOtherBuild(process.argv[1]);
  console.log("building");
  process.stdin.resume().on("end", () => process.exit());
`;

let lock: string;
beforeEach(() => {
  const { path, remove } = makeTemporaryFolder("build-lock");
  onTestFinished(remove);
  lock = join(path, "cache", "lock");
});

/** Starts a process and waits until it builds. */
async function startBuilder() {
  const child = spawn(process.execPath, ["--input-type=module", "-e", builder, lock]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

describe("waitForOtherBuild()", () => {
  it("does not wait if no other process builds", async () => {
    expect(await waitForOtherBuild(lock)).toBe(false);
  });

  it("waits until the process that builds has ended", async () => {
    const other = await startBuilder();
    const waiting = waitForOtherBuild(lock);
    other.stdin.end();
    expect(await waiting).toBe(true);
  });

  it("does not wait for a process that was killed while it built", async () => {
    const killed = await startBuilder();
    killed.kill("SIGKILL");
    await once(killed, "close");
    expect(await waitForOtherBuild(lock)).toBe(true);
  });

  it("does not wait for a lock whose owner does not exist", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    await waitForOtherBuild(join(lock, "..", "other"));
    writeFileSync(lock, String(pid));
    expect(await waitForOtherBuild(lock)).toBe(true);
  });
});
