import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openerOf } from "../../src/cli/open-file.ts";
import { run } from "../../src/cli/run.ts";
import { eventually } from "../support/eventually.ts";
import { beginning, pdfOf, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { closedPipe, FakeTerminal } from "./fake-terminal.ts";
import { generateSetting } from "./run-in-process.ts";
import { folderOf } from "./types-command.ts";

const pdf = pdfOf(2_000_000);
const toOutput = ["generate", "invoice", "-o", "-"];

describe("the generate command", () => {
  // The error codes of Unix, of Windows, and of sockets that replace pipes.
  it.each(["EPIPE", "EOF", "ECONNRESET"])("exits silently if standard output is closed: %s", async (code) => {
    const { cwd, terminal } = await generateSetting(withLength(pdf));
    terminal.stdout = closedPipe(code);
    const path = `${cwd}/invoice.pdf`;
    expect(await run(["generate", "invoice", "-o", path], terminal)).toBe(141);
    expect(terminal.stderr.text).toBe("");
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("writes to standard output only as fast as the reader accepts data", async () => {
    const { terminal } = await generateSetting(withLength(pdf));
    const sizes: number[] = [];
    let waitingBytes = 0;
    const output = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        sizes.push(chunk.length);
        waitingBytes += output.writableLength - chunk.length;
        setImmediate(done);
      },
    });
    terminal.stdout = output;
    expect(await run(toOutput, terminal)).toBe(0);
    expect({ writtenBytes: sizes.reduce((sum, size) => sum + size), waitingBytes }).toEqual({
      writtenBytes: pdf.length,
      waitingBytes: 0,
    });
    expect(sizes.length).toBeGreaterThan(10);
  });

  it("exits with an error if standard output is a file on a full disk", async () => {
    const { terminal } = await generateSetting();
    terminal.stdout = closedPipe("ENOSPC");
    expect(await run(toOutput, terminal)).toBe(1);
    const line = "template-pdf: Could not write to standard output: the disk is full.\n";
    expect(terminal.stderr.text).toBe(line);
  });

  it("does not send a request if the document would be written to a terminal", async () => {
    const { service, terminal } = await generateSetting();
    Object.assign(terminal.stdout, { isTTY: true });
    expect(await run(toOutput, terminal)).toBe(2);
    expect(terminal.stderr.text).toMatch(/^template-pdf: A terminal cannot show a PDF\. .*\n$/);
    expect(service.requests).toEqual([]);
  });
});

describe("stopping a command", () => {
  it("leaves the existing file unchanged if `generate` is receiving a document", async () => {
    const part = beginning(pdf.subarray(0, 300_000), { "content-length": String(pdf.length) });
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

  it("closes the connection of a pending request", async () => {
    const { service, terminal } = await generateSetting(() => {});
    const ended = run(toOutput, terminal);
    const { closed } = await service.request();
    for (const exits of [[], [130]]) {
      terminal.emit("SIGINT");
      expect(terminal.exits).toEqual(exits);
    }
    expect({ code: await ended, stderr: terminal.stderr.text }).toEqual({ code: 130, stderr: "" });
    expect(terminal.listenerCount("SIGINT") + terminal.listenerCount("SIGTERM")).toBe(0);
    await closed;
  });

  it("prevents the request if `generate` is still reading values from standard input", async () => {
    const { service, terminal } = await generateSetting(() => {});
    terminal.stdin = new Readable({ read: () => void setImmediate(() => terminal.emit("SIGTERM")) });
    expect(await run([...toOutput, "--values", "-"], terminal)).toBe(143);
    expect(terminal.stderr.text).toBe("");
    expect(service.requests).toEqual([]);
  });

  it("prevents `types` from writing its file even after it has read all samples", async () => {
    const folder = folderOf({ "a.ndjson": '{"a":"1"}\n{"a":[1]}\n' });
    const terminal = new FakeTerminal();
    // The first text is the warning that the samples disagree, right before the file is written.
    terminal.stderr.once("text", () => terminal.emit("SIGTERM"));
    expect(await run(["types", join(folder, "a.ndjson"), "-o", join(folder, "t.ts")], terminal)).toBe(143);
    expect(terminal.stderr.text).toMatch(/ disagree /);
    expect(await readdir(folder)).toEqual(["a.ndjson"]);
  });
});

describe("the progress line of the generate command", () => {
  const wipe = "\r\u001b[K";

  async function progressSetting() {
    const { service, terminal } = await generateSetting(() => {});
    Object.assign(terminal.env, { TERM: "xterm" });
    terminal.stderr.isTTY = true;
    // Each wipe clears the line.
    return { service, terminal, lastLine: () => terminal.stderr.text.split(wipe).at(-1) };
  }

  it("shows the elapsed time and the number of received bytes until the result is printed", async () => {
    const { service, terminal, lastLine } = await progressSetting();
    const ended = run(["generate", "invoice", "-o", join(temporaryFolder(), "a.pdf")], terminal);
    const { response } = await service.request();
    await terminal.stderr.shows("invoice: waiting for the service, 0 s");
    response.writeHead(200, { "content-length": 2_000_000 });
    response.write(pdf.subarray(0, 20_000));
    await terminal.stderr.shows("invoice: 20.0 kB of 2.0 MB, 0 s");
    response.end(pdf.subarray(20_000));
    expect({ code: await ended, lastLine: lastLine() }).toEqual({ code: 0, lastLine: "" });
    expect(terminal.stderr.text).not.toContain("\n");
    expect(terminal.printed).toMatch(/a\.pdf: 2\.0 MB\n$/);
  });

  it("shows a retry until the error is printed", async () => {
    const { service, terminal, lastLine } = await progressSetting();
    const ended = run(toOutput, terminal);
    (await service.request()).response.writeHead(503, { "retry-after": "0.2" }).end();
    await terminal.stderr.shows("invoice: retrying");
    (await service.request(1)).response.writeHead(503, { "retry-after": "3600" }).end();
    expect(await ended).toBe(1);
    expect(lastLine()).toMatch(/^template-pdf: Got 503 from .*\n$/);
  });

  it("fits within the terminal's width, and escapes control characters", async () => {
    const { terminal } = await progressSetting();
    terminal.stderr.columns = 40;
    expect(await run(["generate", "\u009b31m\u202einvoice ".repeat(9), "-o", "-"], terminal)).toBe(2);
    const lines = terminal.stderr.text.split(wipe).filter((line) => !line.startsWith("template-pdf:"));
    expect(lines.join()).toContain("\\u009b31m\\u202einvoice");
    for (const line of lines) expect([...line].length).toBeLessThan(40);
    expect(terminal.stderr.text).not.toMatch(/[\u009b\u202e]/);
  });

  it("is not shown if standard error is not a terminal", async () => {
    const { service, terminal } = await progressSetting();
    terminal.stderr.isTTY = false;
    const ended = run(toOutput, terminal);
    (await service.request()).response.writeHead(200).end(pdf);
    expect({ code: await ended, stderr: terminal.stderr.text }).toEqual({ code: 0, stderr: "" });
  });
});

describe("`generate --open`", () => {
  /** Generates a document with `--open`, with the folder of the openers as the `PATH`. */
  async function generateAndOpen(openers: string, platform = "linux") {
    const { cwd, terminal } = await generateSetting();
    Object.assign(terminal.env, { PATH: openers });
    terminal.platform = platform;
    const path = join(cwd, "it's 100% & more.pdf");
    return { path, code: await run(["generate", "invoice", "--open", "-o", path], terminal), terminal };
  }

  it.each([
    ["linux", "xdg-open"],
    ["darwin", "open"],
  ])("opens the saved file on %s without waiting for the program to exit", async (platform, name) => {
    const openers = temporaryFolder();
    const opened = join(openers, "opened");
    // It ends when the folder is removed.
    const viewer = `#!/bin/sh\ncd '${openers}' && printf %s "$*" > part && mv part opened\nwhile [ -e '${opened}' ]; do sleep 0.1; done\n`;
    await writeFile(join(openers, name), viewer, { mode: 0o755 });
    const { path, code, terminal } = await generateAndOpen(`${openers}:/usr/bin:/bin`, platform);
    expect({ code, stderr: terminal.stderr.text }).toEqual({ code: 0, stderr: "" });
    await eventually(() => existsSync(opened));
    expect(await readFile(opened, "utf8")).toBe(path);
  });

  it("exits with code 1 but keeps the document if no program can open it", async () => {
    const { path, code, terminal } = await generateAndOpen(temporaryFolder());
    expect({ code, printed: terminal.printed, isSaved: existsSync(path) }).toEqual({
      code: 1,
      printed: `${path}: 36.8 kB\n`,
      isSaved: true,
    });
    const problem = `template-pdf: Could not open ${path} with xdg-open: the program was not found.`;
    expect(terminal.stderr.text).toBe(`${problem} The document is saved. Open it yourself.\n`);
  });

  it("passes the path to the Windows shell in an environment variable", () => {
    const path = String.raw`C:\Users\me\100% & %PATH%.pdf`;
    const [command, args, options] = openerOf("win32", path, { PATH: "p" });
    expect([command, ...args].join(" ")).toBe('cmd /d /v:off /s /c "start "" "%TEMPLATE_PDF_OPEN%""');
    const env = { PATH: "p", TEMPLATE_PDF_OPEN: path };
    expect(options).toMatchObject({ windowsVerbatimArguments: true, detached: true, env });
  });
});
