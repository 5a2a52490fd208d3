import { describe, expect, it } from "vitest";
import { saying, withLength } from "../../support/service.ts";
import { Bench, csvOf, held, noOf, smallPdf } from "./command.ts";

describe("a bulk run in which no other row would succeed", () => {
  it.each([
    [401, 1, "at the first failure: with this API key", "the API key"],
    [403, 5, "after 5 failures: with this API key", "the API key or its permissions"],
    [404, 5, "after 5 failures: with this uid and base URL", "the uid or the base URL"],
    [422, 20, "after 20 failures: with values of this kind", "the values or the template"],
  ])("stops with exit code 3 after the first responses with %i", async (status, failureCount, when, what) => {
    const bench = await Bench.withRows(100, saying(status));
    const { code, printed, stderr } = await bench.bulk("data.csv", ["--concurrency", "1"]);
    expect(code).toBe(3);
    expect(stderr.split("\n").at(-2)).toMatch(
      new RegExp(`^template-pdf: Stopped ${when}, no other row would succeed[.:]`),
    );
    expect(printed.split("\n").at(-2)).toBe(`Fix ${what} first, then run the command again.`);
    expect(bench.service.requests).toHaveLength(failureCount);
  });

  it("continues when it is run with the right base URL", async () => {
    const bench = await Bench.withRows(6, (received) =>
      (received.path.startsWith("/wrong") ? saying(404) : withLength(smallPdf))(received),
    );
    expect((await bench.bulk("data.csv", ["--base-url", `${bench.service.baseUrl}/wrong`])).code).toBe(3);
    expect((await bench.bulk("data.csv")).printed).toMatch(/^6 documents made/);
  });
});

describe("a bulk run does not stop early", () => {
  it("if all remaining rows failed before and fail again", async () => {
    const bench = await Bench.withRows(8, (received) =>
      (noOf(received) === "1" ? withLength(smallPdf) : saying(403))(received),
    );
    for (const made of ["1 document made, 7 failed", "0 documents made, 1 made before, 7 failed"]) {
      const { code, printed } = await bench.bulk("data.csv", ["--concurrency", "1"]);
      expect([code, printed.startsWith(`${made}, in TIME`)]).toEqual([1, true]);
      expect(printed).toMatch(/\nRun the same command again for what failed\. .*\n$/);
    }
    expect(bench.service.requests).toHaveLength(15);
  });

  it("if it gets fewer than five 401 responses after an earlier run succeeded", async () => {
    const bench = await Bench.withRows(1, (received) =>
      (noOf(received) === "1" ? withLength(smallPdf) : saying(401))(received),
    );
    await bench.bulk("data.csv");
    bench.write("data.csv", csvOf(5));
    expect((await bench.bulk("data.csv", ["--concurrency", "1"])).code).toBe(1);
    bench.write("data.csv", csvOf(9));
    const { stderr } = await bench.bulk("data.csv", ["--concurrency", "1"]);
    expect(stderr).toContain("Stopped after 5 failures: ");
  });
});

describe("a bulk run that stopped because of systematic failures", () => {
  it("reports that rows in flight succeeded, and the next run continues", async () => {
    const { answer: delayed, release } = held();
    const bench = await Bench.withRows(20, (received) =>
      (Number(noOf(received)) <= 5 ? saying(403) : delayed)(received),
    );
    const ended = bench.bulk("data.csv", ["--concurrency", "8"]);
    await bench.terminal.stderr.shows("403", 5);
    release();
    const first = await ended;
    expect(first.code).toBe(3);
    expect(first.stderr).toMatch(/\. Later rows had already succeeded\.\n$/);
    expect(first.printed).toMatch(/\nRun the same command again for what failed and what is left\. /);
    const { code, printed } = await bench.bulk("data.csv", ["--concurrency", "8"]);
    expect([code, printed]).toEqual([1, expect.stringMatching(/ made before, 5 failed, in TIME\n/)]);
  });
});
