import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runsTable } from "../../src/cli/queue/runs-table.ts";
import { run } from "../../src/cli/run.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { FakeTerminal } from "./fake-terminal.ts";

const password = "CANARY-password";
/** Nothing listens at this URL. */
const url = `redis://user:${password}@127.0.0.1:1`;
const service = { TEMPLATE_PDF_API_KEY: "CANARY-key", TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:1" };

async function runCli(line: string, env: Readonly<Record<string, string>> = {}) {
  const terminal = new FakeTerminal();
  terminal.env = { ...service, ...env };
  const code = await run(line.split(" "), terminal);
  const { printed, stderr } = terminal;
  expect(printed + stderr.text).not.toContain("CANARY");
  return { code, printed, stderr: stderr.text.replaceAll("template-pdf: ", "") };
}

function writeRows(text: string): string {
  const path = join(temporaryFolder(), "rows.csv");
  writeFileSync(path, text);
  return path;
}

const bulk = "bulk invoice rows.csv";

describe("a command with a queue", () => {
  it.each([
    [`${bulk} --run nov`, /^--run needs --queue\. Add --queue, or leave it out\./],
    [`${bulk} --out a/{{no}}.pdf --name a`, /^--name needs --queue/],
    [bulk, /^Required option '--out <pattern>' not specified\. See template-pdf bulk --help\./],
    [`${bulk} --queue ${url}`, /^--queue needs a run name\. Specify one, for example --run 2026-11\./],
    [
      `${bulk} --queue --run nov`,
      /^The URL of the queue is missing\. Pass --queue redis:\/\/localhost:6379, or set/,
    ],
    [
      `${bulk} --queue ${url} --run nov --out a/{{no}}.pdf --no-retry --report a.csv`,
      /^--queue only adds rows to a queue and cannot be combined with --out, --report and --no-retry\. Workers generate/,
    ],
    [`${bulk} --queue ${url} --run nov --limit 0`, /^--limit must be a whole number/],
    [`${bulk} --queue ${url} --queue ${url} --run nov`, /^--queue may be given only once\./],
    [
      "work --queue redis://a",
      /^Required option '--out <pattern>' not specified\. See template-pdf work --help\./,
    ],
    [`work --out a/{{no}}.pdf --queue ${url} --concurrency auto`, /^--concurrency must be a whole number/],
    [`work --out a/{{no}}.pdf --queue ${url} --give-up-after never`, /^--give-up-after must be a duration/],
    [
      `work --out a/{{no}}.pdf --queue ${url} --per-second 0`,
      /^--per-second must be a number greater than 0/,
    ],
    [`work --out a.pdf --queue ${url}`, /^(?!Redis)/],
    ["runs", /^The URL of the queue is missing\./],
    [`runs --queue ${url} --name a:b`, /^--name must be a string without a colon, but got "a:b"\./],
    [`runs --queue ${url} --retry a --remove a`, /^--retry and --remove cannot be used together\./],
    [`runs --queue https://${password}@host`, /^The URL of the queue is not a Redis URL\./],
    [
      `runs --queue redis://CANARY-user:12345/${password}@host`,
      /^The URL of the queue has an @ after its host\. In a password, write @ as %40, \/ as %2F/,
    ],
  ])("refuses the command line: %s", async (line, message) => {
    const ending = await runCli(line);
    expect(ending).toMatchObject({ code: 2, printed: "" });
    expect(ending.stderr).toMatch(message);
  });

  it("refuses a TEMPLATE_PDF_QUEUE_KEY that does not have 32 bytes, without printing it", async () => {
    const env = { TEMPLATE_PDF_QUEUE_URL: url, TEMPLATE_PDF_QUEUE_KEY: "CANARY" };
    const { code, stderr } = await runCli("runs", env);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^TEMPLATE_PDF_QUEUE_KEY must be 32 bytes, base64-encoded\./);
  });

  it.each([
    ["bulk", `bulk invoice ROWS --queue ${url} --run nov --debug`, {}],
    ["work", "work --out out/{{no}}.pdf --debug", { TEMPLATE_PDF_QUEUE_URL: url }],
    ["runs", "runs --debug", { TEMPLATE_PDF_QUEUE_URL: url }],
  ])("reports an unreachable Redis without the password: %s", async (_command, line, env) => {
    const { code, printed, stderr } = await runCli(line.replace("ROWS", writeRows("no\n1\n")), env);
    expect([code, printed]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Redis at 127\.0\.0\.1:1 cannot be reached: ECONNREFUSED\./);
  });

  it("checks the rows with --dry-run without Redis, --out or an API key", async () => {
    const line = `bulk invoice ${writeRows("no\n1\n1\n")} --queue ${url} --run nov --dry-run`;
    expect(await runCli(line, { TEMPLATE_PDF_API_KEY: "" })).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/: 2 rows are good\. Nothing was sent\.\n$/),
    });
  });
});

describe("the table of runs", () => {
  const done = { run: "oct", total: 1200, fulfilled: 1199, rejected: 1, waiting: 0, active: 0 };
  const rest = { perSecond: 0, leftMs: 0, isAdded: true };
  const first = { ...done, ...rest };
  const second = { ...first, run: "nov\n", fulfilled: 100, waiting: 1083, active: 16 };

  it("shows the rate and the time left of unfinished runs", () => {
    const progresses = [first, { ...second, perSecond: 150, leftMs: 7321, isAdded: false }];
    expect(runsTable(progresses, "q")).toEqual([
      "run   total  fulfilled  rejected  waiting  active   rate  time left",
      "oct   1,200      1,199         1        0       0      -       done",
      "nov  1,200+        100         1    1,083      16  150/s        8 s",
    ]);
  });

  it("can list unfinished runs first, and omits an unknown time left", () => {
    const leftMs = Number.POSITIVE_INFINITY;
    const table = runsTable([first, { ...second, leftMs }], "q", true);
    expect(table.map((line) => line.replaceAll(/ +/g, " "))).toEqual([
      "run total fulfilled rejected waiting active rate time left",
      "nov 1,200 100 1 1,083 16 0/s -",
      "oct 1,200 1,199 1 0 0 - done",
    ]);
  });

  it("is replaced by one line if the queue has no runs", () => {
    expect(runsTable([], "q")).toEqual(["the queue q has no runs"]);
  });
});
