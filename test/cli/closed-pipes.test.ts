import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { hasPosixShell } from "../support/platform.ts";
import { pdfOf, Service, withLength } from "../support/service.ts";
import { runInShell, startCommand } from "./command.ts";
import { ClosedPipe, FakeTerminal, Unhurried } from "./fake-terminal.ts";

const pdf = pdfOf(8_000_000);

async function setUp() {
  const service = await Service.start(withLength(pdf));
  const env = { TEMPLATE_PDF_API_KEY: "k", TEMPLATE_PDF_BASE_URL: service.baseUrl };
  return { service, cwd: temporaryFolder(), env };
}

describe("a reader that has seen enough ends the command without a word", () => {
  it.runIf(hasPosixShell)("of a document, by head -c 10, with exit code 141", async () => {
    const { service, ...circumstances } = await setUp();
    const line = '{ "$@"; echo $? >&2; } | head -c 10';
    const { stdout, stderr } = await runInShell(line, ["generate", "invoice", "-o", "-"], circumstances);
    expect(stdout.toString()).toBe("%PDF-1.7\n ");
    expect(stderr).toBe("141\n");
    await service.requests[0]?.closed;
  });

  // As Unix, Windows, and sockets in place of pipes say it.
  it.each(["EPIPE", "EOF", "ECONNRESET"])("of the line that tells of a saved document: %s", async (code) => {
    const { service, cwd } = await setUp();
    const terminal = new FakeTerminal();
    terminal.stdout = new ClosedPipe(code);
    terminal.env = { TEMPLATE_PDF_API_KEY: "k" };
    const path = `${cwd}/invoice.pdf`;
    const argv = ["generate", "invoice", "--base-url", service.baseUrl, "-o", path];
    expect(await run(argv, terminal)).toBe(141);
    expect(terminal.stderr.text).toBe("");
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it.each([[["--help"]], [["--version"]], [["help", "generate"]]])(
    "of %j, with exit code 141",
    async (argv) => {
      const terminal = new FakeTerminal();
      terminal.stdout = new ClosedPipe();
      expect(await run(argv, terminal)).toBe(141);
      expect(terminal.stderr.text).toBe("");
    },
  );
});

describe("an output that cannot be written", () => {
  it("ends the command with its exit code where it is standard error", async () => {
    const { cwd } = await setUp();
    const child = startCommand(["generate", "invoice", "--nonsense"], { cwd });
    child.stderr.destroy();
    child.stdout.resume();
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(2);
  });

  it("is told where it is standard output, on a full disk, say", async () => {
    const { service } = await setUp();
    const terminal = new FakeTerminal();
    terminal.stdout = new ClosedPipe("ENOSPC");
    terminal.env = { TEMPLATE_PDF_API_KEY: "k" };
    const argv = ["generate", "invoice", "--base-url", service.baseUrl, "-o", "-"];
    expect(await run(argv, terminal)).toBe(1);
    expect(terminal.stderr.text).toBe(
      "template-pdf: Could not write to standard output: the disk is full.\n",
    );
  });
});

describe("standard output", () => {
  it("is written no faster than its reader takes it", async () => {
    const { service } = await setUp();
    const terminal = new FakeTerminal();
    const output = new Unhurried();
    terminal.stdout = output;
    terminal.env = { TEMPLATE_PDF_API_KEY: "k" };
    const argv = ["generate", "invoice", "--base-url", service.baseUrl, "-o", "-"];
    expect(await run(argv, terminal)).toBe(0);
    expect(output.bytes).toBe(pdf.length);
    expect(output.chunks).toBeGreaterThan(10);
    expect(output.pushed).toBe(0);
  });

  it("takes no document where it is a terminal, and nothing is sent", async () => {
    const { service } = await setUp();
    const terminal = new FakeTerminal();
    Object.assign(terminal.stdout, { isTTY: true });
    terminal.env = { TEMPLATE_PDF_API_KEY: "k" };
    const argv = ["generate", "invoice", "--base-url", service.baseUrl, "-o", "-"];
    expect(await run(argv, terminal)).toBe(2);
    expect(terminal.stderr.text).toBe(
      "template-pdf: A terminal cannot show a PDF. Send it on, as in -o - | lpr, or give -o a file name.\n",
    );
    expect(service.requests).toEqual([]);
  });
});
