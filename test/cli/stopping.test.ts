import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { eventually } from "../support/eventually.ts";
import { beginning, pdfOf } from "../support/service.ts";
import { endingOf, startCommand } from "./command.ts";
import { endlessInput, FakeTerminal } from "./fake-terminal.ts";
import { generateSetting } from "./generate-setting.ts";

const incomplete = beginning(pdfOf(500_000).subarray(0, 300_000), { "content-length": "500000" });
const toOutput = ["generate", "invoice", "-o", "-"];

/** Waits until a folder contains `count` files. */
const waitForFiles = (folder: string, count: number) =>
  eventually(async () => {
    const files = await readdir(folder);
    return files.length === count ? files : undefined;
  });

describe("generate that is stopped while it receives a document", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("after %s exits silently with code %i, and leaves no file", async (signal, code) => {
    const { service, cwd, env } = await generateSetting(incomplete);
    const child = startCommand(["generate", "invoice"], { cwd, env });
    // Before the request, the command creates another file and removes it.
    await service.request();
    expect(await waitForFiles(cwd, 1)).toEqual([expect.stringMatching(/^\..+\.template-pdf$/)]);
    child.kill(signal);
    const ending = await endingOf(child);
    expect(ending).toMatchObject({ code, stderr: "" });
    expect(ending.stdout).toHaveLength(0);
    expect(await readdir(cwd)).toEqual([]);
    await service.requests[0]?.closed;
  });

  it("keeps the existing file", async () => {
    const { service, cwd: folder, terminal } = await generateSetting(incomplete);
    const path = join(folder, "invoice.pdf");
    await writeFile(path, "an older one");
    const ended = run(["generate", "invoice", "-o", path], terminal);
    await service.request();
    await waitForFiles(folder, 2);
    terminal.emit("SIGINT");
    expect(await ended).toBe(130);
    expect(await readdir(folder)).toEqual(["invoice.pdf"]);
    expect(await readFile(path, "utf8")).toBe("an older one");
  });
});

describe("generate that is stopped while it waits", () => {
  it("for a response closes the connection", async () => {
    const { service, terminal } = await generateSetting(() => {});
    const ended = run(toOutput, terminal);
    const { closed } = await service.request();
    terminal.emit("SIGINT");
    expect(await ended).toBe(130);
    expect(terminal.stderr.text).toBe("");
    await closed;
  });

  it("for values on standard input does not send a request", async () => {
    const { service, terminal } = await generateSetting(() => {});
    terminal.stdin = endlessInput(() => setImmediate(() => terminal.emit("SIGTERM")));
    expect(await run([...toOutput, "--values", "-"], terminal)).toBe(143);
    expect(terminal.stderr.text).toBe("");
    expect(service.requests).toEqual([]);
  });
});

describe("types", () => {
  it("does not write a file if it is stopped after all samples were read", async () => {
    const folder = temporaryFolder();
    const [sample, output] = [join(folder, "a.ndjson"), join(folder, "t.ts")];
    await writeFile(sample, '{"a":"1"}\n{"a":[1]}\n');
    const terminal = new FakeTerminal();
    // The first text is the warning that the samples disagree, right before the file is written.
    terminal.stderr.once("text", () => terminal.emit("SIGTERM"));
    expect(await run(["types", sample, "-o", output], terminal)).toBe(143);
    expect(terminal.stderr.text).toMatch(/ disagree /);
    expect(await readdir(folder)).toEqual(["a.ndjson"]);
  });
});

describe("Ctrl-C", () => {
  it("ends the process immediately on the second press", async () => {
    const { service, terminal } = await generateSetting(() => {});
    const ended = run(toOutput, terminal);
    await service.request();
    terminal.emit("SIGINT");
    expect(terminal.exits).toEqual([]);
    terminal.emit("SIGINT");
    expect(terminal.exits).toEqual([130]);
    await ended;
  });

  it("has no listeners after the command has ended", async () => {
    const terminal = new FakeTerminal();
    await run(["--version"], terminal);
    expect(terminal.listenerCount("SIGINT") + terminal.listenerCount("SIGTERM")).toBe(0);
  });
});
