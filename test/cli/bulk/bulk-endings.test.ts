import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { run } from "../../../src/cli/run.ts";
import { type Answer, beginning, pdfOf, saying, withLength } from "../../support/service.ts";
import { ClosedPipe, FakeTerminal } from "../fake-terminal.ts";
import { Bench, csvOf, held, key, smallPdf } from "./command.ts";

const changed = "template-pdf: data.csv changed while it was being read. Run the command again.\n";

describe("Ctrl-C during a bulk run", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("finishes documents in flight after one %s and exits with %i", async (signal, code) => {
    const { answer, release } = held();
    const bench = await Bench.withRows(9, answer);
    const ended = bench.bulk("data.csv", ["--concurrency", "2", "--report", bench.path("r.json")]);
    await bench.service.request(1);
    bench.terminal.emit(signal);
    release();
    const ending = await ended;
    expect(ending).toMatchObject({
      code,
      stderr: "finishing 2 documents; press Ctrl-C again to stop now\n",
    });
    expect(ending.printed).toMatch(/^2 documents made, 7 left, in TIME\n/);
    expect(ending.printed).toMatch(/\nRun the same command again for what is left\. .*\n$/);
    expect(bench.files()).toEqual(["1.pdf", "2.pdf", "letter.journal"]);
    const report: { status: string; path: string }[] = JSON.parse(await bench.read("r.json"));
    expect(report.map(({ status }) => status).join(" ")).toBe(`made made${" left".repeat(7)}`);
    expect(report.at(-1)).toEqual({ line: 10, row: 9, path: bench.path("out/9.pdf"), status: "left" });
    expect(bench.terminal.exits).toEqual([]);
    expect((await bench.bulk("data.csv")).printed).toMatch(/^7 documents made, 2 made before, in TIME\n/);
    expect(bench.requestedNos()).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  it("cancels the documents in flight when pressed twice, and leaves no incomplete file", async () => {
    const incomplete = beginning(pdfOf(500_000).subarray(0, 300_000), { "content-length": "500000" });
    const bench = await Bench.withRows(9, incomplete);
    const ended = bench.bulk("data.csv", ["--concurrency", "2"]);
    await bench.service.request(1);
    bench.terminal.emit("SIGINT");
    bench.terminal.emit("SIGINT");
    const ending = await ended;
    expect(ending).toMatchObject({ code: 130 });
    expect(ending.printed).toMatch(/^0 documents made, 9 left, in TIME\n/);
    expect(bench.files()).toEqual(["letter.journal"]);
    expect(bench.terminal.exits).toEqual([]);
  });

  it("ends the process when pressed three times", async () => {
    const bench = await Bench.withRows(1, () => {});
    const ended = bench.bulk("data.csv");
    await bench.service.request();
    for (const exits of [[], [], [130]]) {
      bench.terminal.emit("SIGINT");
      expect(bench.terminal.exits).toEqual(exits);
    }
    await ended;
  });

  it("stops the run without a request while the rows are checked", async () => {
    const bench = await Bench.withRows(20_000);
    const ended = bench.bulk("data.csv");
    setImmediate(() => bench.terminal.emit("SIGINT"));
    expect(await ended).toEqual({ code: 130, printed: "", stderr: "" });
    expect(bench.service.requests).toEqual([]);
  });
});

describe("a bulk run stops early with exit code 3", () => {
  it.each<[title: string, answer: Answer, args: readonly string[], reason: string, left: string]>([
    [
      "after the number of failures in --stop-after",
      saying(422),
      ["--stop-after", "2"],
      "2 failed, reaching the --stop-after limit",
      "2 failed, 7 left",
    ],
    [
      "if the service requests a delay that is too long",
      saying(429, "", { "retry-after": "7200" }),
      [],
      "the service requests a delay of 7200 s, above the limit of one hour",
      "1 failed, 8 left",
    ],
  ])("%s", async (_title, answer, args, reason, left) => {
    const bench = await Bench.withRows(9, answer);
    const ending = await bench.bulk("data.csv", ["--concurrency", "1", ...args]);
    expect(ending.code).toBe(3);
    expect(ending.stderr.split("\n").at(-2)).toBe(`template-pdf: Stopped early: ${reason}.`);
    expect(ending.printed).toMatch(new RegExp(`^0 documents made, ${left}, in TIME\n`));
    expect(ending.printed).toMatch(/\nRun the same command again for what failed and what is left\. .*\n$/);
  });

  it("if the data changes during the run", async () => {
    const { answer, release } = held();
    const bench = await Bench.open(answer);
    // The data is larger than one chunk.
    const rows = Array.from({ length: 100 }, (_, index) => `${index},${"x".repeat(3000)}\n`).join("");
    bench.write("data.csv", `no,name\n${rows}`);
    const ended = bench.bulk("data.csv", ["--concurrency", "1"]);
    await bench.service.request();
    bench.write("data.csv", csvOf(3000));
    release();
    expect(await ended).toMatchObject({ code: 3, stderr: changed });
  });
});

describe("a bulk run is refused without a request", () => {
  it("if the journal belongs to another service", async () => {
    const bench = await Bench.withRows(1);
    await bench.bulk("data.csv");
    const flags = ["--base-url", `${bench.service.baseUrl}/prefix`];
    expect(await bench.bulk("data.csv", flags)).toEqual({
      code: 2,
      printed: "",
      stderr:
        'template-pdf: The journal "out/letter.journal" belongs to another run: name was "letter at ORIGIN" and is now "letter at ORIGIN/prefix". Use another journal, or start over with --fresh, which renames this one.\n',
    });
    expect(bench.service.requests).toHaveLength(1);
  });

  it("if another run uses the journal", async () => {
    const { answer, release } = held();
    const bench = await Bench.withRows(1, answer);
    const first = bench.bulk("data.csv");
    await bench.service.request();
    const second = await bench.bulk("data.csv", ["--report", bench.path("r.csv")]);
    expect(second).toMatchObject({ code: 2, printed: "" });
    expect(second.stderr).toMatch(
      /^template-pdf: The journal "out\/letter\.journal" is in use by another run /,
    );
    expect(bench.files(".")).toEqual(["data.csv", "out"]);
    release();
    expect((await first).code).toBe(0);
    expect(bench.service.requests).toHaveLength(1);
  });

  it.each([
    ["--out", "file/{{no}}.pdf", 'The folder "file" is not writable: a file with this name exists.'],
    ["--journal", "file/a", 'The journal "file/a" cannot be opened: a part of its path is a file'],
    ["--report", "r.csv", "Could not write r.csv: it is a folder: name a file inside it."],
  ])("if %s is %s, which cannot be written", async (option, path, message) => {
    const bench = await Bench.withRows(1);
    writeFileSync(bench.path("file"), "");
    mkdirSync(bench.path("r.csv"));
    const ending = await bench.bulk("data.csv", [option, bench.path(path)]);
    expect(ending).toMatchObject({ code: 2, stderr: expect.stringContaining(`template-pdf: ${message}`) });
    expect(bench.service.requests).toEqual([]);
  });

  it("if the data changes while it is checked", async () => {
    const bench = await Bench.withRows(50_000);
    bench.isTTY = true;
    const ended = bench.bulk("data.csv");
    await bench.terminal.stderr.shows("checking");
    bench.write("data.csv", csvOf(1));
    const { code, stderr } = await ended;
    expect([code, stderr.endsWith(changed)]).toEqual([2, true]);
    expect(bench.service.requests).toEqual([]);
  });
});

describe("a bulk run whose standard output is closed", () => {
  it("exits with code 141, and records the finished documents in its journal", async () => {
    const bench = await Bench.open();
    const data = bench.write("data.csv", csvOf(2));
    const terminal = new FakeTerminal();
    terminal.stdout = new ClosedPipe();
    terminal.env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: bench.service.baseUrl };
    expect(await run(["bulk", "letter", data, "--out", bench.path("out/{{no}}.pdf")], terminal)).toBe(141);
    expect(terminal.stderr.text).toBe("");
    expect((await bench.bulk("data.csv")).printed).toMatch(/^0 documents made, 2 made before/);
  });
});

describe("a bulk run", () => {
  it.each([
    ["retries a 503", [], { status: "made", attempts: 2 }],
    ["sends one request for a row with --no-retry", ["--no-retry"], { status: "failed", attempts: 1 }],
  ])("%s", async (_title, args, entry) => {
    const bench = await Bench.withRows(1, (received) =>
      (bench.service.requests.length === 1 ? saying(503) : withLength(smallPdf))(received),
    );
    await bench.bulk("data.csv", ["--report", bench.path("r.json"), ...args]);
    expect(JSON.parse(await bench.read("r.json"))).toMatchObject([entry]);
    expect(bench.service.requests).toHaveLength(entry.attempts);
  });

  it("limits the time of a document with --timeout", async () => {
    const bench = await Bench.withRows(1, () => {});
    const { code, stderr } = await bench.bulk("data.csv", ["--timeout", "20ms", "--no-retry"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^data\.csv:2: out\/1\.pdf: .*--timeout/);
  });

  it("limits the rate with --per-second, and shows the limit on the live line", async () => {
    const bench = await Bench.withRows(5, () => {});
    bench.isTTY = true;
    const ended = bench.bulk("data.csv", ["--per-second", "0.5"]);
    await bench.terminal.stderr.shows(", at most 0.5/s");
    await bench.service.request();
    bench.terminal.emit("SIGINT");
    bench.terminal.emit("SIGINT");
    expect((await ended).code).toBe(130);
    expect(bench.service.requests).toHaveLength(1);
  });

  it.each([
    ["and every row succeeds", withLength(smallPdf), "1 document made"],
    ["and every row fails", saying(422), "0 documents made, 1 failed"],
  ])("processes every row if its report cannot be written %s", async (_title, answer, made) => {
    const bench = await Bench.withRows(1, (received) => {
      rmSync(bench.path("reports"), { recursive: true, force: true });
      answer(received);
    });
    const { code, printed, stderr } = await bench.bulk("data.csv", ["--report", bench.path("reports/r.csv")]);
    expect(code).toBe(1);
    expect(stderr.split("\n").at(-2)).toBe(
      "template-pdf: All rows were processed, but the report was not written: Could not write reports/r.csv: its folder does not exist: create it first. Fix that, then run the same command again.",
    );
    expect(printed).toMatch(new RegExp(`^${made}, in TIME\n`));
    expect(printed).not.toContain("report ");
  });

  it("clears its live line before the summary", async () => {
    const { answer, release } = held();
    const bench = await Bench.withRows(3, answer);
    bench.isTTY = true;
    const ended = bench.bulk("data.csv");
    await bench.terminal.stderr.shows("3 in flight");
    release();
    const { code, stderr } = await ended;
    const [first, checking, ...others] = stderr.split("\r\u001b[K");
    expect([code, first, checking, others.at(-1)]).toEqual([0, "", "checking data.csv: 0 rows", ""]);
    expect(stderr).not.toContain("\n");
  });
});
