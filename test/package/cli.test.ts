import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Ending, runToEnd } from "../support/programs.ts";
import { ofRepository, tsc } from "./compilers.ts";
import { consumer, installed, link, makeProject, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

const service = await startPdfService();
afterAll(() => service.close());

/** Runs the command that npm has linked, with a key and a base URL in the environment. */
function run(cwd: string, ...args: string[]): Promise<Ending> {
  const env = { TEMPLATE_PDF_API_KEY: "key", TEMPLATE_PDF_BASE_URL: service.baseUrl };
  const linked = join(consumer, "node_modules/.bin/template-pdf");
  return process.platform === "win32"
    ? runToEnd("cmd.exe", ["/c", `${linked}.cmd`, ...args], { cwd, env })
    : runToEnd(linked, args, { cwd, env });
}

describe("the installed command", () => {
  const folder = makeProject("command", {
    "values.json": '{"total": "£1,000"}',
    "templates/invoice.json": '{"content": ["Total {{total}}"]}',
  });
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));

  it.each<[what: string, words: string, exitCode: number, printed: RegExp]>([
    ["prints the version of the package", "--version", 0, new RegExp(`^${version}\n$`)],
    ["names pdfmake if the emulator cannot load it", "emulate templates", 1, /^.*npm install pdfmake.*\n$/],
    ["exits with 2 and one line for a wrong command line", "generate", 2, /^.* argument 'uid'\. See .*\n$/],
  ])("%s", async (_what, words, exitCode, printed) => {
    const ending = await run(folder, ...words.split(" "));
    expect(ending).toMatchObject({ exitCode, printed: expect.stringMatching(printed) });
  });

  it("generates a document", async () => {
    const ending = await run(folder, "generate", "invoice", "--values", "values.json");
    expect(ending).toMatchObject({ exitCode: 0, printed: `invoice.pdf: ${pdf.length} B\n` });
    expect(readFileSync(join(folder, "invoice.pdf"), "latin1")).toBe(pdf);
  });
});

it("the installed command types writes schemas that compile and work with the package, and checks them", async () => {
  const compilerOptions = {
    module: "nodenext",
    target: "ES2022",
    lib: ["ES2022"],
    types: ["node"],
    strict: true,
  };
  const folder = makeProject("types-command", {
    "package.json": '{"type":"module"}',
    "tsconfig.json": JSON.stringify({ compilerOptions }),
    "samples/invoice.json": '[{ "total": 12.5, "note": null }, { "total": "£12" }]',
    "samples/credit-note.ndjson": '{"date":"1 May"}\n{"date":"2 May","reason":"broken"}\n',
    "program.ts": `
      import { TemplatePdf, ValuesError } from "template-pdf";
      import { creditNote, type InvoiceValues, type Templates } from "./pdf-templates.js";

      const options = { baseUrl: process.argv[2] ?? "", apiKey: "key", allowInsecureHttp: true };
      const values: InvoiceValues = { total: "£1" };
      const pdf = await new TemplatePdf<Templates>(options).generate("invoice", values).bytes();
      // @ts-expect-error no such property
      const wrong = new TemplatePdf(options).generate(creditNote, { date: "1 May", reasons: "late" });
      const error = await wrong.bytes().catch((reason: unknown) => reason);
      console.log(pdf.length, ValuesError.is(error));
    `,
  });
  link(folder, "zod");
  link(folder, "@types");
  const types = (...flags: string[]) => run(folder, "types", "samples", "--zod", ...flags);
  expect(await types()).toMatchObject({ exitCode: 0, printed: "pdf-templates.ts: 2 templates\n" });
  expect(await runNode(folder, tsc(ofRepository), "--pretty", "false")).toBe("");
  expect(await runNode(folder, "program.js", service.baseUrl)).toBe(`${pdf.length} true\n`);
  expect(await types("--check")).toMatchObject({ exitCode: 0 });
  writeFileSync(join(folder, "samples/credit-note.ndjson"), '{"day":"1 May"}\n');
  const stale = expect.stringContaining("pdf-templates.ts is out of date: credit-note (day, date, reason).");
  expect(await types("--check")).toMatchObject({ exitCode: 1, printed: stale });
}, 120_000);
