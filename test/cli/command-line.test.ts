import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { FakeTerminal } from "./fake-terminal.ts";

describe("a wrong command line", () => {
  it.each([
    [["generat"], "Unknown command 'generat'. Did you mean generate? See template-pdf --help."],
    [
      ["generate", "invoice", "--vlaues", "a.json"],
      "Unknown option '--vlaues'. Did you mean --values? See template-pdf generate --help.",
    ],
    [
      ["generate", "invoice", "--apikey=it's a 'SECRET'\n"],
      "Unknown option '--apikey'. See template-pdf generate --help.",
    ],
    [["generate", "invoice", "-kSECRET"], "Unknown option '-k'. See template-pdf generate --help."],
    [["generate"], "Missing required argument 'uid'. See template-pdf generate --help."],
    [
      ["generate", "invoice", "total=SECRET"],
      "Too many arguments for 'generate'. Expected 1 argument but got 2. See template-pdf generate --help.",
    ],
    [
      ["generate", "invoice", "--values"],
      "--values takes a file; nothing stands behind it. See template-pdf generate --help.",
    ],
    [
      ["generate", "invoice", "-o"],
      "-o takes a file; nothing stands behind it. See template-pdf generate --help.",
    ],
    [
      ["emulate", "--host"],
      "--host takes an address; nothing stands behind it. See template-pdf emulate --help.",
    ],
    [
      ["generate", "invoice", "--values", "a.json", "--values=SECRET"],
      "--values may be given only once. See template-pdf generate --help.",
    ],
    [
      ["generate", "invoice", "-oa.pdf", "--output", "b.pdf"],
      "-o may be given only once. See template-pdf generate --help.",
    ],
    [["emulate", "--values", "a.json"], "Unknown option '--values'. See template-pdf emulate --help."],
  ])("is refused in one line: %j", async (argv, line) => {
    const terminal = new FakeTerminal();
    expect(await run(argv, terminal)).toBe(2);
    expect(terminal.stderr.text).toBe(`template-pdf: ${line}\n`);
    expect(terminal.printed).toBe("");
  });
});
