import { createServer } from "node:http";
import { join } from "node:path";
import { type BulkOutage, type BulkProgress, type BulkResult, folder, runBulk } from "template-pdf/bulk";
import { expect, it, onTestFinished } from "vitest";
import { clientOf, rejectionOf } from "../support/service.ts";
import { open, type SocketServer } from "../support/sockets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { jobsOf, small } from "./many.ts";

/** Sets up a run of 40 jobs with a service that stops at its 11th request and can be restarted. */
async function setUp() {
  const requested: number[] = [];
  let server: SocketServer;
  const start = async (port = 0) => {
    const http = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      requested.push((JSON.parse(body) as { n: number }).n);
      if (requested.length === 11) return void server.close();
      response.writeHead(200, { "content-length": small.length }).end(small);
    });
    server = await open(http, port);
    return server.port;
  };
  const port = await start();
  onTestFinished(() => server.close());
  const at = temporaryFolder();
  const run = (options: object) =>
    runBulk({
      client: clientOf(`http://127.0.0.1:${port}`, { retry: {} }) as never,
      jobs: jobsOf(40) as never,
      sink: folder("out/{{n}}.pdf", { root: at }),
      journal: join(at, "run.journal"),
      concurrency: 4,
      ...options,
    });
  return { requested, run, startAgain: () => start(port) };
}

it("a run generates every document even if the service stops and restarts during the run", async () => {
  const { run, startAgain } = await setUp();
  const seen: unknown[] = [];
  let progress: BulkProgress | undefined;
  const summary = await run({
    onBegin: (given: BulkProgress) => {
      progress = given;
    },
    onOutage: ({ isOver, error, durationMs }: BulkOutage) => {
      const { outageMs = -1, nextRequestMs = -1 } = progress ?? {};
      seen.push([isOver, String(error), outageMs > 0, nextRequestMs > 0, durationMs >= 1000]);
      return isOver ? undefined : startAgain();
    },
  });
  expect(summary).toMatchObject({ fulfilled: 40, rejected: 0 });
  // The connection was refused, or was reset with the others in flight.
  const broken = expect.stringMatching(/^ConnectionError: /);
  expect(seen).toEqual([
    [false, broken, true, true, false],
    [true, broken, false, false, true],
  ]);
});

it("a run generates only the missing documents if an outage stopped the previous run", async () => {
  const { run, requested, startAgain } = await setUp();
  const fulfilled: number[] = [];
  const onResult = ({ index, status }: BulkResult<unknown>) =>
    status === "fulfilled" && fulfilled.push(index);
  expect(await rejectionOf(run({ giveUpAfter: 0, onResult }))).toMatchObject({
    name: "RunStoppedError",
    why: expect.stringMatching(/^the service is unavailable; the last error: (?:Could not|Got no)/),
    summary: { fulfilled: fulfilled.length, rejected: 0 },
  });
  expect(fulfilled.length).toBeGreaterThan(0);
  await startAgain();
  const before = requested.length;
  const left = 40 - fulfilled.length;
  expect(await run({})).toMatchObject({ fulfilled: left, skipped: fulfilled.length, rejected: 0 });
  expect(requested.slice(before).filter((n) => fulfilled.includes(n))).toEqual([]);
});
