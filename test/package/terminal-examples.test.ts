import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "../support/blocks-of.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { readPdf } from "../support/pdf-text.ts";
import { hasPosixShell } from "../support/platform.ts";
import { consumer } from "./consumer.ts";

/**
 * What the papers tell a reader to type is typed, in a project that has installed the package. Where there is no such shell, nothing is:
 * vitest leaves out what is prepared for no test.
 */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(repository, "README.md"), "utf8");
const guide = readFileSync(join(repository, "docs/guides/emulator.md"), "utf8");

const linesOf = (markdown: string) => blocksOf(markdown, "sh").flatMap((block) => block.trim().split("\n"));

const [emulating = ""] = linesOf(guide).filter((line) => line.includes(" emulate "));
const generating = linesOf(readme).filter((line) => line.includes(" generate "));
const [settings = ""] = blocksOf(readme, "dotenv");

let project: string;
let environment: NodeJS.ProcessEnv;
let emulator: ChildProcess;
let baseUrl: string;
let readyLines: string[] = [];

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "template-pdf-terminal-"));
  cpSync(join(consumer, "node_modules"), join(project, "node_modules"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  symlinkSync(join(repository, "node_modules/pdfmake"), join(project, "node_modules/pdfmake"), "junction");
  mkdirSync(join(project, "templates"));
  const [letter, values, ...others] = blocksOf(readme, "json");
  expect(others).toEqual([]);
  const files = {
    "templates/letter.json": [letter],
    "values.json": [values],
    "templates/guide.json": blocksOf(guide, "json"),
    "templates/module.mjs": blocksOf(guide, "js"),
  };
  for (const [name, blocks] of Object.entries(files)) {
    expect(blocks, name).toEqual([expect.any(String)]);
    writeFileSync(join(project, name), blocks[0] ?? "");
  }

  const inherited = environmentOfUsers();
  environment = {
    ...inherited,
    PATH: `${join(project, "node_modules/.bin")}${delimiter}${inherited["PATH"]}`,
  };
  emulator = spawn("sh", ["-c", `exec ${emulating.replace("npx ", "")} --port 0`], {
    cwd: project,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed: string[] = [];
  for await (const line of createInterface({ input: emulator.stdout ?? expect.fail() })) {
    printed.push(line);
    if (line.startsWith("Ctrl-C")) break;
  }
  emulator.stdout?.resume();
  baseUrl = /^Base URL +(\S+)/m.exec(printed.join("\n"))?.[1] ?? expect.fail("no base URL");
  // All but the port, which may not be free here.
  writeFileSync(join(project, ".env"), settings.replace("http://127.0.0.1:4010", baseUrl));
  // The two lines that the emulator itself says are ready to use.
  readyLines = printed.filter((line) => /^(?:curl|await) /.test(line));
});

afterAll(async () => {
  emulator.kill("SIGINT");
  const [exitCode] = await once(emulator, "exit");
  expect(exitCode).toBe(0);
  await rm(project, { recursive: true, force: true });
});

const type = (line: string) =>
  promisify(execFile)("sh", ["-c", line.replace(/^npx /, "")], { cwd: project, env: environment });

describe.runIf(hasPosixShell)("at a terminal", () => {
  it("there is something to type in both papers", () => {
    expect(emulating).toBe("npx template-pdf emulate templates --key dev-key");
    expect(linesOf(readme)).toContain(emulating);
    expect(generating).toHaveLength(3);
  });

  it("the file .env leads to the emulator, on the port that it takes by itself", async () => {
    expect(settings).toContain("=http://127.0.0.1:4010\n");
    const { stdout } = await type("template-pdf emulate --help");
    expect(stdout).toMatch(/--port <port> .*\(default: 4010\)/);
  });

  it.each(generating)("%s", async (line) => {
    await rm(join(project, "letter.pdf"), { force: true });
    await type(line);
    const { text } = await readPdf(readFileSync(join(project, "letter.pdf")));
    expect(text).toContain("Dear Zoë,");
    expect(text).toContain(line.includes("--set") ? "£1,000,000" : "Café menu: £640.00");
  });

  it("the emulator's own curl line makes a document", async () => {
    const curl = readyLines.find((line) => line.startsWith("curl "));
    await type(curl ?? "false");
    const [name = ""] = /\w+\.pdf/.exec(curl ?? "") ?? [];
    expect((await readPdf(readFileSync(join(project, name)))).pages).toBe(1);
  });

  it("the emulator's own line of the client makes a document", async () => {
    const line = readyLines.find((ready) => ready.startsWith("await ")) ?? "";
    const [name = ""] = /\w+\.pdf/.exec(line) ?? [];
    await rm(join(project, name), { force: true });
    writeFileSync(join(project, "ready.mjs"), `import { TemplatePdf } from "template-pdf";\n${line}\n`);
    await type("node ready.mjs");
    expect((await readPdf(readFileSync(join(project, name)))).pages).toBe(1);
  });
});

describe.runIf(hasPosixShell)("the templates of the guide", () => {
  it.each(["guide", "module"])("%s: is served", async (uid) => {
    const file = readFileSync(
      join(project, "templates", uid === "guide" ? "guide.json" : "module.mjs"),
      "utf8",
    );
    const sample =
      uid === "guide" ? JSON.stringify(JSON.parse(file).sample) : '{"number":"2026-0117","total":"£640.00"}';
    writeFileSync(join(project, "sample.json"), sample);
    await type(`template-pdf generate ${uid} --values sample.json`);
    const { text } = await readPdf(readFileSync(join(project, `${uid}.pdf`)));
    expect(text).toContain("Invoice 2026-0117");
    expect(text).toContain("£640.00");
    expect(text).toMatch(/Page 1 of 1|1 \/ 1/);
  });
});
