import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { consumer, installed, makeProject, runNode } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

const service = await startPdfService();
afterAll(() => service.close());

const isWindows = process.platform === "win32";

/** The command as npm has linked it. */
const command = join(consumer, "node_modules", ".bin", isWindows ? "template-pdf.cmd" : "template-pdf");

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in a project, with a key and a base URL in the environment. */
function run(cwd: string, ...args: string[]): Promise<Result> {
  const settings = { TEMPLATE_PDF_API_KEY: "key", TEMPLATE_PDF_BASE_URL: service.baseUrl };
  return new Promise((resolve) => {
    const options = { cwd, env: environmentOfUsers(settings), shell: isWindows };
    execFile(command, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

describe("the installed command", () => {
  const folder = makeProject("command", {
    "values.json": '{"total": "£1,000"}',
    "templates/invoice.json": '{"content": ["Total {{total}}"]}',
  });

  it("prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(await run(folder, "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("generates a document", async () => {
    const result = await run(folder, "generate", "invoice", "--values", "values.json");
    expect(result).toEqual({ code: 0, stdout: `invoice.pdf: ${pdf.length} B\n`, stderr: "" });
    expect(readFileSync(join(folder, "invoice.pdf"), "latin1")).toBe(pdf);
  });

  it("names pdfmake if the emulator cannot load it", async () => {
    const { code, stdout, stderr } = await run(folder, "emulate", "templates", "--port", "0");
    expect(stderr).toMatch(/^template-pdf: [^\n]*npm install pdfmake[^\n]*\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });

  it("exits with 2 and one line for a wrong command line", async () => {
    const { code, stderr } = await run(folder, "generate");
    expect(stderr).toBe("template-pdf: Missing required argument 'uid'. See template-pdf generate --help.\n");
    expect(code).toBe(2);
  });
});

describe("the installed command types", () => {
  const folder = makeProject("types-command", {
    "package.json": '{"type":"module"}',
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "ES2022",
        lib: ["ES2022"],
        types: ["node"],
        strict: true,
      },
    }),
    "node_modules/.keep": "",
    "samples/invoice.json": '[{ "total": 12.5, "note": null }, { "total": "£12" }]',
    "samples/credit-note.ndjson": '{"date":"1 May"}\n{"date":"2 May","reason":"broken"}\n',
    "program.ts": `
      import { TemplatePdf, ValuesError } from "template-pdf";
      import { creditNote, type InvoiceValues, type Templates } from "./pdf-templates.js";

      const options = { baseUrl: process.argv[2] ?? "", apiKey: "key", allowInsecureHttp: true };
      const values: InvoiceValues = { total: "£1" };
      const pdf = await new TemplatePdf<Templates>(options).generate("invoice", values).bytes();
      const pdfs = new TemplatePdf(options);
      // @ts-expect-error no such property
      const wrong = pdfs.generate(creditNote, { date: "1 May", reasons: "late" });
      const error = await wrong.bytes().catch((reason: unknown) => reason);
      console.log(pdf.length, ValuesError.is(error));
    `,
  });
  for (const name of ["zod", "@types"]) {
    const target = fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url));
    symlinkSync(target, join(folder, "node_modules", name), "junction");
  }

  it("writes schemas that compile and work with the package, and checks them", async () => {
    const written = "pdf-templates.ts: 2 templates\n";
    expect(await run(folder, "types", "samples", "--zod")).toEqual({ code: 0, stdout: written, stderr: "" });
    const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
    expect(await runNode(folder, tsc, "--pretty", "false")).toBe("");
    expect(await runNode(folder, "program.js", service.baseUrl)).toBe(`${pdf.length} true\n`);
    expect(await run(folder, "types", "samples", "--zod", "--check")).toMatchObject({ code: 0 });
    writeFileSync(join(folder, "samples/credit-note.ndjson"), '{"day":"1 May"}\n');
    const { code, stderr } = await run(folder, "types", "samples", "--zod", "--check");
    expect(stderr).toContain("pdf-templates.ts is not what the samples say now.");
    expect(code).toBe(1);
  }, 120_000);
});
