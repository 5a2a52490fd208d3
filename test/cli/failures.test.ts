import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spellings } from "../client/canaries.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { type Answer, beginning, pdfOf, Service, saying } from "../support/service.ts";
import { runCommand, startCommand } from "./command.ts";
import { runHere } from "./command-here.ts";

const key = "key-CANARY/+=0123456789";
const value = "Zoë CANARY <O'Neil> & Söhne";
const pdf = pdfOf(36_800);

/** Says all that it was sent. */
const echo =
  (status: number): Answer =>
  ({ headers, body, response }) => {
    response.writeHead(status, { "content-type": "application/json", "x-request-id": "request-1" });
    response.end(JSON.stringify({ message: `${headers.authorization} sent ${body}` }));
  };

const echoed = 'saying "API-Key [redacted] sent {\\"customer\\":\\"[redacted]\\"}"';

const failures: readonly { title: string; answer: Answer; flags?: readonly string[]; line: string }[] = [
  {
    title: "400",
    answer: echo(400),
    line: `The service at ORIGIN answered 400 for template "invoice", ${echoed}. Compare the values with the placeholders of the template; the whole answer of the service is in the \`body\` of the error, for programs. Request id: request-1.`,
  },
  {
    title: "503, with a wait that is too long",
    answer: saying(503, "", { "retry-after": "10" }),
    flags: ["--timeout", "5s"],
    line: 'The service at ORIGIN answered 503 for template "invoice". The service failed: try again later. Not tried again: after a wait of 10 s, nothing would be left of --timeout.',
  },
  {
    title: "half a document",
    answer: ({ response, socket }) => {
      response.writeHead(200, { "content-length": pdf.length });
      response.write(pdf.subarray(0, 18_400), () => socket.destroySoon());
    },
    line: 'The document for template "invoice" from ORIGIN was cut off: 18400 of 36800 bytes arrived (other side closed). Do not use what arrived; generate it again. Tried 3 times.',
  },
  {
    title: "no whole document in time",
    answer: beginning(pdf.subarray(0, 20_000), { "content-length": String(pdf.length) }),
    flags: ["--timeout=600ms"],
    line: "The service at ORIGIN gave no whole document within 600 ms. Try again, or allow it more time, as in --timeout 2s.",
  },
];

describe("generate says what failed in one line, with exit code 1, and leaves no file behind", () => {
  it.each(failures)("$title", async ({ answer, flags = [], line }) => {
    const service = await Service.start(answer);
    const cwd = temporaryFolder();
    const env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: service.baseUrl };
    const args = ["generate", "invoice", "--set", `customer=${value}`, ...flags];
    const { code, stdout, stderr } = await runHere(args, { cwd, env });
    expect(stderr).toBe(`template-pdf: ${line.replace("ORIGIN", service.baseUrl)}\n`);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: "" });
    const debugged = await runHere([...args, "--no-retry", "--debug"], { cwd, env });
    expect(debugged.code).toBe(1);
    // The whole error, with the stack that leads to it.
    expect(debugged.stderr).toMatch(/\n(?:\w*Error|Failure)\b[\s\S]*\n {4}at /);
    for (const secret of ["CANARY", ...spellings(key), ...spellings(value)]) {
      expect(stderr + debugged.stderr).not.toContain(secret);
    }
    expect(await readdir(cwd)).toEqual([]);
  });

  it("a terminal obeys nothing of what --debug prints", async () => {
    const hostile = "\u001b]0;title\u0007\u009b2J\u202egpj";
    const cwd = temporaryFolder();
    const args = ["generate", "invoice", "--values", `${hostile}.json`, "--debug"];
    const env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:1" };
    const { code, stderr } = await runHere(args, { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/\n {4}at /);
    expect(stderr.split("\\u001b]0;title\\u0007\\u009b2J\\u202egpj").length).toBeGreaterThan(2);
    expect(stderr.replaceAll("\n", "")).not.toMatch(/[\p{Bidi_Control}\p{Cc}]/u);
  });

  it("a terminal obeys nothing of an error that nobody caught", async () => {
    const cwd = temporaryFolder();
    await writeFile(join(cwd, "rows.csv"), "no\n1\n");
    await writeFile(
      join(cwd, "schema.mjs"),
      'setTimeout(() => { throw new Error("\\u001b[2J gone"); });\nawait new Promise((resolve) => setTimeout(resolve, 60_000));\n',
    );
    const args = [
      "bulk",
      "letter",
      "rows.csv",
      "--schema",
      "schema.mjs",
      "--out",
      "out/{{no}}.pdf",
      "--dry-run",
    ];
    const { stderr } = await runCommand(args, { cwd });
    expect(stderr).toContain(String.raw`template-pdf: Error: \u001b[2J gone`);
    expect(stderr).not.toContain("\u001b");
  });

  it("exits with 1 after an uncaught error even if standard error is closed", async () => {
    const cwd = temporaryFolder();
    await writeFile(join(cwd, "rows.csv"), "no\n1\n");
    await writeFile(
      join(cwd, "schema.mjs"),
      'const validate = () => new Promise(() => setTimeout(() => { throw new Error("gone"); }));\nexport default { "~standard": { version: 1, vendor: "x", validate } };\n',
    );
    const files = ["letter", "rows.csv", "--schema", "schema.mjs", "--out", "out/{{no}}.pdf"];
    const child = startCommand(["bulk", ...files, "--dry-run"], { cwd });
    child.stderr.destroy();
    child.stdout.resume();
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(1);
  });

  it("a service that is not there", async () => {
    const cwd = temporaryFolder();
    // Nobody listens there: it is the port of a service of 1988.
    const env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:1" };
    const { code, stderr } = await runCommand(["generate", "invoice"], { cwd, env });
    expect(stderr).toBe(
      'template-pdf: Could not reach the service at http://127.0.0.1:1 for template "invoice" (connect ECONNREFUSED 127.0.0.1:1). ' +
        "Check the base URL, and that the service can be reached from here; then try again. Tried 3 times.\n",
    );
    expect(code).toBe(1);
  });

  it("tries once where every render is paid for", async () => {
    const service = await Service.start(saying(503));
    const env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: service.baseUrl };
    const args = ["generate", "invoice", "--no-retry"];
    const { code } = await runHere(args, { cwd: temporaryFolder(), env });
    expect({ code, requests: service.requests.length }).toEqual({ code: 1, requests: 1 });
  });

  it("half a document on standard output", async () => {
    const service = await Service.start(({ response, socket }) => {
      response.writeHead(200, { "content-length": pdf.length });
      response.write(pdf.subarray(0, 18_400), () => socket.destroySoon());
    });
    const env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: service.baseUrl };
    const ending = await runCommand(["generate", "invoice", "-o", "-"], { cwd: temporaryFolder(), env });
    expect(ending.code).toBe(1);
    expect(ending.stderr).toContain("was cut off: 18400 of 36800 bytes arrived");
    expect(pdf.subarray(0, ending.stdout.length).equals(ending.stdout)).toBe(true);
  });
});
