import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { type RunningProgram, startProgram } from "./start-program.ts";

/** What starts the hosts, the bundles and the example of a page: a start that fails says so, and nothing is left behind. */

const ready = /^ready on (\d+)$/m;
const serve = `require("node:http").createServer((_, response) => response.end("here"))
  .listen(0, "127.0.0.1", function () { console.log("ready on " + this.address().port); });`;

function makeFolder(): string {
  const folder = makeTemporaryFolder("start");
  onTestFinished(() => folder.remove());
  return folder.path;
}

async function start(code: string, cwd = makeFolder()): Promise<RunningProgram> {
  const running = await startProgram(process.execPath, ["-e", code], { cwd, ready });
  onTestFinished(() => running.stop());
  return running;
}

const answerOf = ({ origin }: Pick<RunningProgram, "origin">) =>
  fetch(origin).then(
    (response) => response.text(),
    () => "nobody listens",
  );

describe("a program that serves", () => {
  it("is called at the port that it prints, and nobody listens there once it is stopped", async () => {
    const running = await start(serve);
    expect(await answerOf(running)).toBe("here");
    await running.stop();
    expect(await answerOf(running)).toBe("nobody listens");
  });

  it("may remove what it has written before it ends", async () => {
    const folder = makeFolder();
    const code = `${serve} require("node:fs").writeFileSync("left-behind", "");
      process.once("SIGTERM", () => { require("node:fs").rmSync("left-behind"); process.exit(); });`;
    const running = await start(code, folder);
    expect(existsSync(join(folder, "left-behind"))).toBe(true);
    await running.stop();
    expect(existsSync(join(folder, "left-behind"))).toBe(false);
  });

  it("ends although it does not want to, and so do those that it has started", async () => {
    const child = `process.on("SIGTERM", () => {}); ${serve}`;
    const code = `process.on("SIGTERM", () => {});
      require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" });`;
    const running = await start(code);
    expect(await answerOf(running)).toBe("here");
    await running.stop();
    expect(await answerOf(running)).toBe("nobody listens");
  });

  it.each([
    ["exits", `console.log("the port is taken"); process.exitCode = 3;`, "ended with 3 before"],
    ["dies by a signal", `console.log("the port is taken"); process.abort();`, "ended with SIGABRT before"],
  ])("that %s before it is ready says so, with what it printed", async (_, code, says) => {
    const starting = start(code);
    await expect(starting).rejects.toThrow(says);
    await expect(starting).rejects.toThrow("the port is taken");
  });

  it("that does not exist says so", async () => {
    const starting = startProgram("no-such-program", [], { cwd: makeFolder(), ready });
    await expect(starting).rejects.toThrow(/^no-such-program could not be started: .*ENOENT/);
  });

  it("that never becomes ready is ended", async () => {
    const cwd = makeFolder();
    const code = `console.log(process.pid); setInterval(() => {}, 1000);`;
    const options = { cwd, ready, startsWithinMs: 1_000 };
    const refused: Error = await startProgram(process.execPath, ["-e", code], options).then(
      () => new Error("It was ready."),
      (error) => error,
    );
    expect(refused.message).toContain("was not ready within 1 s");
    const pid = Number(/\n(\d+)\n$/.exec(refused.message)?.[1]);
    expect(pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

describe("a test run that is interrupted", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("by %s leaves no program and no folder", async (signal) => {
    const folder = makeFolder();
    const main = join(folder, "main.mjs");
    const told = join(folder, "told.json");
    await build({
      stdin: {
        contents: `
          import { writeFileSync } from "node:fs";
          import { makeTemporaryFolder } from "../support/temporary-folder.ts";
          import { startProgram } from "./start-program.ts";
          const { path } = makeTemporaryFolder("interrupted");
          const options = { cwd: path, ready: ${ready} };
          const { origin } = await startProgram(process.execPath, ["-e", ${JSON.stringify(serve)}], options);
          writeFileSync(${JSON.stringify(told)}, JSON.stringify({ path, origin, pid: process.pid }));
          console.log("ready on 1");
          setInterval(() => {}, 1000);`,
        resolveDir: fileURLToPath(new URL(".", import.meta.url)),
      },
      outfile: main,
      bundle: true,
      format: "esm",
      platform: "node",
    });
    const running = await startProgram(process.execPath, [main], { cwd: folder, ready });
    onTestFinished(() => running.stop());
    const { path, origin, pid } = JSON.parse(readFileSync(told, "utf8"));
    expect([existsSync(path), await answerOf({ origin })]).toEqual([true, "here"]);
    process.kill(pid, signal);
    await eventually(async () => (await answerOf({ origin })) === "nobody listens");
    await eventually(() => !existsSync(path));
  });
});
