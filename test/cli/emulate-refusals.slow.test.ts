import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { templateFolder } from "./emulation.ts";
import { runInProcess } from "./run-in-process.ts";

describe("emulate refuses to start", () => {
  it.each([
    [["--port", "http"], '--port must be a number from 0 to 65535, but got "http".'],
    [["--port", "65536"], '--port must be a number from 0 to 65535, but got "65536".'],
    [["--host", ""], "Expected --host to be an address or a name"],
    [
      ["--allow-host", "a.test", "--allow-host", "b.test:80"],
      'Expected --allow-host to contain host names such as "pdf.test", without a scheme, a port or a path, got "b.test:80".',
    ],
    [["--key", "a b"], "Expected API key number 1 to be a string of visible ASCII characters"],
    [["--open", "--no-ui"], "--open opens the playground, but --no-ui disables it. Leave out one of them."],
    [["--images", "nowhere"], "nowhere does not exist"],
    [["--fonts", "nowhere"], "nowhere does not exist"],
    [["--fault", "429 sometimes"], 'The fault "429 sometimes" is not a fault rule'],
    [["--latency", "9..3"], 'The latency "9..3" is not between 0 and 2147483647 ms'],
  ])("with the options %j, and reports: %s", async (flags, words) => {
    const cwd = await templateFolder();
    const { code, stdout, stderr } = await runInProcess(["emulate", ".", "--port", "0", ...flags], { cwd });
    expect(stderr).toMatch(/^template-pdf: [^\n]*\n$/);
    expect(stderr).toContain(words);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: "" });
  });

  const line = (middle: string) => `template-pdf: [^\n]*${middle}[^\n]*\n`;
  it.each<[title: string, files: Readonly<Record<string, string>>, words: readonly string[], stderr: string]>(
    [
      [
        "a line for each broken template",
        { "a.json": '{"content": [}', "b.mjs": "export default 7;", "c.json": '{"content": []}' },
        ["."],
        `${line("a\\.json:1:14: ")}${line("b\\.mjs")}`,
      ],
      [
        "a line about the folder templates if no folder is named",
        {},
        [],
        line("The template folder .*templates does not exist\\."),
      ],
      [
        "the unchanged message of a template that throws",
        { "a.mjs": 'throw new TypeError("the `port` of the printer is missing");' },
        ["."],
        line("a\\.mjs:1:\\d+: [^\\n]*the `port` of the printer is missing"),
      ],
    ],
  )("and prints %s", async (_title, files, words, stderr) => {
    const ending = await runInProcess(["emulate", ...words, "--port", "0"], {
      cwd: await templateFolder(files),
    });
    expect(ending.stderr).toMatch(new RegExp(`^${stderr}$`));
    expect(ending.code).toBe(2);
  });

  it("with exit code 1 if the port is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await runInProcess(["emulate", ".", "--port", String(port)], {
      cwd: await templateFolder(),
    });
    expect(stderr).toBe(
      `template-pdf: Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or pass another --port; 0 selects a free one.\n`,
    );
    expect(code).toBe(1);
  });
});
