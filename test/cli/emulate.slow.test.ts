import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TemplatePdf, type TemplatePdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { readPdf } from "../support/pdf-text.ts";
import { hasPosixShell, hasSignals } from "../support/platform.ts";
import { rejectionOf, Service } from "../support/service.ts";
import { endingOf, start, startCommand } from "./command.ts";
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

/** Starts the command, and reads its introduction. `nextLine` reads the next line of standard output. */
async function emulate(flags: readonly string[] = [], texts = files as Record<string, string>, env = {}) {
  const folder = folderOf(texts);
  const child = startCommand(["emulate", folder, "--port", "0", ...flags], { cwd: folder, env });
  const ended = endingOf(child);
  // Reading the output fails if a test closes the pipe.
  ended.catch(() => {});
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value ?? expect.fail((await ended).stderr));
  const introduction: string[] = [];
  while (introduction.at(-1) !== "Ctrl-C stops the emulator.") introduction.push(await nextLine());
  const [baseUrl = "", apiKey = ""] = ["Base URL", "API key"].map(
    (name) => introduction.find((line) => line.startsWith(name))?.split(/ {2,}/)[1],
  );
  const pdfs = new TemplatePdf({ baseUrl, apiKey, retry: false });
  return { folder, child, ended, nextLine, introduction, baseUrl, apiKey, pdfs };
}

describe("the `emulate` command", () => {
  it("prints its URLs and templates, and logs each request on one line", async () => {
    const keys = ["key-of-mine", "another"];
    const { folder, introduction, nextLine, baseUrl } = await emulate(keys.flatMap((key) => ["--key", key]));
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
      expect(await nextLine()).toMatch(/^\d\d:\d\d:\d\d {2}POST {2}greeting {2}200 {2}\d+\.\d kB {2}/);
    }
    await rejectionOf(new TemplatePdf({ baseUrl, apiKey: "wrong" }).generate("greeting", {}));
    const refused = await nextLine();
    expect(refused).toMatch(/ {2}POST {2}greeting {2}401 {2}- {2}.* {2}The API key is not valid for this/);
    expect(refused).not.toContain("x-request-id");
    await fetch(`${baseUrl}/elsewhere?a=b`);
    expect(await nextLine()).toMatch(/ {2}GET {2}\/elsewhere {2}404 {2}- {2}/);
    // A terminal would interpret these characters.
    await fetch(`${baseUrl}/api/v1/templates/%1b%5b31mred%e2%80%ae/generate-sync`, { method: "POST" });
    const line = await nextLine();
    expect(line).toMatch(/^\d\d:\d\d:\d\d {2}(.*) {2}404 {2}- {2}\d+(?:\.\d)? m?s( {2}.*)?$/);
    expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it.runIf(hasSignals).each([
    ["on one line", []],
    ["with a stack trace if --debug is set", ["--debug"]],
  ])("prints a template's failure to standard error %s", async (_title, flags) => {
    const { pdfs, nextLine, child, ended } = await emulate(flags);
    const { requestId } = (await rejectionOf(pdfs.generate("any", { explode: true }))) as TemplatePdfError;
    const id = `  x-request-id ${requestId ?? expect.fail("no request id")}`;
    expect(await nextLine()).toMatch(new RegExp(` {2}any {2}500 {2}- {2}.*${id}$`));
    child.kill("SIGINT");
    const { stderr } = await ended;
    const rest = flags.length === 0 ? "" : "[\\s\\S]*\n +at [\\s\\S]*";
    expect(stderr).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}\\S*any\\.mjs:1:\\d+: .*two lines.*${id}\n${rest}$`),
    );
  });

  it.runIf(hasSignals)("opens the playground with --open", async () => {
    const openers = folderOf({});
    const opened = join(openers, "opened");
    const script = `#!/bin/sh\nprintf %s "$*" > '${opened}.part' && /bin/mv '${opened}.part' '${opened}'\n`;
    await writeFile(join(openers, "xdg-open"), script, { mode: 0o755 });
    const { child, ended } = await emulate(["--open"], files, { PATH: openers });
    await eventually(() => existsSync(opened));
    const page = await fetch(await readFile(opened, "utf8"), { headers: { accept: "text/html" } });
    expect(page.status).toBe(200);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ stderr: "" });
  });

  it.runIf(hasSignals)("keeps running if it cannot open the playground", async () => {
    const withoutOpeners = folderOf({});
    const { child, ended, baseUrl } = await emulate(["--open"], files, { PATH: withoutOpeners });
    await once(child.stderr, "data");
    const page = await fetch(baseUrl, { headers: { accept: "text/html" } });
    expect(page.status).toBe(200);
    child.kill("SIGINT");
    const reason = `Could not open ${baseUrl}/ with xdg-open: the program was not found.`;
    expect(await ended).toMatchObject({ stderr: `template-pdf: ${reason} Open it yourself.\n` });
  });
});

it.runIf(hasPosixShell)("`emulate` prints a curl command that sends the shortest sample", async () => {
  const { folder, introduction, baseUrl, apiKey } = await emulate();
  const line = introduction.find((each) => each.startsWith("curl ")) ?? "";
  const print = start("sh", ["-c", `printf '%s\\n' ${line.slice("curl ".length)}`], { cwd: folder });
  const words = (await endingOf(print)).stdout.toString().trimEnd().split("\n");
  expect(words).toEqual([
    ...["-sS", "--fail-with-body", "-o", "greeting.pdf"],
    ...["-H", `Authorization: API-Key ${apiKey}`, "-H", "Content-Type: application/json"],
    ...["-d", String.raw`{"name":"it's\u202e you!"}`],
    `${baseUrl}/api/v1/templates/greeting/generate-sync`,
  ]);
  expect(introduction.join("")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
});

describe("a running emulator", () => {
  it.runIf(hasSignals)("finishes the documents in flight when it receives SIGTERM", async () => {
    const slow = `
      import { existsSync, writeFileSync } from "node:fs";
      const here = (name) => new URL(name, import.meta.url);
      export default async () => {
        writeFileSync(here("begun"), "");
        while (!existsSync(here("go"))) await new Promise((resolve) => setTimeout(resolve, 10));
        return { content: ["slow"] };
      };`;
    const { folder, child, ended, nextLine, pdfs } = await emulate([], { "slow.mjs": slow });
    const document = pdfs.generate("slow", {}).bytes();
    await eventually(() => existsSync(join(folder, "begun")));
    child.kill("SIGTERM");
    expect(await nextLine()).toBe("stopping");
    await writeFile(join(folder, "go"), "");
    expect((await readPdf(await document)).text).toContain("slow");
    expect(await nextLine()).toMatch(/ {2}slow {2}200 {2}/);
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("exits with code 141 if its standard output is closed", async () => {
    const { child, baseUrl } = await emulate();
    child.stdout.destroy();
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await fetch(`${baseUrl}/elsewhere`).catch(() => {});
    expect(await exited).toBe(141);
  });
});

describe("an emulator without templates", () => {
  it("starts, and says how to create the first one", async () => {
    const { folder, introduction } = await emulate([], {});
    expect(introduction).toContain(
      `  none yet in ${folder}; to create invoice.json, open the playground or use --init`,
    );
  });

  it("starts if its folder is missing and the playground can create it", async () => {
    const cwd = folderOf({});
    const child = startCommand(["emulate", "typo", "--port", "0"], { cwd });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const introduction: string[] = [];
    while (introduction.at(-1) !== "Ctrl-C stops the emulator.")
      introduction.push((await lines.next()).value ?? "");
    expect(introduction.join("\n")).toContain("  none yet in typo; to create invoice.json");
    child.kill("SIGKILL");
  });

  it("creates the first template with --init, and keeps it the next time", async () => {
    const { introduction, folder, pdfs } = await emulate(["--init"], {});
    const file = join(folder, "invoice.json");
    expect(introduction[0]).toBe(`Created ${file}`);
    const { sample } = JSON.parse(await readFile(file, "utf8"));
    expect((await readPdf(await pdfs.generate("invoice", sample).bytes())).text).toContain(
      "Invoice 2026-0117",
    );
    const again = await emulate(["--init"], { "invoice.json": '{"content":"mine"}' });
    expect(again.introduction[0]).toBe(`Kept ${join(again.folder, "invoice.json")}, which exists already`);
    expect(await readFile(join(again.folder, "invoice.json"), "utf8")).toBe('{"content":"mine"}');
  });
});

describe("an emulator that cannot start", () => {
  it("logs text that does not fit on a page, and refuses the document with --strict", async () => {
    const table = { dontBreakRows: true, body: [["{{text}}"]] };
    const texts = { "list.json": JSON.stringify({ content: { table } }) };
    const lost = "120 lines do not fit on a page and are missing";
    for (const flags of [[], ["--strict"]]) {
      const { pdfs, nextLine } = await emulate(flags, texts);
      const call = pdfs.generate("list", { text: "line\n".repeat(120) }).bytes();
      if (flags.length > 0)
        await expect(call).rejects.toMatchObject({ status: 422, message: expect.stringContaining(lost) });
      else await call;
      expect(await nextLine()).toContain(lost);
    }
  });

  it.each<[flags: readonly string[], words: string, texts?: Record<string, string>]>([
    [["--port", "65536"], '--port must be a number from 0 to 65535, but got "65536".'],
    [["--allow-host", "a.test", "--allow-host", "b.test:80"], 'a port or a path, got "b.test:80".'],
    [["--open", "--no-ui"], "--open opens the playground, but --no-ui disables it. Leave out one of them."],
    [["--images", "nowhere"], "nowhere does not exist"],
    [["--fault", "429 sometimes"], 'The fault "429 sometimes" is not a fault rule'],
    [["--latency", "9..3"], 'The latency "9..3" is not between 0 and 2147483647 ms'],
    [[], "the `port` is missing", { "a.mjs": 'throw TypeError("the `port` is missing");' }],
  ])("prints the cause on one line for the options %j: %s", async (flags, words, texts = files) => {
    const args = ["emulate", ".", "--port", "0", ...flags];
    const { code, stdout, stderr } = await runInProcess(args, { cwd: folderOf(texts) });
    expect(stderr).toMatch(/^template-pdf: [^\n]*\n$/);
    expect(stderr).toContain(words);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: "" });
  });

  it("exits with code 2 if its folder is missing and there is no playground", async () => {
    const { code, stderr } = await runInProcess(["emulate", "typo", "--no-ui"], { cwd: folderOf({}) });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("typo does not exist. Pass"),
    });
  });

  it("prints one line for each invalid template", async () => {
    const broken = { "a.json": '{"content": [}', "b.mjs": "export default 7;", "c.json": '{"content": []}' };
    const { code, stderr } = await runInProcess(["emulate", "."], { cwd: folderOf(broken) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^template-pdf: .*a\.json:1:14: .*\ntemplate-pdf: .*b\.mjs.*\n$/);
  });

  it("exits with code 1 if the port is in use", async () => {
    const { port } = await Service.start(() => {});
    const args = ["emulate", ".", "--port", String(port)];
    const { code, stderr } = await runInProcess(args, { cwd: folderOf(files) });
    const line = `template-pdf: Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or pass another --port;`;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(line) });
  });
});
