import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spellings } from "../client/canaries.ts";
import { generateSetting } from "./generate-setting.ts";
import { runInProcess } from "./run-in-process.ts";

const key = "key-CANARY/+=0123456789";
const value = "Zoë CANARY <O'Neil> & Söhne";

interface Setup {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The files of the working directory; `undefined` creates a folder. */
  readonly files?: Readonly<Record<string, string | Uint8Array | undefined>>;
}

const notAnArgument =
  "The API key cannot be passed on the command line, because other users of this machine could see it, and the shell history would record it. " +
  "Set TEMPLATE_PDF_API_KEY=… in the environment or in the file .env in this folder.";
const file = ["--values", "values.json"];
const onInput = ["--values", "-"];
const inQuotes = "Write it as --set key=value, in quotes if it contains spaces.";
const noKey = { TEMPLATE_PDF_API_KEY: "" };
const unread = "Could not read the values from values.json";
const giveFile = "Give --values a JSON file, or - for standard input.";
const makeObject = "Use one JSON object with a property for each placeholder.";

describe("generate", () => {
  it.each<[args: readonly string[], line: string, setup?: Setup]>([
    [["--api-key", key], notAnArgument],
    [["--key", key], notAnArgument],
    [
      [],
      "The API key is missing. Set TEMPLATE_PDF_API_KEY=… in the environment or in the file .env in this folder; " +
        "the dashboard shows keys under Settings » API keys.",
      { env: noKey },
    ],
    [
      [],
      "The base URL of the service is missing. Set TEMPLATE_PDF_BASE_URL=https://pdf.example.com in the environment; " +
        "or pass --base-url https://pdf.example.com.",
      { env: { TEMPLATE_PDF_BASE_URL: "" } },
    ],
    [
      [],
      "Could not read .env in this folder: it is a folder. Fix that, or set TEMPLATE_PDF_API_KEY and TEMPLATE_PDF_BASE_URL " +
        "in the environment.",
      { env: noKey, files: { ".env": undefined } },
    ],
    [
      ["--base-url", "http://pdf.example.com"],
      "The API key would be sent to pdf.example.com unencrypted. Use https:// in the base URL, or set " +
        "--allow-insecure-http if you trust the network.",
    ],
    [["--set", "total=1", "--set", value], `The --set option at position 2 has no =. ${inQuotes}`],
    [["--set", `=${value}`], `The --set option at position 1 has no key before its =. ${inQuotes}`],
    [file, `${unread}: there is no such file. ${giveFile}`],
    [file, `${unread}: it is a folder. ${giveFile}`, { files: { "values.json": undefined } }],
    [
      file,
      "values.json:3:3: expected a comma.",
      { files: { "values.json": `{\n  "customer": "${value}"\n  "total": 1\n}` } },
    ],
    [
      file,
      "values.json:2:10: this is not UTF-8. Save it as UTF-8.",
      { files: { "values.json": Buffer.concat([Buffer.from('{\r\n  "€": "Z'), Buffer.of(0xfc)]) } },
    ],
    [onInput, `standard input:1:1: the values are an array. ${makeObject}`, { input: `["${value}"]` }],
    [onInput, `standard input:1:1: the values are null. ${makeObject}`, { input: "null" }],
    [onInput, "standard input:1:1: the JSON is empty; expected at least {}."],
    [
      onInput,
      "standard input:1:8: this number is too large; write it as a string in double quotes.",
      { input: '{"a": [1e999]}' },
    ],
    [
      ["-o", "missing/invoice.pdf"],
      'Could not save the document to "missing/invoice.pdf": its folder does not exist: create it first.',
    ],
    [
      ["-o", "folder", "--open"],
      'Could not save the document to "folder": it is a folder: name a file inside it.',
      { files: { folder: undefined } },
    ],
    [
      ["-o", "-", "--open"],
      "--open needs a file, but -o - writes to standard output. Give -o a file name, or leave out --open.",
    ],
    [
      ["--timeout", "soon"],
      '--timeout must be a duration from 1ms to 596h, but got "soon". ' +
        "Write it as 30s, 500ms, 2m or 1h; a bare number is in seconds.",
    ],
  ])("refuses %j in one line without a request: %s", async (args, line, { env, input, files = {} } = {}) => {
    const { service, cwd, env: defaultEnv } = await generateSetting(undefined, key);
    for (const [name, text] of Object.entries(files)) {
      await (text === undefined ? mkdir(join(cwd, name)) : writeFile(join(cwd, name), text));
    }
    const options = { cwd, env: { ...defaultEnv, ...env }, ...(input !== undefined && { input }) };
    const { code, stdout, stderr } = await runInProcess(["generate", "invoice", ...args], options);
    expect(stderr).toBe(`template-pdf: ${line}\n`);
    expect([code, stdout.length]).toEqual([2, 0]);
    const debugged = await runInProcess(["generate", "invoice", "--debug", ...args], options);
    expect(debugged.code).toBe(2);
    expect(debugged.stderr).toContain(`template-pdf: ${line}\n`);
    for (const secret of ["CANARY", ...spellings(key), ...spellings(value)]) {
      expect(stderr + debugged.stderr).not.toContain(secret);
    }
    expect(service.requests).toEqual([]);
    expect((await readdir(cwd)).sort()).toEqual(Object.keys(files).sort());
  });

  it("sends the key over http:// to another machine only with --allow-insecure-http", async () => {
    // An address that does not count as this machine, and at which nothing listens.
    const args = ["generate", "invoice", "--no-retry", "--base-url", "http://0.0.0.0:1"];
    const { cwd, env } = await generateSetting();
    const refused = await runInProcess(args, { cwd, env });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("would be sent to 0.0.0.0:1 unencrypted");
    const sent = await runInProcess([...args, "--allow-insecure-http"], { cwd, env });
    expect(sent.code).toBe(1);
    expect(sent.stderr).toContain("Could not reach http://0.0.0.0:1");
  });
});
