import { describe, expect, it, vi } from "vitest";
import manifest from "../../package.json";
import { run } from "../../src/cli/run.ts";
import { FakeTerminal } from "./fake-terminal.ts";

// The help and the version must work without loading the client, the emulator or the queue.
vi.mock("../../src/index.ts", () => {
  throw new Error("the client was loaded");
});
vi.mock("../../src/emulator/index.ts", () => {
  throw new Error("the emulator was loaded");
});
vi.mock("../../src/queue/index.ts", () => {
  throw new Error("the queue was loaded");
});

async function runCli(...argv: string[]): Promise<{ code: number; printed: string; stderr: string }> {
  const terminal = new FakeTerminal();
  const code = await run(argv, terminal);
  return { code, printed: terminal.printed, stderr: terminal.stderr.text };
}

describe("the help", () => {
  it("lists the commands and the exit codes", async () => {
    const { code, printed, stderr } = await runCli("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(printed).toMatchInlineSnapshot(`
      "Usage: template-pdf [options] [command]

      Generates PDFs from the templates of the Template PDF Generation Service.

      Options:
        -V, --version                 print the version
        --debug                       print all details of an error
        -h, --help                    print this help

      Commands:
        generate [options] <uid>      Generates one PDF from a template and values,
                                      and saves it completely or not at all.
        bulk [options] <uid> <data>   Generates a PDF from each row of a file, and
                                      continues an interrupted run.
        work [options]                Runs a worker that generates the documents of a
                                      queue.
        runs [options]                Shows, retries or removes the runs of a queue.
        emulate [options] [folder]    Runs the service on this machine, and renders
                                      real PDFs from template files with pdfmake.
        types [options] <samples...>  Writes TypeScript types for templates, from
                                      sample values or schemas.
        help [command]                print the help of a command

      Exit codes:
        0    done
        1    failed: the service, the network, the disk or a timeout
        2    the command line or its input is wrong; nothing was sent
        130  stopped by Ctrl-C (143: by SIGTERM); no incomplete file is left
        141  the output was closed
      "
    `);
  });

  const ofService = "--base-url --timeout --no-retry --allow-insecure-http";
  it.each([
    ["generate", `--values --set --output --open ${ofService}`, "0 1 2 130 141"],
    [
      "bulk",
      "--out --schema --format --encoding --delimiter --concurrency --per-second --limit --stop-after --give-up-after --dry-run --skip-invalid " +
        `--journal --fresh --report --queue --run --name ${ofService}`,
      "0 1 2 3 130 141",
    ],
    [
      "work",
      `--out --queue --name --concurrency --per-second --give-up-after ${ofService}`,
      "0 1 2 3 130 141",
    ],
    ["runs", "--queue --name --once --failures --retry --remove", "0 1 2 130 141"],
    [
      "emulate",
      "--port --host --allow-host --key --images --fonts --fault --latency --no-ui --open",
      "0 1 2 130 141",
    ],
    ["types", "--output --zod --check --force", "0 1 2 130 141"],
  ])("of %s lists each option and exit code with a description", async (command, options, codes) => {
    const { code, printed, stderr } = await runCli(command, "--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const all = (pattern: RegExp) => [...printed.matchAll(pattern)].map(([, found]) => found).join(" ");
    expect(all(/^ {2}(?:-\w, )?(--[a-z-]+).* {2}\S/gm)).toBe(`${options} --debug --help`);
    expect(all(/^ {2}(\d+) +\S/gm)).toBe(codes);
    expect(printed).toMatch(/^Examples:\n {2}template-pdf /m);
  });

  it("is the same with --help and help", async () => {
    const { printed } = await runCli("generate", "--help");
    expect(await runCli("help", "generate")).toEqual({ code: 0, printed, stderr: "" });
  });

  it("is printed to standard error with exit code 2 if there is no command", async () => {
    const { printed } = await runCli("--help");
    expect(await runCli()).toEqual({ code: 2, printed: "", stderr: printed });
  });

  it("uses the full width of the terminal", async () => {
    const terminal = new FakeTerminal();
    Object.assign(terminal.stdout, { isTTY: true, columns: 200 });
    await run(["generate", "--help"], terminal);
    expect(terminal.printed).toContain(
      "Generates one PDF from a template and values, and saves it completely or not at all.\n",
    );
  });
});

it("the version is printed with --version", async () => {
  expect(await runCli("--version")).toEqual({ code: 0, printed: `${manifest.version}\n`, stderr: "" });
});

it("the help and the version do not load the client, the emulator or the queue", async () => {
  // Their mocks throw when they are loaded, and every test above passed.
  await expect(runCli("generate", "invoice")).rejects.toThrow();
  await expect(runCli("emulate")).rejects.toThrow();
  await expect(runCli("runs")).rejects.toThrow();
});
