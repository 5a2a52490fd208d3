import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TemplatePdf, type TemplatePdfError } from "template-pdf";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { readPdf } from "../support/pdf-text.ts";
import { hasPosixShell, hasSignals } from "../support/platform.ts";
import { rejectionOf } from "../support/service.ts";
import { type Ending, endingOf, start, startCommand } from "./command.ts";
import { runInProcess } from "./run-in-process.ts";
import { folderOf } from "./types-command.ts";

/** The templates of the emulator, unless a test passes others. */
const files = {
  "invoice.json": JSON.stringify({
    content: ["Invoice for {{customer}}", "Total {{total}}"],
    sample: { customer: 'O\'Neil & "Söhne" $HOME `id` \u009b2J\\', total: "£1,000" },
  }),
  "greeting.json": JSON.stringify({ content: ["Hello {{name}}"], sample: { name: "it's\u202e you!" } }),
  "any.mjs":
    "export default ({ explode }) => { if (explode) throw new Error('two\\nlines'); return { content: ['any'] } };",
};

/** A running `emulate` command, whose output is read line by line. */
class Emulation {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ending>;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.ended = endingOf(child);
    // Reading the output fails if a test closes the pipe.
    this.ended.catch(() => {});
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  /** Returns the next line of standard output. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`emulate has exited: ${(await this.ended).stderr}`);
    return value;
  }
}

/** Starts the command, and reads its introduction. */
async function emulate(flags: readonly string[] = [], texts = files as Record<string, string>, env = {}) {
  const folder = folderOf(texts);
  const emulation = new Emulation(
    startCommand(["emulate", folder, "--port", "0", ...flags], { cwd: folder, env }),
  );
  const introduction: string[] = [];
  while (introduction.at(-1) !== "Ctrl-C stops the emulator.") introduction.push(await emulation.line());
  const [baseUrl = "", apiKey = ""] = introduction.slice(0, 2).map((line) => line.split(/ {2,}/)[1]);
  const pdfs = new TemplatePdf({ baseUrl, apiKey, retry: false });
  return { folder, emulation, introduction, baseUrl, apiKey, pdfs };
}

describe("emulate", () => {
  it("prints its URLs and its templates, and logs each request on one line", async () => {
    const keys = ["key-of-mine", "another"];
    const { folder, introduction, emulation, baseUrl } = await emulate(keys.flatMap((key) => ["--key", key]));
    expect(introduction.slice(0, 7)).toEqual([
      `Base URL    ${baseUrl}`,
      "API key     key-of-mine",
      `Playground  ${baseUrl}/`,
      "Templates",
      `  any       ${join(folder, "any.mjs")}`,
      `  greeting  ${join(folder, "greeting.json")}`,
      `  invoice   ${join(folder, "invoice.json")}`,
    ]);
    for (const apiKey of keys) {
      const pdfs = new TemplatePdf({ baseUrl, apiKey });
      const { text } = await readPdf(await pdfs.generate("greeting", { name: apiKey }).bytes());
      expect(text).toContain(`Hello ${apiKey}`);
      expect(await emulation.line()).toMatch(/^\d\d:\d\d:\d\d {2}POST {2}greeting {2}200 {2}\d+\.\d kB {2}/);
    }
    await rejectionOf(new TemplatePdf({ baseUrl, apiKey: "wrong" }).generate("greeting", {}));
    const refused = await emulation.line();
    expect(refused).toMatch(
      / {2}POST {2}greeting {2}401 {2}- {2}.* {2}The API key is not valid for this server\./,
    );
    expect(refused).not.toContain("x-request-id");
    await fetch(`${baseUrl}/elsewhere?a=b`);
    expect(await emulation.line()).toMatch(/ {2}GET {2}\/elsewhere {2}404 {2}- {2}/);
    // A terminal would interpret these characters.
    await fetch(`${baseUrl}/api/v1/templates/%1b%5b31mred%e2%80%ae/generate-sync`, { method: "POST" });
    const line = await emulation.line();
    expect(line).toMatch(/^\d\d:\d\d:\d\d {2}(.*) {2}404 {2}- {2}\d+(?:\.\d)? m?s( {2}.*)?$/);
    expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it.runIf(hasSignals).each([
    ["in one line", []],
    ["with its stack if --debug is set", ["--debug"]],
  ])("prints an error that a template throws to standard error %s", async (_title, flags) => {
    const { pdfs, emulation } = await emulate(flags);
    const { requestId } = (await rejectionOf(pdfs.generate("any", { explode: true }))) as TemplatePdfError;
    const id = `  x-request-id ${requestId ?? expect.fail("no request id")}`;
    expect(await emulation.line()).toMatch(new RegExp(` {2}any {2}500 {2}- {2}.*${id}$`));
    emulation.child.kill("SIGINT");
    const { stderr } = await emulation.ended;
    const rest = flags.length === 0 ? "" : "[\\s\\S]*\n +at [\\s\\S]*";
    expect(stderr).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}\\S*any\\.mjs:1:\\d+: .*two lines.*${id}\n${rest}$`),
    );
  });

  it.runIf(hasSignals)("opens the playground with --open, and survives a missing opener", async () => {
    const openers = folderOf({});
    const opened = join(openers, "opened");
    for (const isThere of [false, true]) {
      const script = `#!/bin/sh\nprintf %s "$*" > '${opened}.part' && /bin/mv '${opened}.part' '${opened}'\n`;
      if (isThere) await writeFile(join(openers, "xdg-open"), script, { mode: 0o755 });
      const { emulation, baseUrl } = await emulate(["--open"], files, { PATH: openers });
      if (isThere) await eventually(() => existsSync(opened));
      else await once(emulation.child.stderr, "data");
      const headers = { accept: "text/html" };
      expect((await fetch(isThere ? await readFile(opened, "utf8") : baseUrl, { headers })).status).toBe(200);
      emulation.child.kill("SIGINT");
      const line = `template-pdf: Could not open ${baseUrl}/ with xdg-open: the program was not found. Open it yourself.\n`;
      expect(await emulation.ended).toMatchObject({ stderr: isThere ? "" : line });
    }
  });
});

describe("the example commands that emulate prints", () => {
  it.runIf(hasPosixShell)(
    "use the template with the shortest sample, and the curl command works in a POSIX shell",
    async () => {
      const { folder, introduction, baseUrl, apiKey } = await emulate();
      const line = introduction.find((each) => each.startsWith("curl ")) ?? "";
      const print = start("sh", ["-c", `printf '%s\\n' ${line.slice("curl ".length)}`], { cwd: folder });
      const words = (await endingOf(print)).stdout.toString().trimEnd().split("\n");
      expect(words.slice(0, 4).join(" ")).toBe("-sS --fail-with-body -o greeting.pdf");
      expect(words.slice(4, 8)).toEqual([
        "-H",
        `Authorization: API-Key ${apiKey}`,
        "-H",
        "Content-Type: application/json",
      ]);
      expect(words.slice(8, 10)).toEqual(["-d", String.raw`{"name":"it's\u202e you!"}`]);
      expect(introduction.join("")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(words.slice(10)).toEqual([`${baseUrl}/api/v1/templates/greeting/generate-sync`]);
    },
  );
});

describe("stopping emulate", () => {
  it.runIf(hasSignals)("with SIGTERM finishes the documents in flight first", async () => {
    const slow = `
      import { existsSync, writeFileSync } from "node:fs";
      const here = (name) => new URL(name, import.meta.url);
      export default async () => {
        writeFileSync(here("begun"), "");
        while (!existsSync(here("go"))) await new Promise((resolve) => setTimeout(resolve, 10));
        return { content: ["slow"] };
      };`;
    const { folder, emulation, pdfs } = await emulate([], { "slow.mjs": slow });
    const document = pdfs.generate("slow", {}).bytes();
    await eventually(() => existsSync(join(folder, "begun")));
    emulation.child.kill("SIGTERM");
    expect(await emulation.line()).toBe("stopping");
    await writeFile(join(folder, "go"), "");
    expect((await readPdf(await document)).text).toContain("slow");
    expect(await emulation.line()).toMatch(/ {2}slow {2}200 {2}/);
    expect(await emulation.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("by closing its standard output exits with code 141", async () => {
    const { emulation, baseUrl } = await emulate();
    emulation.child.stdout.destroy();
    const exited = new Promise((resolve) => emulation.child.once("exit", resolve));
    await fetch(`${baseUrl}/elsewhere`).catch(() => {});
    expect(await exited).toBe(141);
  });
});

describe("emulate refuses to start", () => {
  it.each<[flags: readonly string[], words: string, texts?: Record<string, string>]>([
    [["--port", "65536"], '--port must be a number from 0 to 65535, but got "65536".'],
    [
      ["--allow-host", "a.test", "--allow-host", "b.test:80"],
      'without a scheme, a port or a path, got "b.test:80".',
    ],
    [["--open", "--no-ui"], "--open opens the playground, but --no-ui disables it. Leave out one of them."],
    [["--images", "nowhere"], "nowhere does not exist"],
    [["--fault", "429 sometimes"], 'The fault "429 sometimes" is not a fault rule'],
    [["--latency", "9..3"], 'The latency "9..3" is not between 0 and 2147483647 ms'],
    [
      [],
      "the `port` of the printer is missing",
      { "a.mjs": 'throw TypeError("the `port` of the printer is missing");' },
    ],
  ])("with the options %j, and reports: %s", async (flags, words, texts = files) => {
    const args = ["emulate", ".", "--port", "0", ...flags];
    const { code, stdout, stderr } = await runInProcess(args, { cwd: folderOf(texts) });
    expect(stderr).toMatch(/^template-pdf: [^\n]*\n$/);
    expect(stderr).toContain(words);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: "" });
  });

  it("with a line for each broken template", async () => {
    const broken = { "a.json": '{"content": [}', "b.mjs": "export default 7;", "c.json": '{"content": []}' };
    const { code, stderr } = await runInProcess(["emulate", "."], { cwd: folderOf(broken) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^template-pdf: .*a\.json:1:14: .*\ntemplate-pdf: .*b\.mjs.*\n$/);
  });

  it("with exit code 1 if the port is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const args = ["emulate", ".", "--port", String(port)];
    const { code, stderr } = await runInProcess(args, { cwd: folderOf(files) });
    expect(stderr).toBe(
      `template-pdf: Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or pass another --port; 0 selects a free one.\n`,
    );
    expect(code).toBe(1);
  });
});
