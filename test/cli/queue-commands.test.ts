import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runsTable } from "../../src/cli/queue/runs-table.ts";
import { run } from "../../src/cli/run.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { FakeTerminal } from "./fake-terminal.ts";

/** Nothing listens at this URL. */
const url = "redis://user:CANARY-password@127.0.0.1:1";

async function runCli(line: string, env: Readonly<Record<string, string>> = {}) {
  const terminal = new FakeTerminal();
  const service = { TEMPLATE_PDF_API_KEY: "CANARY-key", TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:1" };
  terminal.env = { ...service, ...env };
  const rows = join(temporaryFolder(), "rows.csv");
  writeFileSync(rows, "no\n1\n1\n");
  const code = await run(line.replace("ROWS", rows).split(" "), terminal);
  const { printed, stderr } = terminal;
  expect(printed + stderr.text).not.toContain("CANARY");
  return { code, printed, stderr: stderr.text.replaceAll("template-pdf: ", "") };
}

describe("a command with a queue", () => {
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
    const { code, printed, stderr } = await runCli(line, env);
    expect([code, printed]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Redis at 127\.0\.0\.1:1 cannot be reached: ECONNREFUSED\./);
  });

  it("checks the rows with --dry-run without Redis, --out or an API key", async () => {
    const line = `bulk invoice ROWS --queue ${url} --run nov --dry-run`;
    const { code, printed } = await runCli(line, { TEMPLATE_PDF_API_KEY: "" });
    expect([code, printed]).toEqual([0, expect.stringMatching(/: 2 rows are good\. Nothing was sent\.\n$/)]);
  });
});

describe("the table of runs", () => {
  const done = { run: "oct", total: 1200, fulfilled: 1199, rejected: 1, waiting: 0, active: 0 };
  const first = { ...done, perSecond: 0, leftMs: 0, isAdded: true };
  const second = { ...first, run: "nov\n", fulfilled: 100, waiting: 1083, active: 16 };

  it("shows the rate and the time left of unfinished runs", () => {
    const progresses = [first, { ...second, perSecond: 150, leftMs: 7321, isAdded: false }];
    expect(runsTable(progresses, "q")).toEqual([
      "run   total  fulfilled  rejected  waiting  active   rate  time left",
      "oct   1,200      1,199         1        0       0      -       done",
      "nov  1,200+        100         1    1,083      16  150/s        8 s",
    ]);
  });

  it("can list unfinished runs first, omits an unknown time left, and is one line without runs", () => {
    const table = runsTable([first, { ...second, leftMs: Number.POSITIVE_INFINITY }], "q", true);
    expect(table.map((line) => line.replaceAll(/ +/g, " ")).slice(1)).toEqual([
      "nov 1,200 100 1 1,083 16 0/s -",
      "oct 1,200 1,199 1 0 0 - done",
    ]);
    expect(runsTable([], "q")).toEqual(["the queue q has no runs"]);
  });
});
