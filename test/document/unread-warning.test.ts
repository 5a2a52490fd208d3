import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleSource } from "../support/bundle-source.ts";
import { runToEnd } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

const folder = makeTemporaryFolder("unread");
afterAll(folder.remove);
beforeAll(async () => {
  // In a folder of its own, as in `node_modules`.
  mkdirSync(join(folder.path, "package"));
  const outfile = join(folder.path, "package/client.mjs");
  await bundleSource('export * from "./src/index.ts";', outfile, { external: ["undici"] });
});

const beginning = `
  import { TemplatePdf } from "./package/client.mjs";
  const whole = new TextEncoder().encode("%PDF-1.4\\n%%EOF\\n");
  const endless = new ReadableStream({ start: (stream) => stream.enqueue(whole) });
  const pdfs = new TemplatePdf({
    baseUrl: "https://pdf.test",
    apiKey: "key-of-the-tests",
    timeouts: { unread: 50 },
    fetch: async (url) => new Response(url.includes("endless") ? endless : whole, { status: url.includes("missing") ? 404 : 200 }),
  });
`;

let programs = 0;

/** Runs a program that uses a client. Returns what it prints, and its exit code. */
async function run(code: string): Promise<{ printed: string; exitCode: number | null }> {
  const name = `main-${programs++}.mjs`;
  writeFileSync(join(folder.path, name), beginning + code);
  const { printed, exitCode } = await runToEnd(process.execPath, ["--expose-gc", name], { cwd: folder.path });
  return { printed, exitCode };
}

/** The warning for a line with the comment `here`. */
function warningFor(code: string, uid = "inv_2024"): RegExp {
  const line = (beginning + code).split("\n").findIndex((text) => text.includes("// here")) + 1;
  return new RegExp(
    `^\\(node:\\d+\\) \\[TEMPLATE_PDF_UNREAD\\] TemplatePdfWarning: A document for template "${uid}" was generated, but never read\\. ` +
      `Call an output method such as saveTo\\(\\) or bytes\\(\\), or cancel\\(\\)\\.\\n +at .*main-\\d+\\.mjs:${line}:\\d+\\)?\\n` +
      "(?:\\(Use `node --trace-warnings .*\\n)?$",
  );
}

describe("a document that is never read", () => {
  it.each([
    ["at the end of the program", 'await pdfs.generate("inv_2024", {}); // here\n'],
    ["at process.exit()", 'await pdfs.generate("inv_2024", {}); // here\nprocess.exit();'],
    [
      "once for several documents",
      'await pdfs.generate("inv_2024", {}); // here\nfor (let i = 0; i < 3; i++) await pdfs.generate("b", {});',
    ],
    [
      "also if its metadata is read",
      'async function send() {\n const pdf = await pdfs.generate("inv_2024", {}); // here\n return pdf.status + String(pdf.headers) }\nawait send();',
    ],
    [
      "when it is collected as garbage",
      `class Job { async run() {
          this.pdf = await pdfs.generate("inv_2024", {}); // here
        } }
        await new Job().run();
        const warned = new Promise((resolve) => process.once("warning", resolve));
        const timer = setInterval(() => gc(), 10);
        await warned;
        clearInterval(timer);`,
    ],
  ])("causes a process warning with the caller's line %s", async (_when, code) => {
    expect(await run(code)).toEqual({ printed: expect.stringMatching(warningFor(code)), exitCode: 0 });
  });

  it("causes the warning after `timeouts.unread`, if it does not arrive completely", async () => {
    const code = `
      const warned = new Promise((resolve) => process.once("warning", resolve));
      const pdf = await pdfs.generate("endless", {}); // here
      await warned;
      await pdf.bytes().catch(({ phase }) => console.log(phase));`;
    const { printed } = await run(code);
    expect(printed.replace(/^unread\n/m, "")).toMatch(warningFor(code, "endless"));
    expect(printed).toMatch(/^unread$/m);
  });

  it("causes a warning without a line if the call is not awaited", async () => {
    const { printed } = await run('pdfs.generate("inv_2024", {});');
    expect(printed).toMatch(
      /^.* TemplatePdfWarning: A document for template "inv_2024" .*cancel\(\)\.\n(?:\(Use.*\n)?$/,
    );
  });
});

it.each([
  ["bytes() of the pending result", 'await pdfs.generate("a", {}).bytes();'],
  ["bytes() of the document", 'const pdf = await pdfs.generate("a", {}); await pdf.bytes();'],
  [
    "a delay before it is read",
    'const pdf = await pdfs.generate("a", {}); await new Promise((resolve) => setTimeout(resolve, 60)); await pdf.bytes();',
  ],
  ["iteration", 'for await (const chunk of await pdfs.generate("a", {})) void chunk;'],
  ["a stream that is never read", 'const pdf = await pdfs.generate("a", {}); pdf.stream();'],
  [
    "both an output and the document",
    'const p = pdfs.generate("a", {}); const b = p.bytes(); await p; await b;',
  ],
  ["cancel()", 'const pdf = await pdfs.generate("a", {}); pdf.status; await pdf.cancel();'],
  [
    "cancel() of an incomplete document",
    'const pdf = await pdfs.generate("endless", {}); await pdf.cancel();',
  ],
  ["disposal", 'const pdf = await pdfs.generate("a", {}); await pdf[Symbol.asyncDispose]();'],
  [
    "an abort",
    'const leaving = new AbortController(); await pdfs.generate("endless", {}, { signal: leaving.signal }); leaving.abort();',
  ],
  ["an error", 'await pdfs.generate("missing", {}).catch(() => {});'],
])("no warning follows %s", async (_what, code) => {
  expect(await run(code)).toEqual({ printed: "", exitCode: 0 });
});

it("no warning follows a failure of the program", async () => {
  const code = 'await pdfs.generate("a", {}); process.exitCode = 3;';
  expect(await run(code)).toEqual({ printed: "", exitCode: 3 });
});
