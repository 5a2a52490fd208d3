import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { pdfOf, withLength } from "../support/service.ts";
import { ClosedPipe, FakeTerminal, SlowOutput } from "./fake-terminal.ts";
import { generateSetting } from "./run-in-process.ts";

const pdf = pdfOf(2_000_000);

const setUp = () => generateSetting(withLength(pdf));
const toOutput = ["generate", "invoice", "-o", "-"];

describe("a command whose standard output is closed", () => {
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

  it("exits silently with code 141 when it prints its help", async () => {
    const terminal = new FakeTerminal();
    terminal.stdout = new ClosedPipe();
    expect([await run(["--help"], terminal), terminal.stderr.text]).toEqual([141, ""]);
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

  it("on a full disk makes generate fail with the reason", async () => {
    const { terminal } = await setUp();
    terminal.stdout = new ClosedPipe("ENOSPC");
    expect(await run(toOutput, terminal)).toBe(1);
    const line = "template-pdf: Could not write to standard output: the disk is full.\n";
    expect(terminal.stderr.text).toBe(line);
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
