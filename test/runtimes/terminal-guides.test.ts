import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fakeService } from "../../src/testing/fake-service.ts";
import { consumer } from "../package/consumer.ts";
import { eventually } from "../support/eventually.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type RunningProgram, runToEnd, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

/** Runs the commands of docs/guides/quick-start.md and command-line.md with npm in one empty folder. */

const { path: folder, remove } = makeTemporaryFolder("quick-start");
const inFolder = (name: string) => join(folder, name);
const textOf = async (name: string) => (await readPdf(readFileSync(inFolder(name)))).text;

/** The blocks of a guide, each with the last file name before it. */
function blocksOf(name: string) {
  const guide = guideOf(name);
  return [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: text = "", index }) => ({
    language,
    text,
    file: [...guide.slice(0, index).matchAll(/`([\w/-]+\.\w+|\.env)`/g)].at(-1)?.[1] ?? "",
  }));
}

function guideOf(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../docs/guides/${name}.md`, import.meta.url)), "utf8");
}

async function type(text: string, expected = 0): Promise<void> {
  const { exitCode, printed } = await runToEnd("bash", ["-c", text], { cwd: folder });
  expect(exitCode, `${text}\n${printed}`).toBe(expected);
}

let emulator: RunningProgram | undefined;

afterAll(async () => {
  await emulator?.stop();
  remove();
}, 20_000);

it("the first steps in README.md work without an account", async () => {
  const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");
  const { path: cwd, remove: removeFirst } = makeTemporaryFolder("first-steps");
  onTestFinished(() => removeFirst());
  const [, commands = "", code = ""] = /^```sh\n(.*?)^```$.*?^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  const [install = "", emulate = ""] = commands.trim().split("\n");
  expect(install).toMatch(/^npm install template-pdf pdfmake$/);
  const tarball = readdirSync(consumer).find((name) => name.endsWith(".tgz")) ?? "nothing-was-packed";
  const installed = install.replace("template-pdf", join(consumer, tarball));
  expect(await runToEnd("bash", ["-c", installed], { cwd })).toMatchObject({ exitCode: 0 });
  const ready = /^Base URL +http:\/\/127\.0\.0\.1:(\d+)$(?:.|\n)*^Ctrl-C/m;
  const words = emulate.replace(/ #.*/, " --port 0");
  const running = await startProgram("sh", ["-c", words], { cwd, ready });
  onTestFinished(() => running.stop());
  expect(code).toContain("http://127.0.0.1:4010");
  writeFileSync(join(cwd, "invoice.mjs"), code.replace("http://127.0.0.1:4010", running.origin));
  const { exitCode, printed } = await runToEnd(process.execPath, ["invoice.mjs"], { cwd });
  expect({ exitCode, printed }).toEqual({
    exitCode: 0,
    printed: expect.stringMatching(/^\d+ bytes in invoice\.pdf\n$/),
  });
  const { text } = await readPdf(readFileSync(join(cwd, "invoice.pdf")));
  expect(text).toContain("Invoice 2026-0117");
}, 120_000);

it("the steps in docs/guides/quick-start.md work with the service and with the emulator", async () => {
  const service = fakeService({ templates: ["invoice"], apiKeys: ["your-key"] });
  const listening = await service.listen();
  onTestFinished(() => listening.close());
  const tarball = readdirSync(consumer).find((name) => name.endsWith(".tgz")) ?? "nothing-was-packed";
  for (const { language, text, file } of blocksOf("quick-start")) {
    if (language !== "sh") {
      mkdirSync(dirname(inFolder(file)), { recursive: true });
      writeFileSync(inFolder(file), text.replace("https://pdf.example.com", listening.baseUrl));
      continue;
    }
    for (const line of text.trim().split("\n")) {
      if (line.includes(" emulate ")) {
        const ready = /^Base URL +http:\/\/127\.0\.0\.1:(\d+)$(?:.|\n)*^Ctrl-C/m;
        emulator = await startProgram("sh", ["-c", `${line} --port 0`], { cwd: folder, ready });
      } else
        await type(
          line.replace(/^npm install(.*) template-pdf$/, `npm install$1 "${join(consumer, tarball)}"`),
        );
    }
  }
  const sent = { uid: "invoice", values: { date: "20 November 2026", total: "£1,000,000" } };
  expect(service.calls.map(({ uid, values }) => ({ uid, values }))).toEqual([sent, sent]);

  // The guide changes the lines of `.env` in a sentence, and then repeats the commands.
  const key = guideOf("quick-start").match(/`TEMPLATE_PDF_API_KEY=(dev-key)`/)?.[1];
  const settings = [`TEMPLATE_PDF_BASE_URL=${emulator?.origin}`, `TEMPLATE_PDF_API_KEY=${key}`];
  writeFileSync(inFolder(".env"), settings.join("\n"));
  for (const line of blocksOf("quick-start").flatMap(({ text }) => text.trim().split("\n"))) {
    if (!/^node |^npx .* generate /.test(line)) continue;
    rmSync(inFolder("invoice.pdf"));
    await type(line);
    expect(await textOf("invoice.pdf")).toContain("Total £1,000,000");
  }
}, 120_000);

describe("docs/guides/command-line.md", () => {
  const blocks = blocksOf("command-line");
  const lines = blocks
    // test/runtimes/queue-command.test.ts runs those that need Redis.
    .filter(({ language, text }) => language === "sh" && !text.includes("--queue"))
    .flatMap(({ text }) => text.trim().split("\n"));
  const scripts = blocks.filter(({ language }) => language === "bash").map(({ text }) => text);
  const oneWith = (words: string, of = scripts) =>
    of.find((text) => text.includes(words)) ?? expect.fail(words);

  beforeAll(() => {
    const list = { ul: [{ $each: "lines", $show: "{{text}}" }] };
    const content = ["Dear {{customer.name}},", list, "Total {{total}}"];
    const values = { customer: { name: "Zoë" }, lines: [{ text: "Café menu" }], total: "£640.00" };
    writeFileSync(inFolder("templates/letter.json"), JSON.stringify({ content }));
    writeFileSync(inFolder("values.json"), JSON.stringify(values));
    writeFileSync(inFolder("rows.ndjson"), JSON.stringify(values));
    expect(emulator, "the quick start").toBeDefined();
    // The tests run all lines and scripts.
    expect({ lineCount: lines.length, scriptCount: scripts.length }).toEqual({
      lineCount: 5,
      scriptCount: 2,
    });
  });

  it.each([
    [" generate letter --values values.json ", "letter.pdf", "Total £640.00"],
    [" generate letter --values - ", "letter.pdf", "Total £1,000,000"],
    [" bulk ", "letters/Zoë.pdf", "Dear Zoë,"],
    [" types ", "pdf-templates.ts", "letter"],
  ])('shows a "%s" command that writes %s', async (words, file, content) => {
    rmSync(inFolder(file), { force: true });
    await type(oneWith(words, lines));
    const isPdf = file.endsWith(".pdf");
    expect(isPdf ? await textOf(file) : readFileSync(inFolder(file), "utf8")).toContain(content);
  });

  it("shows a pipeline that exits with the command's exit code", async () => {
    const script = oneWith("pipefail");
    await type(script);
    const { text } = await readPdf(gunzipSync(readFileSync(inFolder("letter.pdf.gz"))));
    expect(text).toContain("Total £640.00");
    await type(script.replace("values.json", "no-such-file.json"), 2);
  });

  it("shows a CI script that starts an emulator, generates a document, and stops the emulator", async () => {
    rmSync(inFolder("letter.pdf"));
    await type(oneWith("trap"));
    expect(await textOf("letter.pdf")).toContain("Total £640.00");
    const log = readFileSync(inFolder("emulator.log"), "utf8");
    const [, baseUrl = "none"] = /^Base URL +(\S+)/m.exec(log) ?? [];
    await eventually(() =>
      fetch(baseUrl)
        .then(() => false)
        .catch(() => true),
    );
  });
});
