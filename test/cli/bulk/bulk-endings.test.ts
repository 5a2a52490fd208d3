import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { run } from "../../../src/cli/run.ts";
import { type Answer, beginning, pdfOf, saying, withLength } from "../../support/service.ts";
import { ClosedPipe, FakeTerminal } from "../fake-terminal.ts";
import { Bench, csvOf, held, key, small } from "./command.ts";

const changed = "template-pdf: data.csv changed while it was being read. Run the command again.\n";

describe("Ctrl-C in a bulk run", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("once, by %s, finishes what is in hand and ends with %i", async (signal, code) => {
    const { answer, release } = held();
    const bench = await Bench.withRows(9, answer);
    const ended = bench.bulk("data.csv", ["--concurrency", "2", "--report", bench.path("r.json")]);
    await bench.service.request(1);
    bench.terminal.emit(signal);
    release();
    const ending = await ended;
    expect(ending).toMatchObject({ code, told: "finishing 2 documents; press Ctrl-C again to stop now\n" });
    expect(ending.printed).toMatch(/^2 documents made, 7 left, in TIME\n/);
    expect(ending.printed).toMatch(/\nRun the same command again for what is left\. .*\n$/);
    expect(bench.files()).toEqual(["1.pdf", "2.pdf", "letter.journal"]);
    const report: { status: string; path: string }[] = JSON.parse(await bench.read("r.json"));
    expect(report.map(({ status }) => status).join(" ")).toBe(`made made${" left".repeat(7)}`);
    expect(report.at(-1)).toEqual({ line: 10, row: 9, path: bench.path("out/9.pdf"), status: "left" });
    expect(bench.terminal.exits).toEqual([]);
    expect((await bench.bulk("data.csv")).printed).toMatch(/^7 documents made, 2 made before, in TIME\n/);
    expect(bench.asked()).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  it("twice gives up what is in hand, and leaves no half of a file", async () => {
    const half = beginning(pdfOf(500_000).subarray(0, 300_000), { "content-length": "500000" });
    const bench = await Bench.withRows(9, half);
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

  it("three times ends the process", async () => {
    const bench = await Bench.withRows(1, () => {});
    const ended = bench.bulk("data.csv");
    await bench.service.request();
    for (const exits of [[], [], [130]]) {
      bench.terminal.emit("SIGINT");
      expect(bench.terminal.exits).toEqual(exits);
    }
    await ended;
  });

  it("while the rows are checked, sends nothing", async () => {
    const bench = await Bench.withRows(20_000);
    const ended = bench.bulk("data.csv");
    setImmediate(() => bench.terminal.emit("SIGINT"));
    expect(await ended).toEqual({ code: 130, printed: "", told: "" });
    expect(bench.service.requests).toEqual([]);
  });
});

describe("a bulk run stops before its end, with exit code 3,", () => {
  it.each<[title: string, answer: Answer, args: readonly string[], told: string, left: string]>([
    [
      "after as many failures as --stop-after allows",
      saying(422),
      ["--stop-after", "2"],
      "2 failed, the limit of --stop-after",
      "2 failed, 7 left",
    ],
    [
      "when the service asks to wait for too long",
      saying(429, "", { "retry-after": "7200" }),
      [],
      "the service requests a delay of 7200 s, above the limit of one hour",
      "1 failed, 8 left",
    ],
  ])("%s", async (_title, answer, args, told, left) => {
    const bench = await Bench.withRows(9, answer);
    const ending = await bench.bulk("data.csv", ["--concurrency", "1", ...args]);
    expect(ending.code).toBe(3);
    expect(ending.told.split("\n").at(-2)).toBe(`template-pdf: Stopped early: ${told}.`);
    expect(ending.printed).toMatch(new RegExp(`^0 documents made, ${left}, in TIME\n`));
    expect(ending.printed).toMatch(/\nRun the same command again for what failed and what is left\. .*\n$/);
  });

  it("when the data is changed meanwhile", async () => {
    const { answer, release } = held();
    const bench = await Bench.open(answer);
    // More than is read at once.
    const rows = Array.from({ length: 100 }, (_, index) => `${index},${"x".repeat(3000)}\n`).join("");
    bench.write("data.csv", `no,name\n${rows}`);
    const ended = bench.bulk("data.csv", ["--concurrency", "1"]);
    await bench.service.request();
    bench.write("data.csv", csvOf(3000));
    release();
    expect(await ended).toMatchObject({ code: 3, told: changed });
  });
});

describe("a bulk run is refused, and nothing is sent,", () => {
  it("where the journal is of another service", async () => {
    const bench = await Bench.withRows(1);
    await bench.bulk("data.csv");
    const flags = ["--base-url", `${bench.service.baseUrl}/prefix`];
    expect(await bench.bulk("data.csv", flags)).toEqual({
      code: 2,
      printed: "",
      told: 'template-pdf: The journal "out/letter.journal" belongs to another run: name was "letter at ORIGIN" and is now "letter at ORIGIN/prefix". Use another journal, or start over with --fresh, which renames this one.\n',
    });
    expect(bench.service.requests).toHaveLength(1);
  });

  it("where the journal is in use", async () => {
    const { answer, release } = held();
    const bench = await Bench.withRows(1, answer);
    const first = bench.bulk("data.csv");
    await bench.service.request();
    const second = await bench.bulk("data.csv", ["--report", bench.path("r.csv")]);
    expect(second).toMatchObject({ code: 2, printed: "" });
    expect(second.told).toMatch(
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
  ])("where %s names %s, which cannot be written", async (option, path, told) => {
    const bench = await Bench.withRows(1);
    writeFileSync(bench.path("file"), "");
    mkdirSync(bench.path("r.csv"));
    const ending = await bench.bulk("data.csv", [option, bench.path(path)]);
    expect(ending).toMatchObject({ code: 2, told: expect.stringContaining(`template-pdf: ${told}`) });
    expect(bench.service.requests).toEqual([]);
  });

  it("where the data changes while it is checked", async () => {
    const bench = await Bench.withRows(50_000);
    bench.isTTY = true;
    const ended = bench.bulk("data.csv");
    await bench.terminal.stderr.shows("checking");
    bench.write("data.csv", csvOf(1));
    const { code, told } = await ended;
    expect([code, told.endsWith(changed)]).toEqual([2, true]);
    expect(bench.service.requests).toEqual([]);
  });
});

describe("standard output of a bulk run", () => {
  it("that nobody reads any more ends it with 141, and what is made is noted", async () => {
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
      (bench.service.requests.length === 1 ? saying(503) : withLength(small))(received),
    );
    await bench.bulk("data.csv", ["--report", bench.path("r.json"), ...args]);
    expect(JSON.parse(await bench.read("r.json"))).toMatchObject([entry]);
    expect(bench.service.requests).toHaveLength(entry.attempts);
  });

  it("limits how long a document may take by --timeout", async () => {
    const bench = await Bench.withRows(1, () => {});
    const { code, told } = await bench.bulk("data.csv", ["--timeout", "20ms", "--no-retry"]);
    expect(code).toBe(1);
    expect(told).toMatch(/^data\.csv:2: out\/1\.pdf: .*--timeout/);
  });

  it("limits the rate by --per-second, and shows that on the live line", async () => {
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
    ["all", withLength(small), "1 document made"],
    ["none", saying(422), "0 documents made, 1 failed"],
  ])("goes on to its end if its report cannot be written; %s are made", async (_title, answer, made) => {
    const bench = await Bench.withRows(1, (received) => {
      rmSync(bench.path("reports"), { recursive: true, force: true });
      answer(received);
    });
    const { code, printed, told } = await bench.bulk("data.csv", ["--report", bench.path("reports/r.csv")]);
    expect(code).toBe(1);
    expect(told.split("\n").at(-2)).toBe(
      "template-pdf: All rows were processed, but the report was not written: Could not write reports/r.csv: its folder does not exist: create it first. Fix that, then run the same command again.",
    );
    expect(printed).toMatch(new RegExp(`^${made}, in TIME\n`));
    expect(printed).not.toContain("report ");
  });

  it("wipes its live line away before the last lines", async () => {
    const { answer, release } = held();
    const bench = await Bench.withRows(3, answer);
    bench.isTTY = true;
    const ended = bench.bulk("data.csv");
    await bench.terminal.stderr.shows("3 in flight");
    release();
    const { code, told } = await ended;
    const [first, checking, ...others] = told.split("\r\u001b[K");
    expect([code, first, checking, others.at(-1)]).toEqual([0, "", "checking data.csv: 0 rows", ""]);
    expect(told).not.toContain("\n");
  });
});
