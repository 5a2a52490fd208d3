import { once } from "node:events";
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { beginning, heldBack, pdfOf, saying, withLength } from "../../support/service.ts";
import { closedOrigin } from "../../support/sockets.ts";
import { Bench, csvOf, smallPdf } from "./command.ts";

describe("an interrupted bulk run", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("finishes documents in flight after one %s, and exits with code %i", async (signal, code) => {
    const { answer, release } = heldBack(withLength(smallPdf));
    const bench = await Bench.withRows(9, answer);
    const ended = bench.bulk("data.csv", ["--concurrency", "2", "--report", bench.path("r.json")]);
    await bench.service.request(1);
    bench.terminal.emit(signal);
    release();
    const ending = await ended;
    const stderr = "finishing 2 documents; press Ctrl-C again to stop now\n";
    expect(ending).toMatchObject({ code, stderr });
    expect(ending.printed).toMatch(/^2 documents made, 7 left, in TIME\n/);
    expect(ending.printed).toMatch(/\nRun the same command again for what is left\. .*\n$/);
    expect(bench.files()).toEqual(["1.pdf", "2.pdf", "letter.journal"]);
    const report: { status: string; path: string }[] = JSON.parse(await bench.read("r.json"));
    expect(report.map(({ status }) => status).join(" ")).toBe(`made made${" left".repeat(7)}`);
    expect(report.at(-1)).toEqual({ line: 10, row: 9, path: bench.path("out/9.pdf"), status: "left" });
    expect(bench.terminal.exits).toEqual([]);
    expect((await bench.bulk("data.csv")).printed).toMatch(/^7 documents made, 2 made earlier, in TIME\n/);
    expect(bench.requestedNos()).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  it("ends the process after a third Ctrl-C, and leaves no incomplete files", async () => {
    const incomplete = beginning(pdfOf(500_000).subarray(0, 300_000), { "content-length": "500000" });
    const bench = await Bench.withRows(9, incomplete);
    const ended = bench.bulk("data.csv", ["--concurrency", "2"]);
    await bench.service.request(1);
    for (const exits of [[], [], [130]]) {
      bench.terminal.emit("SIGINT");
      expect(bench.terminal.exits).toEqual(exits);
    }
    const { code, printed } = await ended;
    expect({ code, printed }).toEqual({
      code: 130,
      printed: expect.stringMatching(/^0 documents made, 9 left, in TIME\n/),
    });
    expect(bench.files()).toEqual(["letter.journal"]);
  });

  it("stops waiting for the service", async () => {
    const bench = await Bench.withRows(30);
    const ended = bench.bulk("data.csv", ["--base-url", await closedOrigin()]);
    const { stderr } = bench.terminal;
    while (!stderr.text.includes("waiting for the service")) await once(stderr, "text");
    bench.terminal.emit("SIGINT");
    const stopping = expect.stringContaining("\nstopping; press Ctrl-C again to stop now\n");
    const printed = expect.stringMatching(/^0 documents made, 30 left, /);
    expect(await ended).toEqual({ code: 130, printed, stderr: stopping });
  });
});

describe("a bulk run that stops early", () => {
  it("exits with code 3 when it reaches the --stop-after limit", async () => {
    const bench = await Bench.withRows(9, saying(422));
    const ending = await bench.bulk("data.csv", ["--concurrency", "1", "--stop-after", "2"]);
    expect(ending.code).toBe(3);
    const reason = "2 failed, reaching the --stop-after limit";
    expect(ending.stderr.split("\n").at(-2)).toBe(`template-pdf: Stopped early: ${reason}.`);
    expect(ending.printed).toMatch(/^0 documents made, 2 failed, 7 left, in TIME\n/);
    expect(ending.printed).toMatch(/\nRun the same command again for what failed and what is left\. .*\n$/);
  });

  it("exits with code 3 if the data changes during the run", async () => {
    const { answer, release } = heldBack(withLength(smallPdf));
    const bench = await Bench.open(answer);
    // The data is larger than one chunk.
    const rows = Array.from({ length: 100 }, (_, index) => `${index},${"x".repeat(3000)}\n`).join("");
    bench.write("data.csv", `no,name\n${rows}`);
    const ended = bench.bulk("data.csv", ["--concurrency", "1"]);
    await bench.service.request();
    bench.write("data.csv", csvOf(3000));
    release();
    const stderr = "template-pdf: data.csv changed while it was being read. Run the command again.\n";
    expect(await ended).toMatchObject({ code: 3, stderr });
  });

  it.each([
    [401, 1, { whenAndWhy: "at the first failure: with this API key", whatToFix: "the API key" }],
    [
      403,
      5,
      { whenAndWhy: "after 5 failures: with this API key", whatToFix: "the API key or its permissions" },
    ],
    [
      404,
      5,
      { whenAndWhy: "after 5 failures: with this uid and base URL", whatToFix: "the uid or the base URL" },
    ],
    [
      422,
      20,
      { whenAndWhy: "after 20 failures: with values of this kind", whatToFix: "the values or the template" },
    ],
  ])(
    "exits with code 3 if every response is a %i (responses: %i)",
    async (status, count, { whenAndWhy, whatToFix }) => {
      const bench = await Bench.withRows(30, saying(status));
      const { code, printed, stderr } = await bench.bulk("data.csv", ["--concurrency", "1"]);
      expect(code).toBe(3);
      const reason = `template-pdf: Stopped ${whenAndWhy}, no other row would succeed`;
      expect(stderr.split("\n").at(-2)).toMatch(new RegExp(`^${reason}[.:]`));
      expect(printed.split("\n").at(-2)).toBe(`Fix ${whatToFix} first, then run the command again.`);
      expect(bench.service.requests).toHaveLength(count);
    },
  );

  it.each([
    [403, 3, "Fix the API key or its permissions first, then run the command again."],
    [404, 3, "Fix the uid or the base URL first, then run the command again."],
    [422, 1, "Fix the rows that failed, then run the same command again."],
    [418, 1, "Run the same command again for what failed."],
  ])(
    "says what to fix if all of a few responses are a %i, and exits with code %i",
    async (status, code, next) => {
      const bench = await Bench.withRows(3, saying(status));
      const ending = await bench.bulk("data.csv");
      expect(ending.code).toBe(code);
      expect(ending.printed.split("\n").at(-2)).toContain(next);
    },
  );

  it("exits with code 1 if some rows failed because of the uid, and others did not", async () => {
    const bench = await Bench.withRows(3, (received) =>
      (bench.service.requests.length === 2 ? withLength(smallPdf) : saying(404))(received),
    );
    const { code, printed } = await bench.bulk("data.csv", ["--concurrency", "1"]);
    expect({ code, firstLine: printed.split("\n")[0] }).toEqual({
      code: 1,
      firstLine: "1 document made, 2 failed, in TIME",
    });
  });

  it("exits with code 3 if an outage exceeds --give-up-after", async () => {
    const bench = await Bench.withRows(30);
    const flags = ["--base-url", await closedOrigin(), "--give-up-after", "1ms"];
    const { code, printed, stderr } = await bench.bulk("data.csv", flags);
    expect({ code, requests: bench.service.requests }).toEqual({ code: 3, requests: [] });
    const waiting =
      "waiting for the service for up to 1 ms: Could not reach .*ECONNREFUSED.*check the base URL.*";
    const stopped = "Stopped early: the service is unavailable; the last error: Could not .*";
    expect(stderr).toMatch(new RegExp(`^${waiting}\ntemplate-pdf: ${stopped}\\.\n$`));
    expect(printed).toMatch(/^0 documents made, 30 left, /);
    const outage = /\nThe service was unavailable once, for \d+ ms, and was still unavailable at the end\.\n/;
    expect(printed).toMatch(outage);
    expect(bench.terminal.stderr.text).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z waiting for the service /,
    );
    expect((await bench.bulk("data.csv")).printed).toMatch(/^30 documents made/);
  });
});

describe("a bulk run", () => {
  it("reports an outage, and then generates every document", async () => {
    const bench = await Bench.withRows(9, (received) =>
      (bench.service.requests.length <= 4 ? saying(503) : withLength(smallPdf))(received),
    );
    bench.isTTY = true;
    const { code, printed, stderr } = await bench.bulk("data.csv", ["--concurrency", "4"]);
    expect({ code, firstLine: printed.split("\n")[0] }).toEqual({
      code: 0,
      firstLine: "9 documents made, in TIME",
    });
    expect(printed).toMatch(/\nThe service was unavailable once, for 1(?:\.\d)? s\.\n$/);
    expect(stderr.endsWith("\r\u001b[K")).toBe(true);
    const lines = stderr.replaceAll("\r\u001b[K", "\n");
    expect(lines).toMatch(/^\nchecking data\.csv: 0 rows\n/);
    expect(lines).toContain(
      '\nwaiting for the service for up to 15 min: Got 503 from ORIGIN for template "letter". Try again later.\n',
    );
    expect(lines).toMatch(/0 of 9 {2}0 failed {2}no response for 1 s, next request in 1 s\n/);
    expect(lines).toMatch(/\nthe service is available again after 1(?:\.\d)? s\n/);
  });

  it.each([
    ["retries a row after a 503", [], { status: "made", attempts: 2 }],
    ["sends only one request per row with --no-retry", ["--no-retry"], { status: "failed", attempts: 1 }],
  ])("%s", async (_title, args, entry) => {
    const bench = await Bench.withRows(1, (received) =>
      (bench.service.requests.length === 1 ? saying(503) : withLength(smallPdf))(received),
    );
    await bench.bulk("data.csv", ["--report", bench.path("r.json"), ...args]);
    expect(JSON.parse(await bench.read("r.json"))).toMatchObject([entry]);
    expect(bench.service.requests).toHaveLength(entry.attempts);
  });

  it("limits its rate to the --per-second value, and shows the limit on its progress line", async () => {
    const bench = await Bench.withRows(5, () => {});
    bench.isTTY = true;
    const ended = bench.bulk("data.csv", ["--per-second", "0.5"]);
    await bench.terminal.stderr.shows("1 in flight, at most 0.5/s");
    await bench.service.request();
    bench.terminal.emit("SIGINT");
    bench.terminal.emit("SIGINT");
    expect((await ended).code).toBe(130);
    expect(bench.service.requests).toHaveLength(1);
  });

  it("processes every row even if its report cannot be written", async () => {
    const bench = await Bench.withRows(1, (received) => {
      rmSync(bench.path("reports"), { recursive: true, force: true });
      withLength(smallPdf)(received);
    });
    const { code, printed, stderr } = await bench.bulk("data.csv", ["--report", bench.path("reports/r.csv")]);
    expect(code).toBe(1);
    expect(stderr.split("\n").at(-2)).toBe(
      "template-pdf: All rows were processed, but the report was not written: Could not write reports/r.csv: its folder does not exist: create it first. Fix that, then run the same command again.",
    );
    expect(printed).toMatch(/^1 document made, in TIME\n/);
    expect(printed).not.toContain("report ");
  });
});
