import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TemplatePdf, type TemplatePdfError } from "template-pdf";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../client/every-form.ts";
import { rejectionOf } from "../client/service.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type Ending, endingOf, main, runCommand, start, startCommand } from "./command.ts";

const files = {
  "invoice.json": JSON.stringify({
    content: ["Invoice for {{customer}}", "Total {{total}}"],
    sample: { customer: 'O\'Neil & "Söhne" $HOME `id` \u009b2J\\', total: "£1,000" },
  }),
  "greeting.json": JSON.stringify({ content: ["Hello {{name}}"], sample: { name: "it's\u202e you!" } }),
  "any.mjs":
    "export default ({ explode }) => { if (explode) throw new Error('two\\nlines'); return { content: ['any'] } };",
};

/** Everything that an emulator says, line by line. */
class Emulation {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ending>;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.ended = endingOf(child);
    // Where a test closes the pipe, there is nothing to be gathered.
    this.ended.catch(() => {});
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  /** The next line of standard output. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`It has ended: ${(await this.ended).stderr}`);
    return value;
  }

  /** All lines up to the one that says how to stop it. */
  async introduction(): Promise<string[]> {
    const lines: string[] = [];
    while (lines.at(-1) !== "Ctrl-C stops it.") lines.push(await this.line());
    return lines;
  }
}

async function templateFolder(texts: Readonly<Record<string, string>> = files): Promise<string> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  return folder;
}

async function emulate(flags: readonly string[] = [], texts?: Readonly<Record<string, string>>) {
  const folder = await templateFolder(texts);
  const emulation = new Emulation(
    startCommand(["emulate", folder, "--port", "0", ...flags], { cwd: folder }),
  );
  const introduction = await emulation.introduction();
  const [baseUrl = "", apiKey = ""] = introduction.slice(0, 2).map((line) => line.split(/ {2,}/)[1]);
  return { folder, emulation, introduction, baseUrl, apiKey };
}

const aCall = /^\d\d:\d\d:\d\d {2}(.*) {2}\d+(?:\.\d)? m?s( {2}.*)?$/;

describe("emulate", () => {
  it("says where it is, what lets in, and which templates there are", async () => {
    const { folder, introduction, emulation } = await emulate(["--key", "key-of-mine", "--key", "another"]);
    expect(introduction.slice(0, 6)).toEqual([
      expect.stringMatching(/^Base URL {3}http:\/\/127\.0\.0\.1:\d+$/),
      "API key    key-of-mine",
      "Templates",
      `  any       ${join(folder, "any.mjs")}`,
      `  greeting  ${join(folder, "greeting.json")}`,
      `  invoice   ${join(folder, "invoice.json")}`,
    ]);
    emulation.child.kill("SIGINT");
    expect(await emulation.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("serves templates with every key, and tells each call on one line", async () => {
    const { baseUrl, emulation } = await emulate(["--key", "key-of-mine", "--key", "another"]);
    for (const apiKey of ["key-of-mine", "another"]) {
      const pdfs = new TemplatePdf({ baseUrl, apiKey });
      const { text } = await readPdf(await pdfs.generate("greeting", { name: apiKey }).bytes());
      expect(text).toContain(`Hello ${apiKey}`);
      expect(await emulation.line()).toMatch(/^\d\d:\d\d:\d\d {2}POST {2}greeting {2}200 {2}\d+\.\d kB {2}/);
    }
    await rejectionOf(new TemplatePdf({ baseUrl, apiKey: "wrong" }).generate("greeting", {}));
    const refused = await emulation.line();
    expect(refused).toMatch(/ {2}POST {2}greeting {2}401 {2}- {2}.* {2}The API key is not valid here\./);
    expect(refused).not.toContain("x-request-id");
    await fetch(`${baseUrl}/elsewhere?a=b`);
    expect(await emulation.line()).toMatch(/ {2}GET {2}\/elsewhere {2}404 {2}- {2}/);
  });

  it("sends nothing to the terminal that it would obey", async () => {
    const { baseUrl, emulation } = await emulate();
    await fetch(`${baseUrl}/api/v1/templates/%1b%5b31mred%e2%80%ae/generate-sync`, { method: "POST" });
    const line = await emulation.line();
    expect(line).toMatch(aCall);
    expect(line).toContain("  404  ");
    expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it("tells what a template throws in one line of standard error, its stack with --debug only", async () => {
    for (const flags of [[], ["--debug"]]) {
      const { baseUrl, apiKey, emulation } = await emulate(flags);
      const failure = await rejectionOf(
        new TemplatePdf({ baseUrl, apiKey }).generate("any", { explode: true }),
      );
      const { requestId } = failure as TemplatePdfError;
      const told = `  x-request-id ${requestId ?? expect.fail("no request id")}`;
      const call = await emulation.line();
      expect(call).toMatch(/ {2}any {2}500 {2}- {2}/);
      expect(call.endsWith(told), call).toBe(true);
      emulation.child.kill("SIGINT");
      const { stderr } = await emulation.ended;
      const [first = "", ...rest] = stderr.trimEnd().split("\n");
      expect(first).toMatch(/^\d\d:\d\d:\d\d {2}\S*any\.mjs:1:\d+: .*two lines/);
      expect(first.endsWith(told), first).toBe(true);
      expect(rest.some((line) => /^ +at /.test(line))).toBe(flags.length > 0);
      if (flags.length === 0) expect(rest).toEqual([]);
    }
  });

  it("plays faults, and takes its time", async () => {
    const faults = ["503 first 1", "reset first 2", "cut first 3"].flatMap((rule) => ["--fault", rule]);
    const flags = [...faults, "--latency", "1..2"];
    const { baseUrl, apiKey, emulation } = await emulate(flags);
    const pdfs = new TemplatePdf({ baseUrl, apiKey });
    const refusal = await rejectionOf(pdfs.generate("greeting", { name: "a" }));
    expect(refusal).toMatchObject({ status: 503, requestId: expect.stringMatching(/./) });
    const line = await emulation.line();
    expect(line).toMatch(/ {2}greeting {2}503 {2}- {2}.* {2}fault: 503 {2}x-request-id \S+$/);
    expect(line.endsWith(String((refusal as TemplatePdfError).requestId))).toBe(true);
    expect(await rejectionOf(pdfs.generate("greeting", { name: "a" }))).toMatchObject({
      code: "connection_failed",
    });
    expect(await emulation.line()).toMatch(/ {2}greeting {2}no answer {2}- {2}.* {2}fault: reset$/);
    // Half of it was sent: its whole size would be no fact.
    expect(await rejectionOf(pdfs.generate("greeting", { name: "a" }).bytes())).toMatchObject({
      code: "truncated_pdf",
    });
    expect(await emulation.line()).toMatch(/ {2}greeting {2}200 {2}- {2}.* {2}fault: cut$/);
    expect(await pdfs.generate("greeting", { name: "a" })).toMatchObject({ status: 200 });
  });

  it("takes the folder templates where none is named", async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCommand(["emulate"], { cwd });
    expect(stderr).toMatch(/^template-pdf: The template folder .*templates does not exist\..*\n$/);
    expect(code).toBe(2);
  });
});

describe("the lines that emulate prints to be pasted", () => {
  it("are for the template with the least to type, and POSIX shells read the one for curl as it is meant", async () => {
    const { folder, introduction, baseUrl, apiKey } = await emulate();
    const line = introduction.find((each) => each.startsWith("curl ")) ?? "";
    const print = start("sh", ["-c", `printf '%s\\n' ${line.slice("curl ".length)}`], { cwd: folder });
    const words = (await endingOf(print)).stdout.toString().trimEnd().split("\n");
    expect(words).toEqual([
      "-sS",
      "--fail-with-body",
      "-o",
      "greeting.pdf",
      "-H",
      `Authorization: API-Key ${apiKey}`,
      "-H",
      "Content-Type: application/json",
      "-d",
      String.raw`{"name":"it's\u202e you!"}`,
      `${baseUrl}/api/v1/templates/greeting/generate-sync`,
    ]);
    const [, , , , , authorization = "", , , , body = "", url = ""] = words;
    const headers = {
      authorization: authorization.replace(/^.*?: /, ""),
      "content-type": "application/json",
    };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(response.status).toBe(200);
  });

  it("work: the one for JavaScript generates that template's document", async () => {
    const { "invoice.json": invoice } = files;
    const { folder, introduction } = await emulate([], { "invoice.json": invoice });
    const line = introduction.find((each) => each.startsWith("await ")) ?? "";
    const client = join(main, "../../index.js");
    await writeFile(
      join(folder, "paste.mjs"),
      `import { TemplatePdf } from ${JSON.stringify(client)};\n${line}\n`,
    );
    expect(await endingOf(start(process.execPath, ["paste.mjs"], { cwd: folder }))).toMatchObject({
      code: 0,
      stderr: "",
    });
    const { text } = await readPdf(await readFile(join(folder, "invoice.pdf")));
    expect(text).toContain(`O'Neil & "Söhne" $HOME \`id\``);
    expect(text).toContain("Total £1,000");
  });

  it("hold nothing that a terminal would obey", async () => {
    const { "invoice.json": invoice } = files;
    const { introduction } = await emulate([], { "invoice.json": invoice });
    expect(introduction.join("")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });
});

describe("Ctrl-C", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "or its like, %s, stops emulate with exit code 0",
    async (signal) => {
      const { emulation, baseUrl } = await emulate();
      emulation.child.kill(signal);
      expect(await emulation.line()).toBe("stopping");
      expect(await emulation.ended).toMatchObject({ code: 0, stderr: "" });
      await expect(fetch(baseUrl)).rejects.toThrow();
    },
  );

  it("lets emulate finish the documents that it has begun", async () => {
    const slow = `
      import { existsSync, writeFileSync } from "node:fs";
      const here = (name) => new URL(name, import.meta.url);
      export default async () => {
        writeFileSync(here("begun"), "");
        while (!existsSync(here("go"))) await new Promise((resolve) => setTimeout(resolve, 10));
        return { content: ["slow"] };
      };`;
    const { folder, emulation, baseUrl, apiKey } = await emulate([], { "slow.mjs": slow });
    const document = new TemplatePdf({ baseUrl, apiKey }).generate("slow", {}).bytes();
    while (!existsSync(join(folder, "begun"))) await new Promise((resolve) => setTimeout(resolve, 10));
    emulation.child.kill("SIGINT");
    expect(await emulation.line()).toBe("stopping");
    await writeFile(join(folder, "go"), "");
    expect((await readPdf(await document)).text).toContain("slow");
    expect(await emulation.line()).toMatch(/ {2}slow {2}200 {2}/);
    expect(await emulation.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("ends emulate without a word where nobody reads its lines any more", async () => {
    const { emulation, baseUrl } = await emulate();
    emulation.child.stdout.destroy();
    const exited = new Promise((resolve) => emulation.child.once("exit", resolve));
    await fetch(`${baseUrl}/elsewhere`).catch(() => {});
    expect(await exited).toBe(141);
  });
});

describe("emulate refuses to start, in one line,", () => {
  it.each([
    ["a port that is none", ["--port", "http"], '--port takes a number from 0 to 65535, and got "http".'],
    [
      "a port that is too high",
      ["--port", "65536"],
      '--port takes a number from 0 to 65535, and got "65536".',
    ],
    ["no host", ["--host", ""], "Expected --host to be an address or a name"],
    [
      "a key that no header can carry",
      ["--key", "a b"],
      "Expected API key number 1 to be a string of visible ASCII characters",
    ],
    ["a folder of images that is not there", ["--images", "nowhere"], "nowhere does not exist"],
    ["a folder of fonts that is not there", ["--fonts", "nowhere"], "nowhere does not exist"],
    ["a rule that nobody can read", ["--fault", "429 sometimes"], 'The fault "429 sometimes" cannot be read'],
    [
      "a latency that runs backwards",
      ["--latency", "9..3"],
      'The latency "9..3" runs from 9 ms down to 3 ms.',
    ],
  ])("with exit code 2: %s", async (_title, flags, words) => {
    const cwd = await templateFolder();
    const { code, stdout, stderr } = await runCommand(["emulate", ".", "--port", "0", ...flags], { cwd });
    expect(stderr).toMatch(/^template-pdf: [^\n]*\n$/);
    expect(stderr).toContain(words);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: "" });
  });

  it("with exit code 2 and a line for each template that is broken", async () => {
    const cwd = await templateFolder({
      "a.json": '{"content": [}',
      "b.mjs": "export default 7;",
      "c.json": '{"content": []}',
    });
    const { code, stderr } = await runCommand(["emulate", ".", "--port", "0"], { cwd });
    expect(stderr).toMatch(/^template-pdf: [^\n]*a\.json:1:14: [^\n]*\ntemplate-pdf: [^\n]*b\.mjs[^\n]*\n$/);
    expect(code).toBe(2);
  });

  it.each(["port", "toString"])(
    "with the words of a template that throws as they are: `%s`",
    async (name) => {
      const thrower = `throw new TypeError("the \`${name}\` of the printer is missing");`;
      const cwd = await templateFolder({ "a.mjs": thrower });
      const { code, stderr } = await runCommand(["emulate", ".", "--port", "0"], { cwd });
      expect(stderr).toMatch(/^template-pdf: [^\n]*a\.mjs:1:\d+: [^\n]*\n$/);
      expect(stderr).toContain(`the \`${name}\` of the printer is missing`);
      expect(code).toBe(2);
    },
  );

  it("with exit code 1: a port in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await runCommand(["emulate", ".", "--port", String(port)], {
      cwd: await templateFolder(),
    });
    expect(stderr).toBe(
      `template-pdf: Port ${port} on 127.0.0.1 is in use. Stop the program that holds it, or give another --port; 0 takes a free one.\n`,
    );
    expect(code).toBe(1);
  });
});
