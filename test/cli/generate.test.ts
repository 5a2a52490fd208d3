import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spellings } from "../client/canaries.ts";
import { type Answer, beginning, cutOffAfter, pdfOf, Service, withLength } from "../support/service.ts";
import { generateSetting, runInProcess } from "./run-in-process.ts";

const pdf = pdfOf(36_789);
const secretKey = "key-CANARY/+=0123456789";
const value = "Zoë CANARY <O'Neil> & Söhne";

function expectNoSecret(text: string): void {
  for (const secret of ["CANARY", ...spellings(secretKey), ...spellings(value)]) {
    expect(text).not.toContain(secret);
  }
}

describe("the `generate` command", () => {
  it("saves the document as <uid>.pdf, and prints the file's name and size", async () => {
    const { service, cwd, env } = await generateSetting(withLength(pdf), "key-of-the-tests");
    const { code, stdout, stderr } = await runInProcess(["generate", "invoice"], { cwd, env });
    expect({ code, stderr, stdout: stdout.toString() }).toEqual({
      code: 0,
      stderr: "",
      stdout: "invoice.pdf: 36.8 kB\n",
    });
    expect(pdf.equals(await readFile(join(cwd, "invoice.pdf")))).toBe(true);
    expect(await readdir(cwd)).toEqual(["invoice.pdf"]);
    expect(service.requests).toMatchObject([
      {
        path: "/api/v1/templates/invoice/generate-sync",
        headers: { authorization: "API-Key key-of-the-tests", "content-type": "application/json" },
        body: "{}",
      },
    ]);
  });

  it.each([
    [["--", "../2026/März: 1"], "_2026_März_ 1.pdf"],
    [["invoice", "-o", "march.pdf"], "march.pdf"],
  ])("accepts the arguments %j and replaces the existing file %s", async (args, file) => {
    const { service, cwd, env } = await generateSetting();
    await writeFile(join(cwd, file), "an older one");
    const { code, stdout } = await runInProcess(["generate", ...args], { cwd, env });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: `${file}: 36.8 kB\n` });
    expect(await readdir(cwd)).toEqual([file]);
    expect(pdf.equals(await readFile(join(cwd, file)))).toBe(true);
    const uid = args.find((arg) => arg !== "--") ?? "";
    expect(service.requests[0]?.path).toBe(`/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`);
  });

  it.each([
    ["-", "-"],
    ["/dev/stdin", "/dev/stdout"],
  ])("reads stdin for --values %s, and writes the document to stdout for -o %s", async (from, to) => {
    const { service, cwd, env } = await generateSetting();
    const input = '{"text":"ü"}';
    const args = ["generate", "invoice", "--values", from, "-o", to];
    const { code, stdout, stderr } = await runInProcess(args, { cwd, env, input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(pdf.equals(stdout)).toBe(true);
    expect(await readdir(cwd)).toEqual([]);
    expect(service.requests[0]?.body).toBe(input);
  });

  it("sends the values from a file, and overrides them with strings from --set", async () => {
    const { service, cwd, env } = await generateSetting();
    const values = '\ufeff{"total": 1, "__proto__": "a", "lines": [{"price": 2.5}]}';
    await writeFile(join(cwd, "values.json"), values);
    const sets = ["total=0", "total=1,000", "customer.name=Zoë", "formula=a=b", "note=", "__proto__=b"];
    const args = ["generate", "invoice", "--values", "values.json", ...sets.flatMap((set) => ["--set", set])];
    expect(await runInProcess(args, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(service.requests[0]?.body).toBe(
      '{"total":"1,000","__proto__":"b","lines":[{"price":2.5}],"customer.name":"Zoë","formula":"a=b","note":""}',
    );
  });
});

describe("a failed `generate` command", () => {
  /** Responds with the API key and the body of the request. */
  const echo: Answer = ({ headers, body, response }) => {
    response.writeHead(400, { "content-type": "application/json", "x-request-id": "request-1" });
    response.end(JSON.stringify({ message: `${headers.authorization} sent ${body}` }));
  };

  const stalling = beginning(pdf.subarray(0, 20_000), { "content-length": String(pdf.length) });

  it.each<[string, { answer: Answer; flag: string; line: RegExp }]>([
    [
      "an error response",
      {
        answer: echo,
        flag: "--timeout=1h",
        line: /: Got 400 .*, saying "API-Key \[redacted\] sent .* Request id: request-1\.\n$/,
      },
    ],
    [
      "a truncated document",
      {
        answer: cutOffAfter(pdf, 18_400),
        flag: "--no-retry",
        line: /: The document from .* after 18400 of 36789 bytes /,
      },
    ],
    [
      "a document that takes too long",
      {
        answer: stalling,
        flag: "--timeout=100ms",
        line: / did not return a complete document within 100 ms\. .* --timeout 1s\.\n$/,
      },
    ],
  ])("prints a one-line error and exits with code 1 after %s", async (_, { answer, flag, line }) => {
    const { service, cwd, env } = await generateSetting(answer, secretKey);
    const args = ["generate", "invoice", "--set", `customer=${value}`, flag];
    const { code, stdout, stderr } = await runInProcess(args, { cwd, env });
    expect(stderr).toMatch(line);
    expect({ code, stdoutLength: stdout.length, firstLineLength: stderr.indexOf("\n") }).toEqual({
      code: 1,
      stdoutLength: 0,
      firstLineLength: stderr.length - 1,
    });
    const requestCount = service.requests.length;
    const debugged = await runInProcess([...args, "--no-retry", "--debug"], { cwd, env });
    expect({ code: debugged.code, requestCount: service.requests.length - requestCount }).toEqual({
      code: 1,
      requestCount: 1,
    });
    // The complete error with its stack.
    expect(debugged.stderr).toMatch(/\n(?:\w*Error|Failure)\b[\s\S]*\n {4}at /);
    expectNoSecret(stderr + debugged.stderr);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("escapes control characters in the error if --debug is set", async () => {
    const { cwd, env } = await generateSetting();
    const args = ["generate", "invoice", "--values", "\u001b]0;title\u0007\u009b2J\u202egpj.json", "--debug"];
    const { code, stderr } = await runInProcess(args, { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/\n {4}at /);
    expect(stderr.split("\\u001b]0;title\\u0007\\u009b2J\\u202egpj").length).toBeGreaterThan(2);
    expect(stderr.replaceAll("\n", "")).not.toMatch(/[\p{Bidi_Control}\p{Cc}]/u);
  });
});

describe("the `generate` command with invalid settings", () => {
  const noKey = { TEMPLATE_PDF_API_KEY: "" };
  const noBaseUrl = { TEMPLATE_PDF_BASE_URL: "" };

  it.each<[args: readonly string[], line: string, env?: Record<string, string>]>([
    [["--api-key", secretKey], "The API key cannot be passed on the command line,"],
    [[], "The API key is missing. Set TEMPLATE_PDF_API_KEY=… in the environment", noKey],
    [[], "The base URL of the service is missing. Set TEMPLATE_PDF_BASE_URL=", noBaseUrl],
    [["--set", "total=1", "--set", value], "The --set option at position 2 has no =."],
    [["--values", "none.json"], "Could not read the values from none.json: there is no such file."],
    [["--values", "values.json"], "values.json:3:3: expected a comma."],
    [["--values", "-"], "standard input:1:1: the JSON is empty; expected at least {}."],
    [["-o", "-", "--open"], "--open needs a file, but -o - writes to standard output."],
  ])("prints a one-line error for the arguments %j: %s", async (args, line, env = {}) => {
    const { service, cwd, env: usual } = await generateSetting(undefined, secretKey);
    await writeFile(join(cwd, "values.json"), `{\n  "customer": "${value}"\n  "total": 1\n}`);
    const options = { cwd, env: { ...usual, ...env } };
    const { code, stdout, stderr } = await runInProcess(["generate", "invoice", ...args], options);
    expect(stderr.startsWith(`template-pdf: ${line}`), stderr).toBe(true);
    expect({ code, stdoutLength: stdout.length, firstLineLength: stderr.indexOf("\n") }).toEqual({
      code: 2,
      stdoutLength: 0,
      firstLineLength: stderr.length - 1,
    });
    const debugged = await runInProcess(["generate", "invoice", "--debug", ...args], options);
    expect({ code: debugged.code, stderr: debugged.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(stderr),
    });
    expectNoSecret(stderr + debugged.stderr);
    expect(service.requests).toEqual([]);
    expect(await readdir(cwd)).toEqual(["values.json"]);
  });

  it("sends the key over http:// to another machine only if --allow-insecure-http is set", async () => {
    // An address that does not count as this machine, and at which nothing listens.
    const args = ["generate", "invoice", "--no-retry", "--base-url", "http://0.0.0.0:1"];
    const { cwd, env } = await generateSetting();
    const refused = await runInProcess(args, { cwd, env });
    const advice = "Use https:// in the base URL, or set --allow-insecure-http if you trust the network.";
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(advice),
    });
    const sent = await runInProcess([...args, "--allow-insecure-http"], { cwd, env });
    const problem = "template-pdf: Could not reach http://0.0.0.0:1 ";
    expect({ code: sent.code, stderr: sent.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(problem),
    });
  });
});

describe("the API key and the base URL", () => {
  interface Sources {
    readonly envFile?: string;
    readonly env?: Record<string, string>;
    readonly flags?: readonly string[];
  }

  async function settingsFrom({ envFile, env = {}, flags = [] }: Sources) {
    const { service, cwd } = await generateSetting();
    const here = (text: string) => text.replaceAll("<service>", service.baseUrl);
    if (envFile !== undefined) await writeFile(join(cwd, ".env"), here(envFile));
    const { code, stderr } = await runInProcess(["generate", "invoice", ...flags.map(here)], {
      cwd,
      env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, here(text)])),
    });
    const [request] = service.requests;
    return { code, stderr, key: request?.headers.authorization, path: request?.path.split("/api/")[0] };
  }

  const urlOnly = "TEMPLATE_PDF_BASE_URL=<service>/file\n";
  const both = `TEMPLATE_PDF_API_KEY=k-file\n${urlOnly}`;
  const key = { TEMPLATE_PDF_API_KEY: "k-env" };
  const url = { TEMPLATE_PDF_BASE_URL: "<service>/env" };
  const flags = ["--base-url", "<service>/flag"];
  const mixed =
    "template-pdf: the API key comes from the .env file in this folder, and the base URL from the environment.\n";

  it.each<[sources: Sources, key: string, path: string, stderr?: string]>([
    [{ envFile: `\ufeff# the service\nTEMPLATE_PDF_API_KEY='k-file'\nexport ${urlOnly}` }, "k-file", "/file"],
    [{ envFile: both, env: { TEMPLATE_PDF_API_KEY: "", ...url } }, "k-file", "/env", mixed],
    [{ envFile: `TEMPLATE_PDF_API_KEY=k-env\n${urlOnly}`, env: key }, "k-env", "/file"],
    [{ envFile: both, env: url, flags }, "k-file", "/flag"],
  ])("are read from %j as %s and %s", async (sources, apiKey, path, stderr = "") => {
    expect(await settingsFrom(sources)).toEqual({ code: 0, stderr, key: `API-Key ${apiKey}`, path });
  });

  it.each([
    [urlOnly, {}],
    [both, { TEMPLATE_PDF_BASE_URL: "" }],
  ])("are rejected if the environment sets the key and .env sets the URL: %j, %j", async (envFile, empty) => {
    expect(await settingsFrom({ envFile, env: { ...key, ...empty } })).toEqual({
      code: 2,
      stderr:
        "template-pdf: The API key from the environment (TEMPLATE_PDF_API_KEY) is not sent to the base URL from the .env file in this folder, " +
        "because someone else may have written that file. If you trust the base URL, export TEMPLATE_PDF_BASE_URL or pass --base-url.\n",
      key: undefined,
      path: undefined,
    });
  });

  it("are the only settings read from .env", async () => {
    const proxy = await Service.start(withLength(pdf));
    const proxies = ["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map((name) => `${name}=${proxy.baseUrl}\n`);
    const envFile = `${both}${proxies.join("")}NO_PROXY=\nNODE_TLS_REJECT_UNAUTHORIZED=0\n`;
    const before = { ...process.env };
    expect(await settingsFrom({ envFile })).toMatchObject({ code: 0, key: "API-Key k-file" });
    expect(proxy.requests).toEqual([]);
    expect({ ...process.env }).toEqual(before);
  });
});
