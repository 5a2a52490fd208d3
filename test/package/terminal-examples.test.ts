import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "../support/blocks-of.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { readPdf } from "../support/pdf-text.ts";
import { hasPosixShell } from "../support/platform.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { consumer } from "./consumer.ts";

// The commands of the README and the guide to the emulator, in a project that has installed the package.

const repository = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(repository, "README.md"), "utf8");
const guide = readFileSync(join(repository, "docs/guides/emulator.md"), "utf8");
const linesOf = (markdown: string) => blocksOf(markdown, "sh").flatMap((block) => block.trim().split("\n"));
const generating = linesOf(readme).filter((line) => line.includes(" generate "));
const sample = '{"number":"2026-0117","customer":{"name":"Zoë"},"lines":[],"total":"£640.00"}';

describe.runIf(hasPosixShell)("in a terminal", () => {
  const folder = makeTemporaryFolder("terminal");
  const project = folder.path;
  let emulator: RunningProgram;
  let env: Record<string, string>;

  beforeAll(async () => {
    cpSync(join(consumer, "node_modules"), join(project, "node_modules"), {
      recursive: true,
      verbatimSymlinks: true,
    });
    symlinkSync(join(repository, "node_modules/pdfmake"), join(project, "node_modules/pdfmake"), "junction");
    mkdirSync(join(project, "templates"));
    const [letter = "", values = ""] = blocksOf(readme, "json");
    const files = {
      "templates/letter.json": letter,
      "values.json": values,
      "templates/from-json.json": blocksOf(guide, "json")[0] ?? "",
      "templates/from-module.mjs": blocksOf(guide, "js")[0] ?? "",
      "sample.json": sample,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
    const [emulating = ""] = linesOf(guide).filter((line) => line.includes(" emulate "));
    expect(linesOf(readme)).toContain(emulating);
    expect(generating).toHaveLength(3);
    env = { PATH: `${join(project, "node_modules/.bin")}${delimiter}${process.env["PATH"]}` };
    const command = `exec ${emulating.replace("npx ", "")} --port 0`;
    emulator = await startProgram("sh", ["-c", command], {
      cwd: project,
      env,
      ready: /:(\d+)[\s\S]*^Ctrl-C/m,
    });
    const [settings = ""] = blocksOf(readme, "dotenv");
    writeFileSync(join(project, ".env"), settings.replace("http://127.0.0.1:4010", emulator.origin));
  });
  afterAll(async () => {
    await emulator.stop();
    folder.remove();
  });

  const type = (line: string) =>
    promisify(execFile)("sh", ["-c", line.replace(/^npx /, "")], {
      cwd: project,
      env: environmentOfUsers(env),
    });
  const textOf = async (name: string) => (await readPdf(readFileSync(join(project, name)))).text;

  it.each(generating)("%s generates the letter", async (line) => {
    await type(line);
    const text = await textOf("letter.pdf");
    expect(text).toContain("Dear Zoë,");
    expect(text).toContain(line.includes("--set") ? "£1,000,000" : "Café menu: £640.00");
  });

  it.each(["from-json", "from-module"])("the emulator serves the template %s of its guide", async (uid) => {
    await type(`template-pdf generate ${uid} --values sample.json`);
    const text = await textOf(`${uid}.pdf`);
    expect(text).toContain("Invoice 2026-0117");
    expect(text).toContain("£640.00");
  });

  it.each(["curl", "await"])("the %s line that the emulator prints saves a document", async (word) => {
    const line = emulator.printed.split("\n").find((each) => each.startsWith(`${word} `)) ?? "";
    const [name = ""] = /[\w-]+\.pdf/.exec(line) ?? [];
    rmSync(join(project, name), { force: true });
    writeFileSync(join(project, "ready.mjs"), `import { TemplatePdf } from "template-pdf";\n${line}\n`);
    await type(word === "await" ? "node ready.mjs" : line);
    expect((await readPdf(readFileSync(join(project, name)))).pages).toBe(1);
  });
});
