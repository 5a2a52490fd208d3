import type { ClientOptions, PendingPdf } from "template-pdf";
import { RunStoppedError } from "template-pdf/bulk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JobSource } from "../../src/bulk/job-source.ts";
import { Run, type RunParts } from "../../src/bulk/run.ts";
import type { BulkOutage } from "../../src/bulk/service-watch.ts";
import { TemplatePdf } from "../../src/index.ts";
import { type Jobs, jobsOf, small } from "./many.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How the service responds: with a status, or not at all. */
type Reply = number | "refused" | "reset";

interface SimulatedRun extends Partial<RunParts<Jobs[number], unknown>> {
  readonly count: number;
  readonly giveUpAfterMs?: number;
  readonly client?: ClientOptions;
  /** The response time of the service. Default: 20 ms. */
  readonly latencyMs?: number;
}

const network = (code: string, syscall: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });

/** Runs jobs with `n` from 0, in virtual time from 0. The service receives the `n` and the time of each request. */
async function simulate(replyTo: (n: number, atMs: number) => Reply, options: SimulatedRun) {
  const { count, giveUpAfterMs = 900_000, client: clientOptions, latencyMs = 20, ...parts } = options;
  const startMs = performance.now();
  const sent: { readonly n: number; readonly atMs: number }[] = [];
  const outages: BulkOutage[] = [];
  const client = new TemplatePdf({
    ...{ baseUrl: "http://service.test", apiKey: "key", allowInsecureHttp: true },
    ...clientOptions,
    fetch: async (_url, { body }) => {
      const { n } = JSON.parse(String(body)) as { n: number };
      const atMs = performance.now() - startMs;
      sent.push({ n, atMs });
      const reply = replyTo(n, atMs);
      await new Promise((resolve) => setTimeout(resolve, reply === "refused" ? 1 : latencyMs));
      if (reply === "refused") throw network("ECONNREFUSED", "connect");
      if (reply === "reset") throw network("ECONNRESET", "read");
      return new Response(reply === 200 ? new Uint8Array(small) : "", { status: reply });
    },
  });
  const results: unknown[] = [];
  let error: unknown;
  const run = new Run(client, new JobSource(jobsOf(count)), {
    use: (pdf: PendingPdf) => pdf.bytes(),
    watch: { giveUpAfterMs, onOutage: (outage) => void outages.push(outage) },
    ...parts,
  });
  let isOver = false;
  (async () => {
    for await (const { index, status, attempts } of run) results.push({ index, status, attempts });
  })()
    .catch((thrown: unknown) => {
      error = thrown;
    })
    .finally(() => {
      isOver = true;
    });
  for (let second = 0; !isOver && second < 3 * 3600; second++) await vi.advanceTimersByTimeAsync(1000);
  expect(isOver, "the run came to its end").toBe(true);
  await client.close();
  const rejected = results.filter((result) => (result as { status: string }).status === "rejected");
  return { sent, outages, results, rejected, error, afterMs: performance.now() - startMs };
}

/** A service that is unavailable for this many seconds, from the first second on. */
function awayFor(seconds: number, reply: Reply, fromMs = 1000) {
  return (_n: number, atMs: number): Reply =>
    atMs >= fromMs && atMs < fromMs + seconds * 1000 ? reply : 200;
}

describe("an outage during a run", () => {
  it.each(
    (["refused", 503, 500, 521, "reset"] as const).flatMap((reply) =>
      ([1, 2, 8, "auto"] as const).map((concurrency) => ({ reply, concurrency })),
    ),
  )("does not fail jobs: $reply for 10 minutes, concurrency $concurrency", async ({ reply, concurrency }) => {
    const { rejected, results, error, outages, sent } = await simulate(awayFor(600, reply), {
      count: 1000,
      concurrency,
    });
    expect([rejected, results.length, error]).toEqual([[], 1000, undefined]);
    expect(outages.map(({ isOver }) => isOver)).toEqual([false, true]);
    // The requests in flight at its start, with at most two retries each, and then one request in each interval.
    expect(sent.filter(({ atMs }) => atMs >= 1000 && atMs < 601_000).length).toBeLessThan(64 + 26);
  });

  it("leads to one request at a time, at intervals that grow to 30 s", async () => {
    const options = { count: 1000, concurrency: 8, latencyMs: 100 };
    const { sent } = await simulate((n, atMs) => awayFor(200, "reset")(n, atMs), options);
    const times = sent.map(({ atMs }) => atMs).filter((atMs) => atMs > 1500 && atMs < 201_000);
    const gaps = times.slice(1).map((atMs, index) => (atMs - (times[index] ?? 0)) / 1000);
    // Each request also waits for the previous response.
    expect(gaps.map((gap) => gap.toFixed(1))).toEqual([
      "2.1",
      "4.1",
      "8.1",
      "16.1",
      "30.1",
      "30.1",
      "30.1",
      "30.1",
      "30.1",
    ]);
  });

  it("is followed by at most as many concurrent requests as at the start of a run", async () => {
    const latencyMs = 200;
    const { sent, rejected } = await simulate(awayFor(60, 503, 5000), { count: 3000, latencyMs });
    const during = sent.filter(({ atMs }) => atMs < 65_000);
    const [probe = { atMs: 0 }] = sent.slice(during.length);
    const next = sent.filter(({ atMs }) => atMs > probe.atMs && atMs < probe.atMs + 2 * latencyMs);
    expect([rejected, next.length]).toEqual([[], 4]);
    // Finally, the run is as fast as before.
    expect(sent.slice(-500)[0]?.atMs).toBeGreaterThan((sent.at(-1)?.atMs ?? 0) - 3000);
  });

  it("does not end because of responses to requests that were sent before it", async () => {
    // A service that shuts down: it responds to accepted requests and refuses the others.
    const { outages, rejected, sent } = await simulate(awayFor(30, "refused"), {
      count: 1000,
      concurrency: 8,
      latencyMs: 300,
    });
    expect([rejected, outages.map(({ isOver }) => isOver)]).toEqual([[], [false, true]]);
    expect(sent.filter(({ atMs }) => atMs > 1000 && atMs < 2000).length).toBeLessThanOrEqual(9);
  });

  it("rejects jobs without retries, as it would outside of an outage", async () => {
    const once = { client: { retry: { mayRenderTwice: false } }, count: 300, concurrency: 8 };
    const unserved = await simulate(awayFor(10, 503, 100), once);
    // Each request in flight, and each that checks whether the service is available again.
    expect(unserved.rejected.length).toBeGreaterThan(8);
    expect(unserved.rejected.length).toBeLessThan(16);
    expect((await simulate(awayFor(10, "refused", 100), once)).rejected).toEqual([]);
    const never = await simulate(awayFor(10, "refused", 100), { ...once, client: { retry: false } });
    expect(never.rejected.length).toBeLessThan(16);
  });

  it("ends with the run as soon as `drain` is aborted, and waiting jobs have no result", async () => {
    const draining = new AbortController();
    setTimeout(() => draining.abort(), 20_000);
    const options = { count: 1000, concurrency: 8, drain: draining.signal };
    const { error, rejected, results, afterMs } = await simulate(awayFor(600, "refused"), options);
    expect([RunStoppedError.is(error) && error.why, rejected]).toEqual(["`drain` was aborted", []]);
    expect([results.length < 1000, afterMs]).toEqual([true, 20_000]);
  });

  it("ends with the run as soon as `signal` is aborted", async () => {
    const ending = new AbortController();
    setTimeout(() => ending.abort("enough"), 20_000);
    const options = { count: 1000, concurrency: 8, signal: ending.signal };
    const { error, rejected, afterMs } = await simulate(awayFor(600, "refused"), options);
    expect([error, rejected, afterMs]).toEqual(["enough", [], 20_000]);
  });
});

describe("jobs that receive 500 while other jobs succeed", () => {
  it.each([
    ["one", 1, 8],
    ["one, with one in flight,", 1, 1],
    ["twelve in a row", 12, 8],
    ["twelve in a row, with one in flight,", 12, 1],
    ["the first twelve", 12, "auto"],
  ] as const)("are rejected after their attempts: %s", async (_which, badCount, concurrency) => {
    const from = concurrency === "auto" ? 0 : 40;
    const isBad = (n: number) => n >= from && n < from + badCount;
    const { rejected, results, error, outages } = await simulate((n) => (isBad(n) ? 500 : 200), {
      count: 400,
      concurrency,
    });
    expect([rejected.length, results.length, error]).toEqual([badCount, 400, undefined]);
    if (badCount === 1) expect([rejected, outages]).toEqual([[expect.objectContaining({ attempts: 3 })], []]);
  });

  it("are rejected if they are the last", async () => {
    const { rejected, outages } = await simulate((n) => (n > 97 ? 500 : 200), { count: 100, concurrency: 8 });
    expect([rejected.length, outages]).toEqual([2, []]);
  });
});

describe("an outage that lasts too long", () => {
  it.each([
    [
      "refused",
      "the service has been unavailable for 15 min; the last error: Could not reach http://service.test",
    ],
    [503, "the service has been unavailable for 15 min; the last error: Got 503 from http://service.test"],
  ] as const)("stops the run, and rejects no job: %s", async (reply, why) => {
    const options = { count: 1000, concurrency: 8 };
    const { error, rejected, afterMs } = await simulate(awayFor(3600, reply), options);
    expect(RunStoppedError.is(error)).toBe(true);
    expect(error).toMatchObject({ why: expect.stringContaining(why), cause: expect.any(Error) });
    expect([rejected, Math.round(afterMs / 60_000)]).toEqual([[], 15]);
  });

  it.each([
    [0, 1],
    [5000, 4],
  ])(
    "stops the run after `giveUpAfter: %i`, after %i requests of one job",
    async (giveUpAfterMs, sentCount) => {
      const { error, sent } = await simulate(() => "refused", { count: 1, giveUpAfterMs });
      expect([RunStoppedError.is(error), sent.length]).toEqual([true, sentCount]);
    },
  );

  it("does not stop the run with `Infinity`", async () => {
    const options = { count: 1000, concurrency: 8, giveUpAfterMs: Number.POSITIVE_INFINITY };
    const { rejected, results } = await simulate(awayFor(7200, "refused"), options);
    expect([rejected, results.length]).toEqual([[], 1000]);
  });
});

it("a run without outage detection rejects its jobs after their attempts", async () => {
  const { rejected, error } = await simulate(() => "refused", { count: 5, watch: undefined as never });
  expect([rejected.length, error]).toEqual([5, undefined]);
});
