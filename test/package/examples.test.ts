import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { type FakeService, fakeService } from "../../src/testing/fake-service.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { consumer } from "./consumer.ts";

/** Every example that a reader can see is run, from the installed package, against the emulator. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(repository, path), "utf8");

interface Example {
  readonly title: string;
  readonly code: string;
  /** The fake service answers, where it does not matter what a document shows: it takes a tenth of the time. */
  readonly isOfFake?: boolean;
}

/** What a docstring's example takes for granted: one line per name, used where the example does not say it itself. */
const assumed: Readonly<Record<string, string>> = {
  pdfs: `const pdfs = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: process.env.PDF_API_KEY });`,
  values: `const values = { date: "20 November 2026", total: "£1,000,000" };`,
  tenant: "const tenant = { apiKey: process.env.PDF_API_KEY };",
  frame: `const [frame, closeButton] = [document.createElement("iframe"), document.createElement("button")];`,
  userOf: "const userOf = async () => undefined;",
  rows: `const rows = ["1", "2"].map((no) => ({ no, number: no, employee: no, total: "£640.00" }));`,
  jobs: `const jobs = rows.map((values) => ({ template: "invoice", values }));`,
  pdf: `const pdf = await pdfs.generate("invoice", { total: "£1,000,000" });`,
};

const faces = {
  "template-pdf": ["TemplatePdf", "TemplatePdfError", "template"],
  "template-pdf/browser": ["download", "objectUrl"],
  "template-pdf/bulk": ["folder", "generateMany", "runBulk"],
  "template-pdf/emulator": ["startEmulator"],
  "template-pdf/handler": ["createHandler"],
  "template-pdf/testing": ["assertWholePdf", "fakePdf", "fakeService", "faults", "pdfText"],
  zod: ["z"],
};

const documented = [
  "client.ts",
  "document/generated-pdf.ts",
  "document/pending-pdf.ts",
  "errors/errors.ts",
  "template.ts",
  "browser/download.ts",
  "browser/object-url.ts",
  "bulk/folder/folder.ts",
  "bulk/generate-many.ts",
  "bulk/run-bulk.ts",
  "emulator/start.ts",
  "handler/create-handler.ts",
  "testing/assert-whole-pdf.ts",
  "testing/fake-service.ts",
  "testing/faults.ts",
  "testing/pdf-text.ts",
];

const guidesToCalls = ["clocks", "errors", "forms"].map((name) => `docs/guides/${name}.md`);

/** The blocks of docs/guides/testing.md are tests: see `testExampleProjects`. */
const papers = [
  "README.md",
  "docs/guides/bulk.md",
  "docs/guides/emulator.md",
  "docs/guides/migrating.md",
  "docs/guides/observability.md",
  "docs/guides/performance.md",
  "docs/guides/security.md",
  "docs/guides/typed-templates.md",
  ...guidesToCalls,
];

/** These say once what `pdfs`, `values` and the like are, and it holds for all of their blocks. */
const papersThatSayItOnce = [...guidesToCalls, "docs/guides/bulk.md"];

/** What is shown as a file is run where what it needs is installed: see test/runtimes. */
const isFile = (code: string) => /^\/\/ \S+\.ts\n/.test(code);

const examples: readonly Example[] = [
  ...papers.flatMap((paper) =>
    blocksOf(read(paper), "ts")
      .filter((code) => !isFile(code))
      .map((code, index) => ({
        title: `${paper}, block ${index + 1}`,
        code: papersThatSayItOnce.includes(paper) ? withAssumptions(code) : code,
        isOfFake: guidesToCalls.includes(paper),
      })),
  ),
  ...documented.flatMap((file) =>
    docstringsOf(read(`src/${file}`)).map((code, index) => ({
      title: `src/${file}, example ${index + 1}`,
      code: withAssumptions(code),
    })),
  ),
];

let project: string;
let emulator: Awaited<ReturnType<typeof startEmulator>>;
let fake: Awaited<ReturnType<FakeService["listen"]>>;
let running: ChildProcess;

beforeAll(async () => {
  // A copy: these examples need packages that an empty project has not.
  project = await mkdtemp(join(tmpdir(), "template-pdf-examples-"));
  cpSync(join(consumer, "node_modules"), join(project, "node_modules"), { recursive: true });
  for (const name of ["zod", "valibot", "arktype", "pdfmake"]) {
    symlinkSync(join(repository, "node_modules", name), join(project, "node_modules", name), "junction");
  }
  for (const uid of ["invoice", "inv_2024", "payslip"]) {
    cpSync(join(repository, "examples/templates/invoice.mjs"), join(project, "templates", `${uid}.mjs`));
  }
  const [letter = expect.fail("no letter")] = blocksOf(read("README.md"), "json");
  writeFileSync(join(project, "templates/letter.json"), letter);
  // One thread: what each of several would load takes longer than what they are asked for.
  emulator = await startEmulator({ templates: join(project, "templates"), limits: { threads: 1 } });
  fake = await fakeService({ templates: ["invoice"], apiKeys: [emulator.apiKey] }).listen();
  running = fork(fileURLToPath(new URL("examples-process.mjs", import.meta.url)), {
    cwd: project,
    env: environmentOfUsers({
      PDF_API_KEY: emulator.apiKey,
      TEMPLATE_PDF_API_KEY: emulator.apiKey,
      TEMPLATE_PDF_BASE_URL: emulator.baseUrl,
    }),
    execArgv: [],
    silent: true,
  });
});

afterAll(async () => {
  running.kill();
  await Promise.all([emulator.close(), fake.close()]);
  await rm(project, { recursive: true, force: true });
});

describe("every example that a reader can see runs", () => {
  it("and there are some in each of the papers and of the documented files", () => {
    for (const place of [...papers, ...documented]) {
      expect(examples.filter(({ title }) => title.includes(place)).length, place).toBeGreaterThan(0);
    }
  });

  it.each(examples.map((example, number) => ({ ...example, number })))("$title", async (example) => {
    const { code, number } = example;
    for (const name of await savedIn(project)) await rm(join(project, name));
    const { problem, complaints } = await run(example, `example-${number}.mjs`);
    expect(problem).toBeUndefined();
    // A run goes on when its jobs fail: it only says so.
    if (code.includes('"template-pdf/bulk"')) expect(complaints).toEqual([]);
    const [, name] = /(?:saveTo|createWriteStream)\("(\w+\.pdf)"\)/.exec(code) ?? [];
    const isSaved = name !== undefined && !code.includes("no-such-template");
    const many = code.includes("saveTo(`$") ? ["1.pdf", "2.pdf"] : [];
    expect(await savedIn(project)).toEqual(isSaved ? [name] : many);
  });

  it("and leaves nothing behind that would keep its program alive", async () => {
    // An example makes clients for a whole program, whose idle connections the other side may end.
    await Promise.all([emulator.close(), fake.close()]);
    running.disconnect();
    const [exitCode] = await once(running, "exit");
    expect(exitCode).toBe(0);
  });
});

/** What became of an example: what it threw, and what it printed of failures. */
interface Outcome {
  readonly problem?: string;
  readonly complaints: readonly string[];
}

/** Runs an example in the project's folder. */
async function run({ code, isOfFake }: Example, name: string): Promise<Outcome> {
  const file = join(project, name);
  const { baseUrl } = isOfFake ? fake : emulator;
  const served = code
    .replaceAll("https://pdf.example.com", baseUrl)
    // What stands in a page asks the page's own server, which asks the service.
    .replaceAll('baseUrl: "/api/pdf"', `baseUrl: "${baseUrl}", apiKey: process.env.PDF_API_KEY`);
  writeFileSync(file, javaScript(served));
  running.send(pathToFileURL(file).href);
  const [outcome] = (await once(running, "message")) as [Outcome];
  return outcome;
}

async function savedIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".pdf"));
}

function docstringsOf(source: string): string[] {
  const examples = [...source.matchAll(/@example\n(.*?)```$/gms)].map(([, lines = ""]) => lines);
  return examples.map((lines) => lines.replace(/^ *\* ?/gm, "").replace(/^```ts\n/, ""));
}

function withAssumptions(code: string): string {
  let whole = code;
  for (const [name, line] of Object.entries(assumed).reverse()) {
    const isUsed = new RegExp(`(?<![\\w"./-])${name}\\b(?!["-])`).test(whole);
    if (isUsed && !new RegExp(`(?:const|using) ${name}\\b`).test(whole)) whole = `${line}\n${whole}`;
  }
  const imports = Object.entries(faces).flatMap(([door, names]) => {
    const used = names.filter(
      (name) =>
        new RegExp(`\\b${name}\\b`).test(whole) &&
        !new RegExp(`import (?:type )?[^;]*\\b${name}\\b[^;]* from "${door}";`).test(whole),
    );
    return used.length > 0 ? [`import { ${used.join(", ")} } from "${door}";`] : [];
  });
  return [...imports, whole].join("\n");
}

function javaScript(code: string): string {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  return outputText;
}
