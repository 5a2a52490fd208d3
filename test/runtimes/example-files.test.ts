import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { consumer, makeProject } from "../package/consumer.ts";
import { readPdf } from "../support/pdf-text.ts";
import { strictOptions } from "../support/strict-options.ts";
import { startProgramIn } from "./bulk-examples/programs.ts";
import { nodeOf } from "./installed.ts";

/** What is slower among the single files of examples/: see example-starts.test.ts for the others. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
let emulator: Awaited<ReturnType<typeof startEmulator>>;
let folder: string;

beforeAll(async () => {
  folder = makeProject("slow-example-files", {
    "package.json": '{ "type": "module" }',
    "node_modules/.keep": "",
  });
  for (const name of ["zod", "pdfmake", "pdfjs-dist", "@types"])
    symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name));
  cpSync(join(repository, "examples"), join(folder, "examples"), { recursive: true });
  emulator = await startEmulator({ templates: join(repository, "examples/templates") });
});

afterAll(() => emulator.close());

const start = (...words: string[]) =>
  startProgramIn(folder, words, join(consumer, "node_modules/.bin"), {
    TEMPLATE_PDF_BASE_URL: emulator.baseUrl,
    TEMPLATE_PDF_API_KEY: emulator.apiKey,
  });

const textOf = async (path: string) => (await readPdf(readFileSync(join(folder, path)))).text;

describe.each(["dash", "bash"])("examples/generate.sh in %s", (shell) => {
  it("makes documents out of a file and out of a pipe, and tells what an exit code says", async () => {
    for (const file of readdirSync(folder).filter((name) => name.startsWith("from-")))
      rmSync(join(folder, file));
    const { exitCode, printed } = await start(shell, "examples/generate.sh").ended;
    const lines = printed.split("\n").filter((line) => /^(?:from-|made|failed|not sent)/.test(line));
    expect({ exitCode, lines }, printed).toEqual({
      exitCode: 0,
      lines: [
        expect.stringMatching(/^from-file\.pdf: \S+ kB$/),
        expect.stringMatching(/^from-pipe\.pdf: \d+ bytes$/),
        "not sent: mend the values",
      ],
    });
    expect(await textOf("from-file.pdf")).toMatch(/2026-0117[\s\S]*£640\.00/);
    expect(await textOf("from-pipe.pdf")).toMatch(/2026-0118[\s\S]*£94\.00/);
    expect(existsSync(join(folder, "from-nothing.pdf"))).toBe(false);
  });
});

describe("examples/typed-with-zod.ts", () => {
  const file = "examples/typed-with-zod.ts";

  it("compiles with the packed types, which find the mistake that it shows", () => {
    const program = ts.createProgram([join(folder, file)], strictOptions);
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    expect(messages).toEqual([]);
  });

  it.each([22, 24, 26] as const)("runs as it stands in Node %s", async (version) => {
    const { exitCode, printed } = await start(nodeOf(version), file).ended;
    expect({ exitCode, printed }).toEqual({
      exitCode: 0,
      printed: expect.stringMatching(/^typed\.pdf: \d+ bytes\nnot sent: total: .*\nnot sent: number: /),
    });
  });
});

describe("examples/demo.mjs", () => {
  it("makes its documents beside an installed package", async () => {
    const { exitCode, printed } = await start(process.execPath, "examples/demo.mjs").ended;
    expect({ exitCode, printed }).toEqual({
      exitCode: 0,
      printed: expect.stringMatching(/invoice\.pdf: 2 pages, .*\n.*certificate\.pdf: 1 page, /),
    });
    expect(await textOf("demo/certificate.pdf")).toContain("CERTIFICATE");
  });
});
