import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "template-pdf/bulk";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { answerPdf, endOf, jobsOf, setUp } from "./queue/set-up.ts";

const count = 300;
const keyOf = ({ values }: Job) => `no-${(values as { n: number }).n}`;

/** Cuts the end of the append-only file, which Redis had not yet written to the disk. */
function cutAppendOnlyFile(folder: string, keptShare: number): void {
  const numberOf = (name: string) => Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? 0);
  const files = join(folder, "appendonlydir");
  const [last = ""] = readdirSync(files).sort((one, other) => numberOf(other) - numberOf(one));
  const path = join(files, last);
  truncateSync(path, Math.floor(keptShare * statSync(path).size));
}

it.each([0.13, 0.37, 0.618, 0.85, 0.997])(
  "a run is complete after a power cut that leaves %d of the data of Redis, two restarts, and `add`",
  async (keptShare) => {
    const setting = await setUp((received) => {
      setTimeout(() => answerPdf(received), 10);
    });
    const { admin, redis, runs, work, stored } = setting;
    const [, folder = ""] = (await admin.config("GET", "dir")) as string[];
    const add = () => runs.add("nov", jobsOf(count), { key: keyOf });
    await add();
    work(runs, { recoverAfter: 1000, onError: () => {} });
    await eventually(() => stored.length >= count / 3);
    await redis.kill();
    cutAppendOnlyFile(folder, keptShare);
    await redis.start();
    await add();
    await eventually(() => stored.length >= count / 2);
    await redis.kill();
    await redis.start();
    await add();
    expect(await endOf(runs)).toMatchObject({
      ...{ total: count, fulfilled: count, rejected: 0, waiting: 0, active: 0 },
    });
    expect(new Set(stored).size).toBe(count);
    expect(await runs.failures("nov")).toEqual([]);
    await eventually(async () => (await admin.llen("bull:tests:active")) === 0);
    expect(await admin.zcard("bull:tests:prioritized")).toBe(0);
  },
);
