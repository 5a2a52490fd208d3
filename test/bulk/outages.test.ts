import type { PendingPdf } from "template-pdf";
import { RunStoppedError } from "template-pdf/bulk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JobSource } from "../../src/bulk/job-source.ts";
import { Outage } from "../../src/bulk/outage.ts";
import { Run, type RunParts } from "../../src/bulk/run.ts";
import type { BulkOutage } from "../../src/bulk/service-watch.ts";
import { TemplatePdf } from "../../src/index.ts";
import { type Jobs, jobsOf, small } from "./many.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How the service responds: with a status, or not at all. */
type Reply = number | "refused" | "reset";

interface SimulatedRun extends Partial<RunParts<Jobs[number], unknown>> {
  /** The number of jobs. Default: 100. */
  readonly count?: number;
  readonly giveUpAfterMs?: number;
  /** The response time of the service. Default: 20 ms. */
  readonly latencyMs?: number;
}

const network = (code: string, syscall: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });

/** Runs jobs in virtual time, eight at a time. `replyTo` receives the `n` and the time of each request. */
async function simulate(replyTo: (n: number, atMs: number) => Reply, options: SimulatedRun = {}) {
  const { count = 100, giveUpAfterMs = 900_000, latencyMs = 20, ...parts } = options;
  const startMs = performance.now();
  const sent: { readonly n: number; readonly atMs: number }[] = [];
  const outages: BulkOutage[] = [];
  const client = new TemplatePdf({
    ...{ baseUrl: "http://service.test", apiKey: "key", allowInsecureHttp: true },
    fetch: async (_url, { body }) => {
      const { n } = JSON.parse(String(body)) as { n: number };
      const atMs = performance.now() - startMs;
      sent.push({ n, atMs });
      const reply = replyTo(n, atMs);
      await new Promise((resolve) => setTimeout(resolve, reply === "refused" ? 1 : latencyMs));
      if (reply === "refused") throw network("ECONNREFUSED", "connect");
      if (reply === "reset") throw network("ECONNRESET", "read");
      const headers: Record<string, string> = reply === 429 ? { "retry-after": "60" } : {};
      return new Response(reply === 200 ? new Uint8Array(small) : "", { status: reply, headers });
    },
  });
  const results: { readonly index: number; readonly status: string; readonly attempts: number }[] = [];
  const run = new Run(client, new JobSource(jobsOf(count)), {
    use: (pdf: PendingPdf) => pdf.bytes(),
    watch: { giveUpAfterMs, onOutage: (outage) => void outages.push(outage) },
    concurrency: 8,
    ...parts,
  });
  const read = async () => {
    for await (const { index, status, attempts } of run) results.push({ index, status, attempts });
  };
  const ended = read()
    .catch((error: unknown) => error)
    .then((error) => ({ error, afterMs: performance.now() - startMs }));
  await vi.advanceTimersByTimeAsync(3 * 3_600_000);
  const rest = await ended;
  await client.close();
  const rejected = results.filter(({ status }) => status === "rejected");
  return { sent, outages, results, rejected, ...rest };
}

/** Simulates a service that is unavailable for this many seconds, after about forty requests. */
function awayFor(seconds: number, reply: Reply, fromMs = 100) {
  return (_n: number, atMs: number): Reply =>
    atMs >= fromMs && atMs < fromMs + seconds * 1000 ? reply : 200;
}

describe("an outage during a run", () => {
  it.each([
    ["refused", 1],
    ["refused", "auto"],
    [503, 2],
    [500, 8],
    [521, "auto"],
    ["reset", 8],
  ] as const)("does not cause any job to fail (symptom: %s, concurrency: %s)", async (reply, concurrency) => {
    const { rejected, results, error, outages, sent } = await simulate(awayFor(600, reply), { concurrency });
    expect({ rejected, resultCount: results.length, error }).toEqual({
      rejected: [],
      resultCount: 100,
      error: undefined,
    });
    expect(outages.map(({ isOver }) => isOver)).toEqual([false, true]);
    // At most 24: the requests in flight and their retries. At most 26: one request in each interval.
    expect(sent.filter(({ atMs }) => atMs >= 100 && atMs < 600_100).length).toBeLessThan(24 + 26);
  });

  it("limits the run to single requests at intervals of up to 30 s", async () => {
    const { sent } = await simulate(awayFor(200, "reset"), { latencyMs: 100 });
    const times = sent.map(({ atMs }) => atMs).filter((atMs) => atMs > 500 && atMs < 200_000);
    const gaps = times.slice(1).map((atMs, index) => (atMs - (times[index] ?? 0)) / 1000);
    // Each request also waits for the previous response.
    expect(gaps.map((gap) => gap.toFixed(1)).join(" ")).toBe("2.1 4.1 8.1 16.1 30.1 30.1 30.1 30.1 30.1");
  });

  it("is followed by a slow start with four concurrent requests", async () => {
    const options = { count: 300, latencyMs: 200, concurrency: "auto" } as const;
    const { sent, rejected } = await simulate(awayFor(60, 503, 2000), options);
    const during = sent.filter(({ atMs }) => atMs < 62_000);
    const [probe = { atMs: 0 }] = sent.slice(during.length);
    const next = sent.filter(({ atMs }) => atMs > probe.atMs && atMs < probe.atMs + 400);
    expect({ rejected, nextCount: next.length }).toEqual({ rejected: [], nextCount: 4 });
  });

  it("does not end when a response to an earlier request arrives", async () => {
    // A service that shuts down: it responds to accepted requests and refuses the others.
    const { outages, rejected, sent } = await simulate(awayFor(30, "refused", 1000), { latencyMs: 300 });
    expect({ rejected, outages: outages.map(({ isOver }) => isOver) }).toEqual({
      rejected: [],
      outages: [false, true],
    });
    expect(sent.filter(({ atMs }) => atMs > 1000 && atMs < 2000).length).toBeLessThanOrEqual(9);
  });

  it.each([
    ["drain", expect.objectContaining({ why: "`drain` was aborted" })],
    ["signal", "enough"],
  ])("does not delay the end of a run after `%s` is aborted", async (name, why) => {
    const ending = new AbortController();
    setTimeout(() => ending.abort("enough"), 20_000);
    const options = { [name]: ending.signal };
    const { error, rejected, results, afterMs } = await simulate(awayFor(600, "refused"), options);
    expect({ error, rejected, isCutShort: results.length < 100, afterMs }).toEqual({
      error: why,
      rejected: [],
      isCutShort: true,
      afterMs: 20_000,
    });
  });
});

it.each<
  [
    title: string,
    row: {
      readonly firstFailedJob: number;
      readonly failedJobs: number;
      readonly concurrency: number | "auto";
    },
  ]
>([
  ["one job", { firstFailedJob: 40, failedJobs: 1, concurrency: 8 }],
  ["twelve consecutive jobs at concurrency 1", { firstFailedJob: 40, failedJobs: 12, concurrency: 1 }],
  ["the first twelve jobs", { firstFailedJob: 0, failedJobs: 12, concurrency: "auto" }],
  ["the last two jobs", { firstFailedJob: 98, failedJobs: 2, concurrency: 8 }],
])(
  "a run rejects only the jobs that receive a 500: %s",
  async (_, { firstFailedJob, failedJobs, concurrency }) => {
    const replyTo = (n: number) => (n >= firstFailedJob && n < firstFailedJob + failedJobs ? 500 : 200);
    const { rejected, results, error, outages } = await simulate(replyTo, { concurrency });
    expect({ rejectedCount: rejected.length, resultCount: results.length, error }).toEqual({
      rejectedCount: failedJobs,
      resultCount: 100,
      error: undefined,
    });
    if (failedJobs < 3) expect(outages).toEqual([]);
    if (failedJobs === 1) expect(rejected).toMatchObject([{ attempts: 3 }]);
  },
);

it("Retry-After pauses the whole run", async () => {
  const { sent, rejected } = await simulate((n, atMs) => (n === 3 && atMs < 60_000 ? 429 : 200));
  const during = sent.filter(({ atMs }) => atMs > 25 && atMs < 60_000);
  expect({ during, rejected, sentCount: sent.length }).toEqual({ during: [], rejected: [], sentCount: 101 });
});

describe("an outage that lasts too long", () => {
  it.each([
    ["refused", "Could not reach http://service.test"],
    [503, "Got 503 from http://service.test"],
  ] as const)("stops the run after 15 minutes (symptom: %s)", async (reply, message) => {
    const { error, rejected, afterMs } = await simulate(awayFor(3600, reply));
    const why = `the service has been unavailable for 15 min; the last error: ${message}`;
    expect(RunStoppedError.is(error)).toBe(true);
    expect(error).toMatchObject({ why: expect.stringContaining(why), cause: expect.any(Error) });
    expect({ rejected, minutes: Math.round(afterMs / 60_000) }).toEqual({ rejected: [], minutes: 15 });
  });

  it.each([
    [0, 1],
    [5000, 4],
  ])("stops even a run of one job (`giveUpAfter`: %i, requests: %i)", async (giveUpAfterMs, times) => {
    const { error, sent } = await simulate(() => "refused", { count: 1, giveUpAfterMs });
    expect({ isRunStopped: RunStoppedError.is(error), sentCount: sent.length }).toEqual({
      isRunStopped: true,
      sentCount: times,
    });
  });
});

it("an outage begins when a request does not reach the service, and ends when the service responds", () => {
  const outage = new Outage(2500);
  outage.failed(1, "unreached", 0, 10);
  expect({ isOn: outage.isOn, sinceMs: outage.sinceMs, nextRequestAtMs: outage.nextRequestAtMs }).toEqual({
    isOn: true,
    sinceMs: 10,
    nextRequestAtMs: 1010,
  });
  // This request was in flight when the outage began.
  outage.failed(2, "unreached", 0, 20);
  outage.failed(1, "unreached", 1010, 1010);
  // The last request is due when the time limit ends.
  expect({
    nextRequestAtMs: outage.nextRequestAtMs,
    hasLastedTooLong: outage.hasLastedTooLong(2509),
  }).toEqual({ nextRequestAtMs: 2510, hasLastedTooLong: false });
  expect(outage.hasLastedTooLong(2510)).toBe(true);
  outage.answered();
  expect({
    isOn: outage.isOn,
    sinceMs: outage.sinceMs,
    hasLastedTooLong: outage.hasLastedTooLong(9999),
  }).toEqual({ isOn: false, sinceMs: undefined, hasLastedTooLong: false });
  outage.failed(1, "unreached", 5000, 5000);
  expect(outage.nextRequestAtMs).toBe(6000);
});
