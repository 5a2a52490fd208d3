import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { FakeTerminal } from "./fake-terminal.ts";

describe("a wrong command line", () => {
  it.each([
    [
      "an unknown command",
      ["generat"],
      "Unknown command 'generat'. Did you mean generate? See template-pdf --help.",
    ],
    [
      "an unknown option",
      ["generate", "invoice", "--vlaues", "a.json"],
      "Unknown option '--vlaues'. Did you mean --values? See template-pdf generate --help.",
    ],
    [
      "an unknown option, without what stands behind it",
      ["generate", "invoice", "--apikey=it's a 'SECRET'\n"],
      "Unknown option '--apikey'. See template-pdf generate --help.",
    ],
    [
      "an unknown short option, without what stands behind it",
      ["generate", "invoice", "-kSECRET"],
      "Unknown option '-k'. See template-pdf generate --help.",
    ],
    ["no uid", ["generate"], "Missing required argument 'uid'. See template-pdf generate --help."],
    [
      "a value in place of an option",
      ["generate", "invoice", "total=SECRET"],
      "Too many arguments for 'generate'. Expected 1 argument but got 2. See template-pdf generate --help.",
    ],
    [
      "an option without its value",
      ["generate", "invoice", "--values"],
      "--values takes a file; nothing stands behind it. See template-pdf generate --help.",
    ],
    [
      "an option of one letter without its value",
      ["generate", "invoice", "-o"],
      "-o takes a file; nothing stands behind it. See template-pdf generate --help.",
    ],
    [
      "an option of emulate without its value",
      ["emulate", "--host"],
      "--host takes an address; nothing stands behind it. See template-pdf emulate --help.",
    ],
    [
      "--values twice",
      ["generate", "invoice", "--values", "a.json", "--values=SECRET"],
      "--values may be given only once. See template-pdf generate --help.",
    ],
    [
      "-o twice, in both of its forms",
      ["generate", "invoice", "-oa.pdf", "--output", "b.pdf"],
      "-o may be given only once. See template-pdf generate --help.",
    ],
    [
      "an option of generate for emulate",
      ["emulate", "--values", "a.json"],
      "Unknown option '--values'. See template-pdf emulate --help.",
    ],
  ])("is refused in one line: %s", async (_title, argv, line) => {
    const terminal = new FakeTerminal();
    expect(await run(argv, terminal)).toBe(2);
    expect(terminal.stderr.text).toBe(`template-pdf: ${line}\n`);
    expect(terminal.printed).toBe("");
  });
});
