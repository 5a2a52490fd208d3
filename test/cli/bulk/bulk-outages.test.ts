import { once } from "node:events";
import { expect, it } from "vitest";
import { saying, withLength } from "../../support/service.ts";
import { closedOrigin } from "../../support/sockets.ts";
import { Bench, csvOf, smallPdf } from "./command.ts";

it("a bulk run waits for an unavailable service, reports the outage, and generates every document", async () => {
  const bench = await Bench.open((received) =>
    (bench.service.requests.length <= 4 ? saying(503) : withLength(smallPdf))(received),
  );
  bench.write("data.csv", csvOf(9));
  const ended = bench.bulk("data.csv", ["--concurrency", "4"]);
  bench.terminal.stderr.isTTY = true;
  const { code, printed, stderr } = await ended;
  expect([code, printed.split("\n")[0]]).toEqual([0, "9 documents made, in TIME"]);
  const lines = stderr.replaceAll("\r\u001b[K", "\n").split("\n");
  expect(lines).toContainEqual(
    'waiting for the service, 15 min at most: Got 503 from ORIGIN for template "letter". Try again later.',
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/0 of 9 {2}0 failed {2}no response for 1 s, next request in 1 s$/),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^the service is available again after 1(?:\.\d)? s$/));
});

it("a bulk run exits with code 3 after --give-up-after, and the next run continues it", async () => {
  const bench = await Bench.open();
  bench.write("data.csv", csvOf(30));
  const origin = await closedOrigin();
  const { code, printed, stderr } = await bench.bulk("data.csv", [
    "--base-url",
    origin,
    "--give-up-after",
    "1ms",
  ]);
  expect([code, bench.service.requests]).toEqual([3, []]);
  const [waiting, stopped, ...others] = stderr.trim().split("\n");
  expect(waiting).toMatch(
    /^waiting for the service, 1 ms at most: Could not reach .*ECONNREFUSED.*Check the base URL/,
  );
  expect(stopped).toMatch(
    /^template-pdf: Stopped early: the service is unavailable; the last error: Could not .*\.$/,
  );
  expect(others).toEqual([]);
  expect(printed).toMatch(/^0 documents made, 30 left, /);
  expect(printed).toMatch(
    /\nRun the same command again for what is left\. Finished documents are not requested again\.\n$/,
  );
  expect((await bench.bulk("data.csv")).printed).toMatch(/^30 documents made/);
});

it("Ctrl-C stops a bulk run that waits for the service", async () => {
  const bench = await Bench.open();
  bench.write("data.csv", csvOf(30));
  const ended = bench.bulk("data.csv", ["--base-url", await closedOrigin()]);
  const { terminal } = bench;
  while (!terminal.stderr.text.includes("waiting for the service")) await once(terminal.stderr, "text");
  terminal.emit("SIGINT");
  const { code, printed, stderr } = await ended;
  expect([code, stderr.split("\n")[1]]).toEqual([130, "stopping; press Ctrl-C again to stop now"]);
  expect(printed).toMatch(/^0 documents made, 30 left, /);
});
