import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeSamples, environment, valuesFileOf } from "../../src/emulator/playground/page/code-samples.ts";
import { consumer, link } from "../package/consumer.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { readPdf } from "../support/pdf-text.ts";
import { hasPosixShell } from "../support/platform.ts";
import { outputOf, type RunningProgram, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

// Runs the commands of the README and of the emulator guide in a project with the package installed.

const repository = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(repository, "README.md"), "utf8");
const guide = readFileSync(join(repository, "docs/guides/emulator.md"), "utf8");
const quickStart = readFileSync(join(repository, "docs/guides/quick-start.md"), "utf8");
const linesOf = (markdown: string) => blocksOf(markdown, "sh").flatMap((block) => block.trim().split("\n"));
const generating = linesOf(readme).filter((line) => line.includes(" generate "));

describe.runIf(hasPosixShell)("in a terminal", () => {
  const { path: cwd, remove } = makeTemporaryFolder("terminal");
  const env = { PATH: `${join(cwd, "node_modules/.bin")}${delimiter}${process.env["PATH"]}` };
  const write = (name: string, text = "") => writeFileSync(join(cwd, name), text);
  let emulator: RunningProgram;

  beforeAll(async () => {
    const modules = join(cwd, "node_modules");
    cpSync(join(consumer, "node_modules"), modules, { recursive: true, verbatimSymlinks: true });
    link(cwd, "pdfmake");
    mkdirSync(join(cwd, "templates"));
    write("templates/invoice.json", blocksOf(quickStart, "json")[0]);
    write("templates/from-json.json", blocksOf(guide, "json")[0]);
    write("templates/from-module.mjs", blocksOf(guide, "js")[0]);
    write("sample.json", '{"number":"2026-0117","customer":{"name":"Zoë"},"lines":[],"total":"£640.00"}');
    const [emulating = ""] = linesOf(guide).filter((line) => line.includes(" emulate "));
    expect(linesOf(quickStart)).toContain(emulating);
    expect(generating).toHaveLength(1);
    const command = `exec ${emulating.replace("npx ", "")} --port 0`;
    emulator = await startProgram("sh", ["-c", command], { cwd, env, ready: /:(\d+)[\s\S]*^Ctrl-C/m });
    write(".env", `TEMPLATE_PDF_BASE_URL=${emulator.origin}\nTEMPLATE_PDF_API_KEY=dev-key\n`);
  });
  afterAll(async () => {
    await emulator.stop();
    remove();
  });

  const type = (line: string) => outputOf("sh", ["-c", line.replace(/^npx /, "")], { cwd, env });
  const textOf = async (name: string) => (await readPdf(readFileSync(join(cwd, name)))).text;

  it.each(generating)("%s generates the invoice", async (line) => {
    await type(line);
    const text = await textOf("invoice.pdf");
    expect(text).toContain("20 November 2026");
    expect(text).toContain("Total £1,000,000");
  });

  it.each(["from-json", "from-module"])("the emulator serves the guide's template `%s`", async (uid) => {
    await type(`template-pdf generate ${uid} --values sample.json`);
    expect(await textOf(`${uid}.pdf`)).toMatch(/Invoice 2026-0117[\s\S]*£640\.00/);
  });

  // Compiles TypeScript to CommonJS, as tsx does in a project that `npm init` has made.
  const esbuild = join(repository, "node_modules/.bin/esbuild");
  const compiled = `"${esbuild}" sample.ts --format=cjs --log-level=warning | node - #`;
  /** How each code sample is run. */
  const runs = [
    ["TypeScript", "sample.mjs", "node"],
    ["TypeScript", "sample.ts", compiled],
    ["fetch", "sample.mjs", "node"],
    ["fetch", "sample.ts", compiled],
    ["cURL", "sample.sh", "sh"],
    ["Command", "sample.sh", "sh"],
  ] as const;

  it.each(runs)(
    "the playground's %s code sample generates a document, pasted into %s",
    async (kind, file, program) => {
      const number = `it's "2026"\n$HOME \\ \`id\` %s ${kind}`;
      const [, apiKey = ""] = /^API key +(\S+)/m.exec(emulator.printed) ?? [];
      for (const total of ["£1", "£1 ".repeat(4_000)]) {
        const values = { number, customer: { name: "Zoë" }, lines: [], total };
        const call = { baseUrl: emulator.origin, apiKey, uid: "from-json", values };
        rmSync(join(cwd, "from-json.pdf"), { force: true });
        write(valuesFileOf("from-json"), JSON.stringify(values));
        write(file, codeSamples[kind]?.(call));
        await type(`${environment(apiKey)} ${program} ${file}`);
        expect((await textOf("from-json.pdf")).replace(/\s+/g, " ")).toContain(number.replace(/\s+/g, " "));
      }
    },
  );

  it.each(["curl", "await"])("the `%s` line from the emulator's output saves a document", async (word) => {
    const line = emulator.printed.split("\n").find((each) => each.startsWith(`${word} `)) ?? "";
    const [name = ""] = /[\w-]+\.pdf/.exec(line) ?? [];
    rmSync(join(cwd, name), { force: true });
    write("ready.mjs", `import { TemplatePdf } from "template-pdf";\n${line}\n`);
    await type(word === "await" ? "node ready.mjs" : line);
    expect((await readPdf(readFileSync(join(cwd, name)))).pages).toBe(1);
  });
});
