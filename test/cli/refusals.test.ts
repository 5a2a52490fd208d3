import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spellings } from "../client/canaries.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { pdfOf, Service, withLength } from "../support/service.ts";
import { runHere } from "./command-here.ts";

const key = "key-CANARY/+=0123456789";
const value = "Zoë CANARY <O'Neil> & Söhne";

interface Refusal {
  readonly title: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Files of the working directory; a folder where the text is `undefined`. */
  readonly files?: Readonly<Record<string, string | Uint8Array | undefined>>;
  readonly line: string;
}

const keyFromCommandLine =
  "The API key is not taken from the command line, where other users of this machine and the shell's history see it. " +
  "Put TEMPLATE_PDF_API_KEY=… into the environment, or into the file .env in this folder.";

const onInput = ["--values", "-"];

const refusals: readonly Refusal[] = [
  { title: "--api-key", args: ["--api-key", key], line: keyFromCommandLine },
  { title: "--key", args: ["--key", key], line: keyFromCommandLine },
  {
    title: "no key anywhere",
    env: { TEMPLATE_PDF_API_KEY: "" },
    line:
      "The API key is missing. Put TEMPLATE_PDF_API_KEY=… into the environment, or into the file .env in this folder; " +
      "the dashboard shows keys under Settings » API keys.",
  },
  {
    title: "no base URL anywhere",
    env: { TEMPLATE_PDF_BASE_URL: "" },
    line:
      "The base URL of the service is missing. Put TEMPLATE_PDF_BASE_URL=https://pdf.example.com into the environment; " +
      "or give --base-url https://pdf.example.com.",
  },
  {
    title: "a .env that cannot be read",
    env: { TEMPLATE_PDF_API_KEY: "" },
    files: { ".env": undefined },
    line:
      "Could not read .env in this folder: it is a folder. Mend that, or put TEMPLATE_PDF_API_KEY and TEMPLATE_PDF_BASE_URL " +
      "into the environment.",
  },
  {
    title: "a key that would travel unencrypted",
    args: ["--base-url", "http://pdf.example.com"],
    line:
      "The API key would travel to pdf.example.com unencrypted. Use https:// in the base URL, or set " +
      "--allow-insecure-http if that network is yours.",
  },
  {
    title: "a --set without =",
    args: ["--set", "total=1", "--set", value],
    line: "--set number 2 has no =. Write it as --set key=value, in quotes where it holds spaces.",
  },
  {
    title: "a --set without a name",
    args: ["--set", `=${value}`],
    line: "--set number 1 has nothing before its =. Write it as --set key=value, in quotes where it holds spaces.",
  },
  {
    title: "a values file that is not there",
    args: ["--values", "values.json"],
    line:
      "Could not read the values from values.json: there is no such file. " +
      "Give --values a JSON file, or - for standard input.",
  },
  {
    title: "a folder for a values file",
    args: ["--values", "values.json"],
    files: { "values.json": undefined },
    line: "Could not read the values from values.json: it is a folder. Give --values a JSON file, or - for standard input.",
  },
  {
    title: "a values file that is no JSON",
    args: ["--values", "values.json"],
    files: { "values.json": `{\n  "customer": "${value}"\n  "total": 1\n}` },
    line: "values.json:3:3: a comma should stand here.",
  },
  {
    title: "a values file in another encoding",
    args: ["--values", "values.json"],
    files: {
      "values.json": Buffer.concat([Buffer.from('{\r\n  "€": "Z'), Buffer.of(0xfc), Buffer.from('"}')]),
    },
    line: "values.json:2:10: this is not UTF-8. Save it as UTF-8.",
  },
  {
    title: "values that are a list",
    args: onInput,
    input: JSON.stringify([value]),
    line: "standard input:1:1: the values are an array. Make them one JSON object, a member for each placeholder.",
  },
  {
    title: "values that are null",
    args: onInput,
    input: "null",
    line: "standard input:1:1: the values are null. Make them one JSON object, a member for each placeholder.",
  },
  {
    title: "no values at all on standard input",
    args: onInput,
    line: "standard input:1:1: there is nothing in it; at least {} should stand here.",
  },
  {
    title: "a number that is too large for JavaScript",
    args: onInput,
    input: '{"a": [1e999]}',
    line: "standard input:1:8: this number is too large; write it as text, in double quotes.",
  },
  {
    title: "an output in a folder that is not there",
    args: ["-o", "missing/invoice.pdf"],
    line: 'Could not save the document to "missing/invoice.pdf": its folder does not exist: create it first.',
  },
  {
    title: "an output that is a folder",
    args: ["-o", "folder"],
    files: { folder: undefined },
    line: 'Could not save the document to "folder": it is a folder: name a file inside it.',
  },
  {
    title: "--open without a file to open",
    args: ["-o", "-", "--open"],
    line: "--open opens a file, and -o - writes none. Give -o a file name, or leave --open out.",
  },
  {
    title: "a timeout that is none",
    args: ["--timeout", "soon"],
    line:
      '--timeout takes a duration from 1ms to 596h, and got "soon". ' +
      "Write it as 30s, 500ms, 2m or 1h; a bare number is in seconds.",
  },
];

describe("generate refuses, in one line, with exit code 2, and sends nothing", () => {
  it.each(refusals)("$title", async ({ args = [], env = {}, input, files = {}, line }) => {
    const service = await Service.start(withLength(pdfOf(1000)));
    const cwd = temporaryFolder();
    for (const [name, text] of Object.entries(files)) {
      await (text === undefined ? mkdir(join(cwd, name)) : writeFile(join(cwd, name), text));
    }
    const uid = args.includes("--") ? [] : ["invoice"];
    const whole = {
      cwd,
      env: { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: service.baseUrl, ...env },
      ...(input !== undefined && { input }),
    };
    const { code, stdout, stderr } = await runHere(["generate", ...uid, ...args], whole);
    expect(stderr).toBe(`template-pdf: ${line}\n`);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: "" });
    const debugged = await runHere(["generate", ...uid, "--debug", ...args], whole);
    expect(debugged.code).toBe(2);
    expect(debugged.stderr).toContain(`template-pdf: ${line}\n`);
    for (const secret of ["CANARY", ...spellings(key), ...spellings(value)]) {
      expect(stderr + debugged.stderr).not.toContain(secret);
    }
    expect(service.requests).toEqual([]);
    expect((await readdir(cwd)).sort()).toEqual(Object.keys(files).sort());
  });

  it("but not a key over http:// to another machine where --allow-insecure-http is given", async () => {
    // An address that is not known for this very machine, and leads nowhere.
    const args = ["generate", "invoice", "--base-url", "http://0.0.0.0:1"];
    const circumstances = { cwd: temporaryFolder(), env: { TEMPLATE_PDF_API_KEY: key } };
    const refused = await runHere(args, circumstances);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("would travel to 0.0.0.0:1 unencrypted");
    const tried = await runHere([...args, "--allow-insecure-http"], circumstances);
    expect(tried.code).toBe(1);
    expect(tried.stderr).toContain("Could not reach the service at http://0.0.0.0:1");
  });
});
