import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { FakeTerminal } from "./fake-terminal.ts";

describe("an invalid command line", () => {
  const generate = "See template-pdf generate --help.";
  const emulate = "See template-pdf emulate --help.";
  it.each([
    ["generat", "Unknown command 'generat'. Did you mean generate? See template-pdf --help."],
    ["generate invoice --vlaues a.json", `Unknown option '--vlaues'. Did you mean --values? ${generate}`],
    ["generate invoice --apikey='SECRET'\n", `Unknown option '--apikey'. ${generate}`],
    ["generate invoice -kSECRET", `Unknown option '-k'. ${generate}`],
    ["generate", `Missing required argument 'uid'. ${generate}`],
    [
      "generate invoice total=SECRET",
      `Too many arguments for 'generate'. Expected 1 argument but got 2. ${generate}`,
    ],
    ["generate invoice --values", `--values takes a file; the value is missing. ${generate}`],
    ["generate invoice -o", `-o takes a file; the value is missing. ${generate}`],
    ["emulate --host", `--host takes an address; the value is missing. ${emulate}`],
    ["generate invoice --values a.json --values=SECRET", `--values may be given only once. ${generate}`],
    ["generate invoice -oa.pdf --output b.pdf", `-o may be given only once. ${generate}`],
    ["emulate --values a.json", `Unknown option '--values'. ${emulate}`],
  ])("is refused in one line: %j", async (words, line) => {
    const terminal = new FakeTerminal();
    expect(await run(words.split(" "), terminal)).toBe(2);
    expect(terminal.stderr.text).toBe(`template-pdf: ${line}\n`);
    expect(terminal.printed).toBe("");
  });
});
