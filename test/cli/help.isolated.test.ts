import { describe, expect, it, vi } from "vitest";
import manifest from "../../package.json";
import { run } from "../../src/cli/run.ts";
import { FakeTerminal } from "./fake-terminal.ts";

// The help and the version must work without loading the client, the emulator, the queue or the MCP server.
vi.mock("../../src/index.ts", () => {
  throw new Error("the client was loaded");
});
vi.mock("../../src/emulator/index.ts", () => {
  throw new Error("the emulator was loaded");
});
vi.mock("../../src/queue/index.ts", () => {
  throw new Error("the queue was loaded");
});
vi.mock("../../src/mcp/index.ts", () => {
  throw new Error("the MCP server was loaded");
});

async function runCli(...argv: string[]): Promise<{ code: number; printed: string; stderr: string }> {
  const terminal = new FakeTerminal();
  const code = await run(argv, terminal);
  return { code, printed: terminal.printed, stderr: terminal.stderr.text };
}

const commands = ["generate", "bulk", "work", "runs", "emulate", "types", "mcp"];

describe("the help text", () => {
  it("lists the commands and the exit codes", async () => {
    const { code, printed, stderr } = await runCli("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(printed).toMatch(/^Usage: template-pdf \[options\] \[command\]\n/);
    const all = (pattern: RegExp) => [...printed.matchAll(pattern)].map(([, name]) => name).join(" ");
    expect(all(/^ {2}([a-z]+) .* {2}\S/gm)).toBe(`${commands.join(" ")} help`);
    expect(all(/^ {2}(\d+) +\S/gm)).toBe("0 1 2 130 141");
  });

  // The complete texts are in docs/reports/command-line.md, which test/docs compares.
  it.each(commands)("shows the usage, examples and exit codes of %s", async (command) => {
    const { code, printed, stderr } = await runCli(command, "--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(printed).toMatch(new RegExp(`^Usage: template-pdf ${command} `));
    expect(printed).toMatch(/^Examples:\n {2}template-pdf [\s\S]*\nExit codes:\n {2}0 {4}\S/m);
  });

  it("is printed to standard error if no command is given", async () => {
    const { printed } = await runCli("help");
    expect(await runCli()).toEqual({ code: 2, printed: "", stderr: printed });
  });

  it("uses the full width of the terminal", async () => {
    const terminal = new FakeTerminal();
    Object.assign(terminal.stdout, { isTTY: true, columns: 200 });
    await run(["generate", "--help"], terminal);
    expect(terminal.printed).toMatch(/^Generates one PDF from a template and values, and .{20,}\.$/m);
  });
});

it("--version prints the version", async () => {
  expect(await runCli("--version")).toEqual({ code: 0, printed: `${manifest.version}\n`, stderr: "" });
});

it("--help and --version do not load the client, the emulator, the queue or the MCP server", async () => {
  // Their mocks throw when they are loaded, and every test above passed.
  const loaded = (what: string) => expect.objectContaining({ cause: new Error(`${what} was loaded`) });
  await expect(runCli("generate", "invoice")).rejects.toThrow(loaded("the client"));
  await expect(import("../../src/emulator/index.ts")).rejects.toThrow(loaded("the emulator"));
  await expect(import("../../src/queue/index.ts")).rejects.toThrow(loaded("the queue"));
  await expect(import("../../src/mcp/index.ts")).rejects.toThrow(loaded("the MCP server"));
});
