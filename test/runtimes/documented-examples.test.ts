import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { consumer, filesBelow, link } from "../package/consumer.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { javaScriptOf } from "../support/compile.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

// Runs the examples with the installed package, against the emulator.

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(repository, path), "utf8");

interface Example {
  readonly title: string;
  readonly code: string;
}

/** Definitions that examples use but do not contain. */
const assumed: Readonly<Record<string, string>> = {
  pdfs: "const pdfs = new TemplatePdf();",
  values: `const values = { date: "20 November 2026", total: "£1,000,000" };`,
  tenant: "const tenant = { apiKey: process.env.TEMPLATE_PDF_API_KEY };",
  frame: `const [frame, closeButton] = [document.createElement("iframe"), document.createElement("button")];`,
  userOf: "const userOf = async () => undefined;",
  rows: `const rows = ["1", "2"].map((no) => ({ no, number: no, employee: no, total: "£640.00" }));`,
  jobs: `const jobs = rows.map((values) => ({ template: "invoice", values }));`,
  pdf: `const pdf = await pdfs.generate("invoice", { total: "£1,000,000" });`,
};

const exported = {
  "template-pdf": ["TemplatePdf", "TemplatePdfError", "template"],
  "template-pdf/browser": ["download", "objectUrl"],
  "template-pdf/bulk": ["folder", "generateMany", "runBulk"],
  "template-pdf/emulator": ["startEmulator"],
  "template-pdf/handler": ["contentDisposition", "createHandler"],
  "template-pdf/queue": ["bulkQueue"],
  "template-pdf/testing": ["assertWholePdf", "fakePdf", "fakeService", "faults", "pdfText"],
  zod: ["z"],
};

/** Source files with examples in docstrings, except a sink, which needs packages of S3, and queues, which need Redis. */
const documented = filesBelow(join(repository, "src"))
  .map(({ path }) => `src/${path}`)
  .filter(
    (path) =>
      path !== "src/bulk/sink.ts" &&
      !path.startsWith("src/queue/") &&
      /\* @example\n *\* ```ts/.test(read(path)),
  );

/** Guides that define `pdfs` and `values` once for all of their blocks. */
const guidesToCalls = ["errors", "retries", "streaming", "timeouts"].map((name) => `docs/guides/${name}.md`);

/** The other guides with blocks that run here. Those of testing.md are tests: see examples/tests. */
const guides = "bulk emulator security typed-templates".split(" ");
const pages = ["README.md", ...guides.map((name) => `docs/guides/${name}.md`), ...guidesToCalls];

/** Blocks that are files may need other packages: test/docs/guide-blocks.test.ts runs them. */
const isFile = (code: string) => /^\/\/ \S+\.ts\n/.test(code);

const blocks: readonly Example[] = pages.flatMap((page) =>
  blocksOf(read(page), "ts")
    .filter((code) => !isFile(code))
    .map((code, index) => ({
      title: `${page}, block ${index + 1}`,
      code: [...guidesToCalls, "docs/guides/bulk.md"].includes(page) ? withAssumptions(code) : code,
    })),
);

const examples: readonly Example[] = [
  ...blocks,
  // Blocks that handle errors run once more with an error.
  ...blocks
    .filter(({ title, code }) => title.startsWith("docs/guides/errors.md") && code.includes("catch"))
    .map(({ title, code }) => ({
      title: `${title}, with an unknown template`,
      code: code.replaceAll('"invoice"', '"no-such-template"'),
    })),
  ...documented.flatMap((file) =>
    docstringsOf(read(file)).map((code, index) => ({
      title: `${file}, example ${index + 1}`,
      code: withAssumptions(code),
    })),
  ),
];

const folder = makeTemporaryFolder("examples");
const project = folder.path;
let emulator: Awaited<ReturnType<typeof startEmulator>>;
let running: ChildProcess;

beforeAll(async () => {
  // A copy, because the examples need more packages than an empty project has.
  cpSync(join(consumer, "node_modules"), join(project, "node_modules"), { recursive: true });
  for (const name of ["zod", "valibot", "arktype", "pdfmake"]) link(project, name);
  for (const uid of ["invoice", "inv_2024", "payslip"]) {
    cpSync(join(repository, "examples/templates/invoice.mjs"), join(project, "templates", `${uid}.mjs`));
  }
  const [letter = expect.fail("no letter")] = blocksOf(read("docs/guides/quick-start.md"), "json");
  writeFileSync(join(project, "templates/letter.json"), letter);
  emulator = await startEmulator({ templates: join(project, "templates"), limits: { threads: 1 } });
  running = fork(fileURLToPath(new URL("documented-examples-process.mjs", import.meta.url)), {
    cwd: project,
    env: environmentOfUsers({ PDF_API_KEY: emulator.apiKey, TEMPLATE_PDF_API_KEY: emulator.apiKey }),
    execArgv: [],
    silent: true,
  });
});

afterAll(async () => {
  running.kill();
  await emulator.close();
  folder.remove();
});

describe("the examples in guides and docstrings", () => {
  it("include at least one from every listed page and source file", () => {
    expect(documented.length).toBeGreaterThan(10);
    const without = [...pages, ...documented].filter(
      (path) => !examples.some(({ title }) => title.startsWith(path)),
    );
    expect(without).toEqual([]);
  });

  it.each(examples.map((example, number) => [example.title, example, number] as const))(
    "run successfully: %s",
    async (_, example, number) => {
      const { code } = example;
      for (const name of await savedIn(project)) await rm(join(project, name));
      const { problem, complaints } = await run(example, `example-${number}.mjs`);
      expect(problem).toBeUndefined();
      // A bulk run only prints that jobs failed.
      if (code.includes('"template-pdf/bulk"')) expect(complaints).toEqual([]);
      const [, name] = /(?:saveTo|createWriteStream)\("(\w+\.pdf)"\)/.exec(code) ?? [];
      const isSaved = name !== undefined && !code.includes("no-such-template");
      const many = code.includes("saveTo(`$") ? ["1.pdf", "2.pdf"] : [];
      expect(await savedIn(project)).toEqual(isSaved ? [name] : many);
    },
  );

  it("do not keep the process running", async () => {
    // Clients stay open, as in programs. The server closes idle connections.
    await emulator.close();
    running.disconnect();
    const [exitCode] = await once(running, "exit");
    expect(exitCode).toBe(0);
  });
});

/** The error of an example, and what it printed about failures. */
interface Outcome {
  readonly problem?: string;
  readonly complaints: readonly string[];
}

/** Runs an example in the project's folder. */
async function run({ title, code }: Example, name: string): Promise<Outcome> {
  const file = join(project, name);
  const { baseUrl } = emulator;
  const served = code
    .replaceAll("https://pdf.example.com", baseUrl)
    // In a browser, the web server forwards requests to the service.
    .replaceAll('baseUrl: "/api/pdf"', `baseUrl: "${baseUrl}", apiKey: process.env.TEMPLATE_PDF_API_KEY`);
  writeFileSync(file, javaScriptOf(served));
  // A route of a docstring is a handler, which requires another path.
  running.send({ url: pathToFileURL(file).href, baseUrl, callsRoutes: !title.startsWith("src/") });
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
  const imports = Object.entries(exported).flatMap(([entry, names]) => {
    const used = names.filter(
      (name) =>
        new RegExp(`\\b${name}\\b`).test(whole) &&
        !new RegExp(`import (?:type )?[^;]*\\b${name}\\b[^;]* from "${entry}";`).test(whole),
    );
    return used.length > 0 ? [`import { ${used.join(", ")} } from "${entry}";`] : [];
  });
  return [...imports, whole].join("\n");
}
