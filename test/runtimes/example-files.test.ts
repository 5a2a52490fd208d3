import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { nodeOf } from "../../scripts/runtimes.mjs";
import { startEmulator } from "../../src/emulator/index.ts";
import { consumer, link, makeProject } from "../package/consumer.ts";
import { complaintsAbout } from "../support/compile.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type Program, start } from "../support/programs.ts";
import { cutOffAfter, pdfOf, saying, withLength } from "../support/service.ts";
import { noAnswer, ScriptedService } from "./scripted-service.ts";

/** Tests the single files of examples/ with the commands of their README, in a project with the packed package. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const examples = join(repository, "examples");
const readme = readFileSync(join(examples, "README.md"), "utf8");
/** The commands in the third column of the table, by the file in the first column. */
const rows = new Map(
  [...readme.matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \| [^|]*\| (.*) \|$/gm)].map(([, path = "", cells = ""]) => [
    path,
    /`(\w+ [^`]+)`/.exec(cells.split(" | ")[0] ?? "")?.[1] ?? "",
  ]),
);

const document = pdfOf(2_000);
const project = makeProject("example-files", {
  "package.json": '{ "type": "module" }',
  "wrong.csv": "number;date;total\n1;today;£1.00\n../2;today;£2.00\n3;today;£3.00\n",
});
for (const name of ["zod", "csv-parse", "pdfmake", "pdfjs-dist", "@types"]) link(project, name);
cpSync(examples, join(project, "examples"), { recursive: true });
const service = await ScriptedService.start(withLength(document));
const emulator = await startEmulator({ templates: join(examples, "templates"), limits: { threads: 1 } });
afterAll(async () => {
  await service.close();
  await emulator.close();
});

interface Starting {
  readonly from?: { baseUrl: string; apiKey?: string };
  /** Replaces the last word of the command. */
  readonly last?: string;
  readonly env?: Record<string, string>;
  readonly node?: string;
}

/** Starts a file of examples/ with the command of the table. */
function startExample(file: string, { from = emulator, last, env = {}, node }: Starting = {}): Program {
  const [program = "", ...args] = rows.get(file)?.split(" ") ?? [];
  if (last !== undefined) args.splice(-1, 1, last);
  const settings = { TEMPLATE_PDF_BASE_URL: from.baseUrl, TEMPLATE_PDF_API_KEY: from.apiKey ?? "key" };
  const PATH = `${join(consumer, "node_modules/.bin")}${delimiter}${process.env["PATH"]}`;
  const running = start(node ?? program, args, { cwd: project, env: { ...settings, PATH, ...env } });
  onTestFinished(() => running.stop());
  return running;
}

const textOf = async (file: string) => (await readPdf(readFileSync(join(project, file)))).text;

it("examples/save-to-file.mjs saves an invoice, and saves no file if the API key is invalid", async () => {
  const good = await startExample("save-to-file.mjs").ended;
  const { length } = readFileSync(join(project, "invoice.pdf"));
  expect(good).toMatchObject({ exitCode: 0, printed: `invoice.pdf: ${length} bytes\n` });
  expect(await textOf("invoice.pdf")).toContain("Εκδόσεις Αθηνά");
  const from = { baseUrl: emulator.baseUrl, apiKey: "wrong" };
  const bad = await startExample("save-to-file.mjs", { from, last: "none.pdf" }).ended;
  expect(bad).toMatchObject({ exitCode: 1, printed: expect.stringMatching(/^[^\n]*401[^\n]*\n$/) });
  expect(existsSync(join(project, "none.pdf"))).toBe(false);
});

it("examples/many-from-csv.mjs generates a PDF for every valid row, and reports invalid rows", async () => {
  const good = await startExample("many-from-csv.mjs").ended;
  expect(good.exitCode, good.printed).toBe(0);
  expect(await textOf("invoices/2026-0118.pdf")).toContain("Łoś; Brönte & Partners");
  cpSync(join(project, "wrong.csv"), join(project, "examples/bulk/rows.csv"));
  const bad = await startExample("many-from-csv.mjs", { last: "some" }).ended;
  expect(bad).toMatchObject({
    exitCode: 1,
    printed: expect.stringContaining("line 3: the number is not a valid file name\n"),
  });
  expect(readdirSync(join(project, "some"))).toEqual(["1.pdf", "3.pdf"]);
});

it("examples/typed-with-zod.ts compiles, sends valid values, and reports invalid values", async () => {
  expect(complaintsAbout([join(project, "examples/typed-with-zod.ts")])).toEqual([]);
  const { exitCode, printed } = await startExample("typed-with-zod.ts", { node: nodeOf(24) }).ended;
  expect({ exitCode, lines: printed.trim().split("\n") }).toEqual({
    exitCode: 0,
    lines: [
      expect.stringMatching(/^typed\.pdf: \d+ bytes$/),
      expect.stringMatching(/^not sent: total: .*expected number/),
      "not sent: number: Write it as 2026-0117.",
    ],
  });
  expect(await textOf("typed.pdf")).toContain("£640.00");
});

describe("examples/retry-and-cancel.mjs", () => {
  it("prints a line for each attempt", async () => {
    service.answer(saying(503, "", { "retry-after": "0" }));
    const { exitCode, printed } = await startExample("retry-and-cancel.mjs", { from: service }).ended;
    const attempts = /^attempt 1\nserver_error: retry in \d\.\d s\nattempt 2\nretried\.pdf: \d+ bytes\n$/;
    expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: expect.stringMatching(attempts) });
  });

  it("aborts its request on Ctrl-C", async () => {
    service.answer(noAnswer);
    const coming = service.next();
    const { child, ended } = startExample("retry-and-cancel.mjs", { from: service });
    const { closed } = await coming;
    child.kill("SIGINT");
    await closed;
    expect(await ended).toMatchObject({ exitCode: 130, printed: "attempt 1\ncancelled\n" });
  });
});

it("examples/http-response.mjs sends the document, and hides the details of failures", async () => {
  const server = startExample("http-response.mjs", { from: service, env: { PORT: "0" } });
  const [url] = await server.prints(/^http:\S+$/m);
  const response = await fetch(url);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/pdf",
    "content-disposition": 'inline; filename="2026-0117.pdf"',
    "content-length": String(document.length),
  });
  expect(document.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  expect((await fetch(url.replace("0117", "9999"))).status).toBe(404);
  service.answer(saying(429, "", { "retry-after": "900" }), saying(401), cutOffAfter(document, 40), noAnswer);
  const busy = await fetch(url);
  expect({ status: busy.status, retryAfter: busy.headers.get("retry-after") }).toEqual({
    status: 503,
    retryAfter: "900",
  });
  const failed = await fetch(url);
  expect({ status: failed.status, body: await failed.text() }).toEqual({
    status: 502,
    body: "The invoice could not be generated.\n",
  });
  await expect(fetch(url).then((cut) => cut.arrayBuffer())).rejects.toThrow();
  await server.prints(/\b429\b.*\n.*\b401\b.*\n.+/);
  const coming = service.next();
  const caller = new AbortController();
  fetch(url, { signal: caller.signal }).catch(() => {});
  const { closed } = await coming;
  caller.abort();
  await closed;
});

it("examples/generate.sh generates documents from a values file and from piped values", async () => {
  const { exitCode, printed } = await startExample("generate.sh").ended;
  const lines = printed.split("\n").filter((line) => /^(?:from-|generated|failed|not sent)/.test(line));
  expect({ exitCode, lines }, printed).toEqual({
    exitCode: 0,
    lines: [
      expect.stringMatching(/^from-file\.pdf: \S+ kB$/),
      expect.stringMatching(/^from-pipe\.pdf: \d+ bytes$/),
      "not sent: fix the values",
    ],
  });
  expect(await textOf("from-file.pdf")).toMatch(/2026-0117[\s\S]*£640\.00/);
  expect(await textOf("from-pipe.pdf")).toMatch(/2026-0118[\s\S]*£94\.00/);
  expect(existsSync(join(project, "from-nothing.pdf"))).toBe(false);
});
