import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startService } from "../../bench/queue/fleet.mjs";
import { limiterOf } from "../../bench/queue/limiter.mjs";
import { countWrongDocuments, jobsOf, mostWithin } from "../../bench/queue/run-fleet.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Counts the accepted requests if one arrives in each millisecond from `fromMs` to `toMs`. */
function acceptedBetween(take: (nowMs: number) => number, fromMs: number, toMs: number): number {
  let count = 0;
  for (let nowMs = fromMs; nowMs < toMs; nowMs++) if (take(nowMs) === 0) count += 1;
  return count;
}

describe("the rate limit of the queue benchmarks", () => {
  it.each(["bucket", "window"])("accepts 10 requests in each second after the first: %s", (kind) => {
    const take = limiterOf({ kind, perSecond: 10 });
    acceptedBetween(take, 0, 1000);
    for (const second of [1, 2, 3]) {
      expect(acceptedBetween(take, second * 1000, (second + 1) * 1000)).toBe(10);
    }
  });

  it.each([
    ["bucket", 100],
    ["window", 600],
  ])("returns the time until the next request is accepted: %s", (kind, waitMs) => {
    const take = limiterOf({ kind, perSecond: 10 });
    for (let count = 0; count < 10; count++) expect(take(400)).toBe(0);
    expect(take(400)).toBeCloseTo(waitMs);
    expect(take(400 + waitMs)).toBe(0);
  });

  it("accepts the requests of a whole minute at once", () => {
    const take = limiterOf({ kind: "window", perSecond: 2, windowMs: 60_000 });
    expect(acceptedBetween(take, 0, 1000)).toBe(120);
    expect(take(1000)).toBe(59_000);
  });
});

describe("the service of the queue benchmarks", () => {
  async function start(settings: object) {
    const service = await startService({ delayMs: 0, ...settings });
    onTestFinished(() => service.end());
    const send = (n: number) => fetch(service.baseUrl, { method: "POST", body: JSON.stringify({ n }) });
    return { ...service, send };
  }

  it("refuses the requests over its limit, and records all requests", async () => {
    // No request is accepted again within an hour.
    const limit = { kind: "window", perSecond: 2 / 3600, windowMs: 3_600_000, retryAfter: true };
    const { send, requests } = await start({ limit });
    const answers = [await send(0), await send(1), await send(2)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const [, , refusal] = answers;
    expect(Number(refusal?.headers.get("retry-after"))).toBeGreaterThan(3500);
    expect((await requests()).map(([, ...rest]: number[]) => rest)).toEqual([
      [200, 0],
      [200, 1],
      [429, 2],
    ]);
  });

  it("returns a PDF that contains the values, or 502", async () => {
    const { send } = await start({});
    const text = await (await send(7)).text();
    expect(text).toMatch(/^%PDF-1\.7\n\{"n":7\}.*%%EOF\n$/s);
    const { send: sendToBroken } = await start({ badGatewayShare: 1 });
    expect((await sendToBroken(7)).status).toBe(502);
  });
});

it("countWrongDocuments counts missing, truncated and exchanged documents", async () => {
  const service = await startService({ delayMs: 0 });
  onTestFinished(() => service.end());
  const folder = temporaryFolder();
  const pathOf = (n: number) => join(folder, `${n}.pdf`);
  const documents: Buffer[] = [];
  for (const { values } of jobsOf(5)) {
    const answer = await fetch(service.baseUrl, { method: "POST", body: JSON.stringify(values) });
    documents.push(Buffer.from(await answer.arrayBuffer()));
    writeFileSync(pathOf(values.n), documents[values.n] as Buffer);
  }
  expect(countWrongDocuments(folder, 5)).toBe(0);
  rmSync(pathOf(0));
  writeFileSync(pathOf(1), (documents[1] as Buffer).subarray(0, -1));
  writeFileSync(pathOf(2), documents[3] as Buffer);
  expect(countWrongDocuments(folder, 5)).toBe(3);
});

describe("mostWithin", () => {
  it("counts the most requests in any second, wherever the second begins", () => {
    expect(mostWithin([0, 900, 950, 1000, 1899, 1900, 5000], 1000)).toBe(4);
    expect(mostWithin([], 1000)).toBe(0);
  });
});
