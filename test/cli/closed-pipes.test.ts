import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { hasPosixShell } from "../support/platform.ts";
import { pdfOf, withLength } from "../support/service.ts";
import { runInShell, startCommand } from "./command.ts";
import { ClosedPipe, FakeTerminal, SlowOutput } from "./fake-terminal.ts";
import { generateSetting } from "./generate-setting.ts";

const pdf = pdfOf(8_000_000);

const setUp = () => generateSetting(withLength(pdf));
const toOutput = ["generate", "invoice", "-o", "-"];

describe("a command whose standard output is closed", () => {
  it.runIf(hasPosixShell)("exits silently with 141 if it writes the document to head -c 10", async () => {
    const { service, cwd, env } = await setUp();
    const line = '{ "$@"; echo $? >&2; } | head -c 10';
    const { stdout, stderr } = await runInShell(line, toOutput, { cwd, env });
    expect(stdout.toString()).toBe("%PDF-1.7\n ");
    expect(stderr).toBe("141\n");
    await service.requests[0]?.closed;
  });

  // The error codes of Unix, of Windows, and of sockets that replace pipes.
  it.each(["EPIPE", "EOF", "ECONNRESET"])(
    "exits silently with 141 after it has saved a file: %s",
    async (code) => {
      const { cwd, terminal } = await setUp();
      terminal.stdout = new ClosedPipe(code);
      const path = `${cwd}/invoice.pdf`;
      expect(await run(["generate", "invoice", "-o", path], terminal)).toBe(141);
      expect(terminal.stderr.text).toBe("");
      expect(pdf.equals(await readFile(path))).toBe(true);
    },
  );

  it.each(["--help", "--version"])("exits silently with code 141 when it prints %s", async (flag) => {
    const terminal = new FakeTerminal();
    terminal.stdout = new ClosedPipe();
    expect([await run([flag], terminal), terminal.stderr.text]).toEqual([141, ""]);
  });
});

describe("an output that cannot be written", () => {
  it("does not change the exit code if it is standard error", async () => {
    const { cwd } = await setUp();
    const child = startCommand(["generate", "invoice", "--nonsense"], { cwd });
    child.stderr.destroy();
    child.stdout.resume();
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(2);
  });

  it("is reported if standard output is on a full disk", async () => {
    const { terminal } = await setUp();
    terminal.stdout = new ClosedPipe("ENOSPC");
    expect(await run(toOutput, terminal)).toBe(1);
    expect(terminal.stderr.text).toBe(
      "template-pdf: Could not write to standard output: the disk is full.\n",
    );
  });
});

describe("standard output", () => {
  it("is written only as fast as its reader accepts it", async () => {
    const { terminal } = await setUp();
    const output = new SlowOutput();
    terminal.stdout = output;
    expect(await run(toOutput, terminal)).toBe(0);
    expect(output).toMatchObject({ bytes: pdf.length, pushed: 0 });
    expect(output.chunks).toBeGreaterThan(10);
  });

  it("cannot be a terminal if a document is written to it, and no request is sent", async () => {
    const { service, terminal } = await setUp();
    Object.assign(terminal.stdout, { isTTY: true });
    expect(await run(toOutput, terminal)).toBe(2);
    expect(terminal.stderr.text).toBe(
      "template-pdf: A terminal cannot show a PDF. Pipe it to a program, for example -o - | lpr, or give -o a file name.\n",
    );
    expect(service.requests).toEqual([]);
  });
});
