import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spellings } from "../client/canaries.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { type Answer, beginning, pdfOf, saying } from "../support/service.ts";
import { endingOf, runCommand, startCommand } from "./command.ts";
import { generateSetting } from "./generate-setting.ts";
import { runInProcess } from "./run-in-process.ts";

const key = "key-CANARY/+=0123456789";
const value = "Zoë CANARY <O'Neil> & Söhne";
const pdf = pdfOf(36_800);

/** Responds with the API key and the body of the request. */
const echo: Answer = ({ headers, body, response }) => {
  response.writeHead(400, { "content-type": "application/json", "x-request-id": "request-1" });
  response.end(JSON.stringify({ message: `${headers.authorization} sent ${body}` }));
};

const truncated: Answer = ({ response, socket }) => {
  response.writeHead(200, { "content-length": pdf.length });
  response.write(pdf.subarray(0, 18_400), () => socket.destroySoon());
};

describe("generate", () => {
  it.each<[line: string, answer: Answer, flag?: string]>([
    [
      'Got 400 from ORIGIN for template "invoice", saying "API-Key [redacted] sent {\\"customer\\":\\"[redacted]\\"}". ' +
        "Compare the values with the template's placeholders. Request id: request-1.",
      echo,
    ],
    [
      'Got 503 from ORIGIN for template "invoice". Try again later. Not retried: a delay of 10 s would exceed --timeout.',
      saying(503, "", { "retry-after": "10" }),
      "--timeout=5s",
    ],
    [
      'The document from ORIGIN for template "invoice" was truncated after 18400 of 36800 bytes (other side closed). Generate it again. Tried 3 times.',
      truncated,
    ],
    [
      "The service at ORIGIN did not return a complete document within 600 ms. Try again, or allow more time, for example --timeout 2s.",
      beginning(pdf.subarray(0, 20_000), { "content-length": String(pdf.length) }),
      "--timeout=600ms",
    ],
  ])("reports a failure in one line with exit code 1, and leaves no file: %s", async (line, answer, flag) => {
    const { service, cwd, env } = await generateSetting(answer, key);
    const args = ["generate", "invoice", "--set", `customer=${value}`, ...(flag ? [flag] : [])];
    const { code, stdout, stderr } = await runInProcess(args, { cwd, env });
    expect(stderr).toBe(`template-pdf: ${line.replace("ORIGIN", service.baseUrl)}\n`);
    expect([code, stdout.length]).toEqual([1, 0]);
    const requestCount = service.requests.length;
    const debugged = await runInProcess([...args, "--no-retry", "--debug"], { cwd, env });
    expect([debugged.code, service.requests.length - requestCount]).toEqual([1, 1]);
    // The complete error with its stack.
    expect(debugged.stderr).toMatch(/\n(?:\w*Error|Failure)\b[\s\S]*\n {4}at /);
    for (const secret of ["CANARY", ...spellings(key), ...spellings(value)]) {
      expect(stderr + debugged.stderr).not.toContain(secret);
    }
    expect(await readdir(cwd)).toEqual([]);
  });

  it("exits with code 1 if the service cannot be reached", async () => {
    const env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:1" };
    const { code, stderr } = await runCommand(["generate", "invoice"], { cwd: temporaryFolder(), env });
    expect(stderr).toBe(
      'template-pdf: Could not reach http://127.0.0.1:1 for template "invoice" (connect ECONNREFUSED 127.0.0.1:1). ' +
        "Check the base URL and the network. Tried 3 times.\n",
    );
    expect(code).toBe(1);
  });

  it("exits with code 1 after a truncated document on standard output", async () => {
    const { cwd, env } = await generateSetting(truncated);
    const ending = await runCommand(["generate", "invoice", "-o", "-"], { cwd, env });
    expect(ending.code).toBe(1);
    expect(ending.stderr).toContain("was truncated after 18400 of 36800 bytes");
    expect(pdf.subarray(0, ending.stdout.length).equals(ending.stdout)).toBe(true);
  });

  it("escapes control characters in the output of --debug", async () => {
    const { cwd, env } = await generateSetting();
    const args = ["generate", "invoice", "--values", "\u001b]0;title\u0007\u009b2J\u202egpj.json", "--debug"];
    const { code, stderr } = await runInProcess(args, { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/\n {4}at /);
    expect(stderr.split("\\u001b]0;title\\u0007\\u009b2J\\u202egpj").length).toBeGreaterThan(2);
    expect(stderr.replaceAll("\n", "")).not.toMatch(/[\p{Bidi_Control}\p{Cc}]/u);
  });
});

describe("an uncaught error", () => {
  /** Starts a dry run whose schema throws in a timer. */
  async function startThrowing() {
    const cwd = temporaryFolder();
    await writeFile(join(cwd, "rows.csv"), "no\n1\n");
    const schema = `const fail = () => { throw new Error("\\u001b[2J gone"); };
      const validate = () => new Promise(() => setTimeout(fail));
      export default { "~standard": { version: 1, vendor: "x", validate } };`;
    await writeFile(join(cwd, "schema.mjs"), schema);
    const files = ["letter", "rows.csv", "--schema", "schema.mjs", "--out", "out/{{no}}.pdf"];
    return startCommand(["bulk", ...files, "--dry-run"], { cwd });
  }

  it("is printed with its control characters escaped", async () => {
    const { code, stderr } = await endingOf(await startThrowing());
    expect(code).toBe(1);
    expect(stderr).toContain(String.raw`template-pdf: Error: \u001b[2J gone`);
    expect(stderr).not.toContain("\u001b");
  });

  it("ends the command with exit code 1 if standard error is closed", async () => {
    const child = await startThrowing();
    child.stderr.destroy();
    child.stdout.resume();
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(1);
  });
});
