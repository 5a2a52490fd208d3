import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { eventually } from "../support/eventually.ts";
import { beginning, pdfOf } from "../support/service.ts";
import { endlessInput, FakeTerminal } from "./fake-terminal.ts";
import { generateSetting } from "./run-in-process.ts";
import { folderOf } from "./types-command.ts";

const toOutput = ["generate", "invoice", "-o", "-"];

describe("a stopped command", () => {
  it("keeps the existing file if generate is receiving a document", async () => {
    const part = beginning(pdfOf(500_000).subarray(0, 300_000), { "content-length": "500000" });
    const { service, cwd: folder, terminal } = await generateSetting(part);
    const path = join(folder, "invoice.pdf");
    await writeFile(path, "an older one");
    const ended = run(["generate", "invoice", "-o", path], terminal);
    await service.request();
    await eventually(async () => (await readdir(folder)).length === 2);
    terminal.emit("SIGINT");
    expect(await ended).toBe(130);
    expect(await readdir(folder)).toEqual(["invoice.pdf"]);
    expect(await readFile(path, "utf8")).toBe("an older one");
  });

  it("closes the connection if generate waits for a response, and ends at once at the second Ctrl-C", async () => {
    const { service, terminal } = await generateSetting(() => {});
    const ended = run(toOutput, terminal);
    const { closed } = await service.request();
    terminal.emit("SIGINT");
    expect(terminal.exits).toEqual([]);
    terminal.emit("SIGINT");
    expect(terminal.exits).toEqual([130]);
    expect([await ended, terminal.stderr.text]).toEqual([130, ""]);
    await closed;
  });

  it("does not send a request if generate waits for values on standard input", async () => {
    const { service, terminal } = await generateSetting(() => {});
    terminal.stdin = endlessInput(() => setImmediate(() => terminal.emit("SIGTERM")));
    expect(await run([...toOutput, "--values", "-"], terminal)).toBe(143);
    expect(terminal.stderr.text).toBe("");
    expect(service.requests).toEqual([]);
  });

  it("does not write a file if types has read all samples", async () => {
    const folder = folderOf({ "a.ndjson": '{"a":"1"}\n{"a":[1]}\n' });
    const terminal = new FakeTerminal();
    // The first text is the warning that the samples disagree, right before the file is written.
    terminal.stderr.once("text", () => terminal.emit("SIGTERM"));
    expect(await run(["types", join(folder, "a.ndjson"), "-o", join(folder, "t.ts")], terminal)).toBe(143);
    expect(terminal.stderr.text).toMatch(/ disagree /);
    expect(await readdir(folder)).toEqual(["a.ndjson"]);
  });
});

it("a command does not listen to signals after it has ended", async () => {
  const terminal = new FakeTerminal();
  await run(["--version"], terminal);
  expect(terminal.listenerCount("SIGINT") + terminal.listenerCount("SIGTERM")).toBe(0);
});
