import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { beginning, pdfOf, Service } from "../support/service.ts";
import { endingOf, startCommand } from "./command.ts";
import { endlessInput, FakeTerminal } from "./fake-terminal.ts";

const pdf = pdfOf(500_000);

/** Waits until a folder holds so many files. */
async function holding(folder: string, count: number): Promise<string[]> {
  for (;;) {
    const files = await readdir(folder);
    if (files.length === count) return files;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("generate, stopped in the middle of a document,", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "by %s, ends without a word with exit code %i, and leaves no file behind",
    async (signal, code) => {
      const service = await Service.start(
        beginning(pdf.subarray(0, 300_000), { "content-length": "500000" }),
      );
      const cwd = temporaryFolder();
      const env = { TEMPLATE_PDF_API_KEY: "k", TEMPLATE_PDF_BASE_URL: service.baseUrl };
      const child = startCommand(["generate", "invoice"], { cwd, env });
      // Not the one that is made, and removed, before anything is sent.
      await service.request();
      expect(await holding(cwd, 1)).toEqual([expect.stringMatching(/^\..+\.template-pdf$/)]);
      child.kill(signal);
      const ending = await endingOf(child);
      expect(ending).toMatchObject({ code, stderr: "" });
      expect(ending.stdout).toHaveLength(0);
      expect(await readdir(cwd)).toEqual([]);
      await service.requests[0]?.closed;
    },
  );

  it("leaves the file that stood there before", async () => {
    const service = await Service.start(beginning(pdf.subarray(0, 300_000), { "content-length": "500000" }));
    const folder = temporaryFolder();
    await writeFile(join(folder, "invoice.pdf"), "an older one");
    const terminal = new FakeTerminal();
    terminal.env = { TEMPLATE_PDF_API_KEY: "k" };
    const path = join(folder, "invoice.pdf");
    const ended = run(["generate", "invoice", "--base-url", service.baseUrl, "-o", path], terminal);
    await service.request();
    await holding(folder, 2);
    terminal.emit("SIGINT");
    expect(await ended).toBe(130);
    expect(await readdir(folder)).toEqual(["invoice.pdf"]);
    expect(await readFile(path, "utf8")).toBe("an older one");
  });
});

describe("generate, stopped while it waits", () => {
  it("for an answer, gives the connection up", async () => {
    const service = await Service.start(() => {});
    const terminal = new FakeTerminal();
    terminal.env = { TEMPLATE_PDF_API_KEY: "k" };
    const ended = run(["generate", "invoice", "--base-url", service.baseUrl, "-o", "-"], terminal);
    const { closed } = await service.request();
    terminal.emit("SIGINT");
    expect(await ended).toBe(130);
    expect(terminal.stderr.text).toBe("");
    await closed;
  });

  it("for values on standard input, sends nothing", async () => {
    const service = await Service.start(() => {});
    const terminal = new FakeTerminal();
    terminal.env = { TEMPLATE_PDF_API_KEY: "k" };
    terminal.stdin = endlessInput(() => setImmediate(() => terminal.emit("SIGTERM")));
    const argv = ["generate", "invoice", "--base-url", service.baseUrl, "--values", "-", "-o", "-"];
    expect(await run(argv, terminal)).toBe(143);
    expect(terminal.stderr.text).toBe("");
    expect(service.requests).toEqual([]);
  });
});

describe("types", () => {
  it("writes nothing when it is stopped after everything was read", async () => {
    const folder = temporaryFolder();
    const [sample, output] = [join(folder, "a.ndjson"), join(folder, "t.ts")];
    await writeFile(sample, '{"a":"1"}\n{"a":[1]}\n');
    const terminal = new FakeTerminal();
    // The warning that the samples disagree, which is the last thing before the file is written.
    terminal.stderr.once("text", () => terminal.emit("SIGTERM"));
    expect(await run(["types", sample, "-o", output], terminal)).toBe(143);
    expect(terminal.stderr.text).toMatch(/ disagree /);
    expect(await readdir(folder)).toEqual(["a.ndjson"]);
  });
});

describe("Ctrl-C", () => {
  it("ends the process at once when it is pressed a second time", async () => {
    const service = await Service.start(() => {});
    const terminal = new FakeTerminal();
    terminal.env = { TEMPLATE_PDF_API_KEY: "k" };
    const ended = run(["generate", "invoice", "--base-url", service.baseUrl, "-o", "-"], terminal);
    await service.request();
    terminal.emit("SIGINT");
    expect(terminal.exits).toEqual([]);
    terminal.emit("SIGINT");
    expect(terminal.exits).toEqual([130]);
    await ended;
  });

  it("is nobody's any more when the command has ended", async () => {
    const terminal = new FakeTerminal();
    await run(["--version"], terminal);
    expect(terminal.listenerCount("SIGINT") + terminal.listenerCount("SIGTERM")).toBe(0);
  });
});
