import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { FakeTerminal } from "./fake-terminal.ts";

const generate = "See template-pdf generate --help.";
const whole = "must be a whole number, 1 or more";
const queue = "--queue redis://user:SECRET@127.0.0.1:1";
const bulk = "bulk letter DATA";
const toFile = `${bulk} --out out/{{no}}.pdf`;
const work = `work --out a/{{no}}.pdf ${queue}`;

it.each([
  ["generat", "Unknown command 'generat'. Did you mean generate? See template-pdf --help."],
  ["generate invoice --vlaues a.json", `Unknown option '--vlaues'. Did you mean --values? ${generate}`],
  ["generate invoice --apikey='SECRET'\n", `Unknown option '--apikey'. ${generate}`],
  ["generate invoice -kSECRET", `Unknown option '-k'. ${generate}`],
  ["generate", `Missing required argument 'uid'. ${generate}`],
  [
    "generate invoice total=SECRET",
    `Too many arguments for 'generate'. Expected 1 argument but got 2. ${generate}`,
  ],
  ["generate invoice -o", `-o takes a file; the value is missing. ${generate}`],
  ["emulate --host", "--host takes an address; the value is missing. See template-pdf emulate --help."],
  ["generate invoice --values a.json --values=SECRET", `--values may be given only once. ${generate}`],
  ["generate invoice -oa.pdf --output b.pdf", `-o may be given only once. ${generate}`],
  [`${bulk} --out a.pdf`, 'The path "a.pdf" has no placeholder, but every document needs '],
  [`${toFile} --concurrency many`, `--concurrency ${whole}, or auto, but got "many".`],
  [`${toFile} --per-second 0`, '--per-second must be a number greater than 0, but got "0".'],
  [`${toFile} --limit 1.5`, `--limit ${whole}, but got "1.5".`],
  [`${toFile} --stop-after 0`, `--stop-after ${whole}, but got "0".`],
  [`${toFile} --timeout soon`, '--timeout must be a duration from 1ms to 596h, but got "soon".'],
  [`${toFile} --format xml`, '--format must be csv, ndjson or json, but got "xml".'],
  [`${toFile} --report a.txt`, '--report must be a file name ending in .json or .csv, but got "a.txt".'],
  [`${toFile} --journal `, "--journal is empty. Give it a path, or leave it out."],
  [
    `${toFile} --journal a.csv --report ./a.csv`,
    "The report and the journal are the same file, ./a.csv. Give --report another name.",
  ],
  [`${toFile} --limit 1 --limit 2`, "--limit may be given only once. See template-pdf bulk --help."],
  [`${toFile} --key SECRET`, "The API key cannot be passed on the command line, "],
  [bulk, "Required option '--out <pattern>' not specified. See template-pdf bulk --help."],
  ["bulk .. DATA --out {{no}}", 'Expected a template uid from the dashboard, got ".."'],
  ["bulk letter /none.csv --out {{no}}", "Could not read /none.csv: there is no such file."],
  [`${bulk} --run nov`, "--run needs --queue. Add --queue, or leave it out."],
  [`${toFile} --name a`, "--name needs --queue"],
  [`${bulk} ${queue}`, "--queue needs a run name. Specify one, for example --run 2026-11."],
  [
    `${bulk} --queue --run nov`,
    "The URL of the queue is missing. Pass --queue redis://localhost:6379, or set",
  ],
  [
    `${toFile} ${queue} --run nov --no-retry --report a.csv`,
    "--queue only adds rows to a queue and cannot be combined with --out, --report and --no-retry. Workers generate",
  ],
  [`work ${queue}`, "Required option '--out <pattern>' not specified. See template-pdf work --help."],
  [`${work} --concurrency auto`, "--concurrency must be a whole number"],
  [`${work} --give-up-after never`, "--give-up-after must be a duration"],
  [`work --out a.pdf ${queue}`, 'The path "a.pdf" has no placeholder'],
  ["runs", "The URL of the queue is missing."],
  [`runs ${queue} --name a:b`, '--name must be a string without a colon, but got "a:b".'],
  [`runs ${queue} --retry a --remove a`, "--retry and --remove cannot be used together."],
  ["runs --queue https://SECRET@host", "The URL of the queue is not a Redis URL."],
  ["runs --queue redis://user:12345/SECRET@host", "The URL of the queue has an @ after its host. "],
])("the command refuses the invalid command line %j in one line", async (words, line) => {
  const data = join(temporaryFolder(), "rows.csv");
  writeFileSync(data, "no\n1\n");
  const terminal = new FakeTerminal();
  terminal.env = { TEMPLATE_PDF_API_KEY: "SECRET", TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:1" };
  expect(await run(words.replace("DATA", data).split(" "), terminal)).toBe(2);
  expect(terminal.stderr.text.startsWith(`template-pdf: ${line}`), terminal.stderr.text).toBe(true);
  expect(terminal.stderr.text.trimEnd()).not.toMatch(/\n|SECRET/);
  expect(terminal.printed).toBe("");
});
