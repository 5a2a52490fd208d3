import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runsNotes, runsTable } from "../../src/cli/queue/runs-table.ts";
import { run } from "../../src/cli/run.ts";
import type { QueueProgress } from "../../src/queue/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { FakeTerminal } from "./fake-terminal.ts";

const generate = "See template-pdf generate --help.";
const whole = "must be a whole number, 1 or more";
/** Nothing listens at this URL. */
const url = "redis://user:SECRET@127.0.0.1:1";
const queue = `--queue ${url}`;
const bulk = "bulk letter DATA";
const toFile = `${bulk} --out out/{{no}}.pdf`;
const work = `work --out a/{{no}}.pdf ${queue}`;

/** Runs the command, in which `DATA` is a CSV file with two rows. Its output never contains a secret. */
async function runCli(words: string, env: Readonly<Record<string, string>> = {}) {
  const data = join(temporaryFolder(), "rows.csv");
  writeFileSync(data, "no\n1\n1\n");
  const terminal = new FakeTerminal();
  const service = { TEMPLATE_PDF_API_KEY: "SECRET", TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:1" };
  terminal.env = { ...service, ...env };
  const code = await run(words.replace("DATA", data).split(" "), terminal);
  const { printed, stderr } = terminal;
  expect(printed + stderr.text).not.toContain("SECRET");
  return { code, printed, stderr: stderr.text };
}

it.each([
  ["generat", "Unknown command 'generat'. Did you mean generate? See template-pdf --help."],
  ["generate invoice --vlaues a.json", `Unknown option '--vlaues'. Did you mean --values? ${generate}`],
  ["generate invoice --apikey='SECRET'\n", `Unknown option '--apikey'. ${generate}`],
  ["generate invoice -kSECRET", `Unknown option '-k'. ${generate}`],
  ["generate", `Missing required argument 'uid'. ${generate}`],
  ["generate invoice total=SECRET", "Too many arguments for 'generate'. Expected 1 argument but got 2."],
  ["generate invoice -o", `-o takes a file; the value is missing. ${generate}`],
  ["emulate --host", "--host takes an address; the value is missing. See template-pdf emulate --help."],
  ["generate invoice --values a.json --values=SECRET", `--values may be given only once. ${generate}`],
  [`${bulk} --out a.pdf`, 'The path "a.pdf" has no placeholders, but every document needs '],
  [`${toFile} --concurrency many`, `--concurrency ${whole}, or auto, but got "many".`],
  [`${toFile} --per-second 0`, '--per-second must be a number greater than 0, but got "0".'],
  [`${toFile} --limit 1.5`, `--limit ${whole}, but got "1.5".`],
  [`${toFile} --stop-after 0`, `--stop-after ${whole}, but got "0".`],
  [`${toFile} --timeout soon`, '--timeout must be a duration from 1ms to 596h, but got "soon".'],
  [`${toFile} --format xml`, '--format must be csv, ndjson or json, but got "xml".'],
  [`${toFile} --report a.txt`, '--report must be a file name ending in .json or .csv, but got "a.txt".'],
  [`${toFile} --journal `, "--journal is empty. Give it a path, or leave it out."],
  [`${toFile} --journal a.csv --report ./a.csv`, "The report and the journal are the same file, ./a.csv."],
  [`${toFile} --key SECRET`, "The API key cannot be passed on the command line, "],
  [bulk, "Required option '--out <pattern>' not specified. See template-pdf bulk --help."],
  ["bulk .. DATA --out {{no}}", 'Expected a template uid from the dashboard, got ".."'],
  ["bulk letter /none.csv --out {{no}}", "Could not read /none.csv: there is no such file."],
  [`${bulk} --run nov`, "--run needs --queue. Add --queue, or leave out --run."],
  [`${toFile} --name a`, "--name needs --queue"],
  [`${toFile} --not-before 2026-11-30T06:00Z`, "--not-before needs --queue"],
  [
    `${bulk} ${queue} --run nov --not-before 2026-11-30T06:00`,
    '--not-before must be a time with a time zone, such as 2026-11-30T06:00Z or 2026-11-30T07:00+01:00, but got "2026-11-30T06:00".',
  ],
  [`${bulk} ${queue} --run nov --not-before 2026-02-31T06:00Z`, "--not-before must be a time"],
  [`${bulk} ${queue}`, "--queue needs a run name. Specify one, for example --run 2026-11."],
  [`${bulk} --queue --run nov`, "The queue URL is missing. Pass --queue redis://localhost:6379,"],
  [
    `${toFile} ${queue} --run nov --no-retry --report a.csv`,
    "--queue only adds rows to a queue and cannot be combined with --out, --report and --no-retry. Workers generate",
  ],
  [`work ${queue}`, "Required option '--out <pattern>' not specified. See template-pdf work --help."],
  [`${work} --concurrency auto`, "--concurrency must be a whole number"],
  [`work --out a.pdf ${queue}`, 'The path "a.pdf" has no placeholders'],
  ["runs", "The queue URL is missing."],
  [`runs ${queue} --name a:b`, '--name must be a string without a colon, but got "a:b".'],
  [`${work} --recover-after soon`, "--recover-after must be a duration from 1ms to 596h"],
  [`runs ${queue} --retry a --remove a`, "--retry and --remove cannot be used together."],
  [`runs ${queue} --failures a --cancel a`, "--failures and --cancel cannot be used together."],
  [`runs ${queue} --pause a --resume b --repair c`, "--pause and --resume cannot be used together."],
  ["runs --queue https://SECRET@host", "The queue URL is not a Redis URL."],
  ["runs --queue redis://user:12345/SECRET@host", "The queue URL has an @ after its host. "],
])("the command rejects the invalid command line %j with a one-line error", async (words, line) => {
  const { code, printed, stderr } = await runCli(words);
  expect({ code, printed }).toEqual({ code: 2, printed: "" });
  expect(stderr.startsWith(`template-pdf: ${line}`), stderr).toBe(true);
  expect(stderr.trimEnd()).not.toContain("\n");
});

describe("a command with a queue", () => {
  it("rejects a TEMPLATE_PDF_QUEUE_KEY that is not 32 bytes long, without printing the key", async () => {
    const env = { TEMPLATE_PDF_QUEUE_URL: url, TEMPLATE_PDF_QUEUE_KEY: "SECRET" };
    const { code, stderr } = await runCli("runs", env);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^template-pdf: TEMPLATE_PDF_QUEUE_KEY must be 32 bytes, base64-encoded\./);
  });

  it.each([
    ["bulk", `bulk invoice DATA ${queue} --run nov --debug`, {}],
    ["work", "work --out out/{{no}}.pdf --debug", { TEMPLATE_PDF_QUEUE_URL: url }],
    ["runs", "runs --debug", { TEMPLATE_PDF_QUEUE_URL: url }],
  ])("reports an unreachable Redis server without printing the password: %s", async (_command, line, env) => {
    const { code, printed, stderr } = await runCli(line, env);
    expect({ code, printed }).toEqual({ code: 1, printed: "" });
    expect(stderr).toMatch(/^template-pdf: Redis at 127\.0\.0\.1:1 cannot be reached: ECONNREFUSED\./);
  });

  it("needs neither Redis nor an API key if --dry-run is set", async () => {
    const line = `bulk invoice DATA ${queue} --run nov --dry-run`;
    const { code, printed } = await runCli(line, { TEMPLATE_PDF_API_KEY: "" });
    expect({ code, printed }).toEqual({
      code: 0,
      printed: expect.stringMatching(/: 2 rows are valid\. Nothing was sent\.\n$/),
    });
  });
});

describe("the table of runs", () => {
  const done = { run: "oct", total: 1200, fulfilled: 1199, rejected: 1, waiting: 0, active: 0, cancelled: 0 };
  const fleet = { workers: 2, limit: undefined, paused: undefined, addError: undefined };
  const first: QueueProgress = { ...done, ...fleet, perSecond: 0, leftMs: 0, isAdded: true };
  const second = { ...first, run: "nov\n", fulfilled: 100, waiting: 1083, active: 16 };

  it("shows the rate and the remaining time of unfinished runs", () => {
    const progresses = [first, { ...second, perSecond: 150, leftMs: 7321, isAdded: false }];
    expect(runsTable(progresses, "q")).toEqual([
      "run   total  fulfilled  rejected  waiting  active   rate  time left",
      "oct   1,200      1,199         1        0       0      -       done",
      "nov  1,200+        100         1    1,083      16  150/s        8 s",
    ]);
  });

  it("can list unfinished runs first, and reports an empty queue", () => {
    const table = runsTable([first, { ...second, leftMs: undefined }], "q", true);
    const rows = table.map((line) => line.replaceAll(/ +/g, " ")).slice(1);
    expect(rows).toEqual(["nov 1,200 100 1 1,083 16 0/s -", "oct 1,200 1,199 1 0 0 - done"]);
    expect(runsTable([], "q")).toEqual(["the q queue has no runs"]);
  });

  /** The cells of the only run. */
  const cellsOf = (progress: QueueProgress) => runsTable([progress], "q").at(1)?.split(/ {2,}/);
  const addError = "the last `add` call failed in the program that called it";

  it.each<[what: string, more: Partial<QueueProgress>, total: string, rate: string, left: string]>([
    ["paused", { paused: "the run is paused", perSecond: 3 }, "1,200", "3/s", "paused"],
    ["cancelled", { waiting: 0, active: 0, cancelled: 1099 }, "1,200", "-", "cancelled"],
    ["incomplete", { waiting: 0, active: 0, isAdded: false, addError }, "1,200", "-", "incomplete"],
    ["complete so far", { waiting: 0, active: 0, isAdded: false }, "1,200+", "-", "-"],
    ["not moving", { leftMs: undefined }, "1,200", "0/s", "-"],
  ])("shows a run that is %s", (_what, more, total, rate, left) => {
    const cells = cellsOf({ ...second, ...more });
    expect([cells?.[1], ...(cells?.slice(-2) ?? [])]).toEqual([total, rate, left]);
  });

  it("is followed by the workers, their limit, and why runs are not finished", () => {
    const outage = { paused: "the service is unavailable: 503", limit: 0.05, workers: 1 };
    const progresses = [
      { ...first, ...outage, run: "a" },
      { ...second, ...outage, run: "b", addError },
      { ...second, run: "c", cancelled: 1, paused: undefined },
    ];
    expect(runsNotes(progresses)).toEqual([
      "1 worker, at most 1 in 20 s",
      "2 runs: the service is unavailable: 503",
      "b: not all jobs were added: the last `add` call failed in the program that called it",
      "c: 1 job cancelled",
    ]);
    expect(runsNotes([first])).toEqual(["2 workers"]);
    expect(runsNotes([])).toEqual([]);
  });
});
