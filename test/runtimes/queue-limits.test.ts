import { expect, it } from "vitest";
import { type Answer, saying } from "../support/service.ts";
import { answerPdf, endOf, jobsOf, setUp } from "./queue/set-up.ts";

/** A service that refuses requests above its limit, and one that fails often. */

/** Tokens that refill evenly, as most rate limiters have. */
function limited(perSecond: number, headers: Record<string, string>): Answer {
  let tokens = perSecond;
  let lastMs = performance.now();
  return (received) => {
    const nowMs = performance.now();
    tokens = Math.min(perSecond, tokens + ((nowMs - lastMs) * perSecond) / 1000);
    lastMs = nowMs;
    const isServed = tokens >= 1;
    if (isServed) tokens--;
    return (isServed ? answerPdf : saying(429, "", headers))(received);
  };
}

it.each<[perSecond: number, what: string, headers: Record<string, string>]>([
  [10, "without `Retry-After`", {}],
  [5, "with `Retry-After`", { "retry-after": "1" }],
])(
  "six workers at a service that allows %d requests per second %s complete every job",
  async (perSecond, _what, headers) => {
    const { openQueue, runs, work, service } = await setUp(limited(perSecond, headers));
    const count = perSecond * 8;
    await runs.add("nov", jobsOf(count));
    const workers = Array.from({ length: 6 }, () => work(openQueue()));
    expect(await endOf(runs)).toMatchObject({ fulfilled: count, rejected: 0 });
    const results = workers.flatMap((worker) => worker.results);
    expect(results.every(({ status }) => status === "fulfilled")).toBe(true);
    expect(results.length).toBe(count);
    // Before they know the limit, each worker sends two requests.
    expect(service.requests.length / count).toBeLessThan(2);
  },
);

it("a limit of 20 requests per second includes retries", async () => {
  const arrivalsMs: number[] = [];
  const attempts = new Map<number, number>();
  const { openQueue, runs, work } = await setUp((received) => {
    arrivalsMs.push(performance.now());
    const { n } = JSON.parse(received.body) as { n: number };
    const attempt = (attempts.get(n) ?? 0) + 1;
    attempts.set(n, attempt);
    // 30 % of the requests fail, and no job fails three times.
    const failures = n % 10 === 0 ? 2 : n % 3 === 0 ? 1 : 0;
    (attempt > failures ? answerPdf : saying(502))(received);
  });
  await runs.add("nov", jobsOf(100));
  work(runs, { perSecond: 20 });
  work(openQueue());
  expect(await endOf(runs)).toMatchObject({ fulfilled: 100, rejected: 0 });
  expect(arrivalsMs.length).toBeGreaterThanOrEqual(150);
  const inSecondFrom = (fromMs: number) =>
    arrivalsMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 1000).length;
  // 22 on an idle machine; a busy one may delay requests.
  expect(Math.max(...arrivalsMs.map(inSecondFrom))).toBeLessThanOrEqual(24);
  expect((arrivalsMs.at(-1) as number) - (arrivalsMs[0] as number)).toBeGreaterThan(7_000);
});
