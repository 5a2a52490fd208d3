import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { installPeers } from "../../bench/compare/packages.mjs";
import { listen } from "../support/sockets.ts";
import { apiKey, type Happened, playing, type Situation, situations } from "./comparison/situations.ts";
import { loadWays, pageBytes, type Way } from "./comparison/ways.ts";

/** What README.md says of other ways to get a document: each is put into the same situations. */

const file = fileURLToPath(new URL("../../docs/reports/comparison.json", import.meta.url));

/** What came of it, by situation and by way. */
const came: Record<string, Record<string, string>> = {};
let ways: readonly Way[];

beforeAll(() => {
  installPeers();
  ways = loadWays(inject("consumer"));
}, 120_000);

describe("every way to get a document is asked", () => {
  it.each(situations)("$title", async (situation) => {
    for (const way of ways) {
      const { [situation.title]: row = {} } = came;
      came[situation.title] = { ...row, [way.name]: situation.tell(await happening(way, situation)) };
    }
    expect(came[situation.title]).not.toHaveProperty("nothing");
  });
});

it("and bundled for a page", async () => {
  const loaded = ways.map(async ({ name }) => [name, await pageBytes(name, inject("consumer"))]);
  came["size in a browser, minified and gzipped"] = Object.fromEntries(await Promise.all(loaded));
});

it("docs/reports/comparison.json says what came of it: where it is stale, run `npm run docs -- comparison`", async () => {
  await expect(`${JSON.stringify(came, null, 2)}\n`).toMatchFileSnapshot(file);
});

async function happening(way: Way, situation: Situation): Promise<Happened> {
  const bodies: string[] = [];
  const bodiesElsewhere: string[] = [];
  const other = await listen(
    playing({ ...situation, answers: [(answer) => answer.end()] }, "", bodiesElsewhere),
  );
  const service = await listen(playing(situation, other.origin, bodies));
  try {
    const wanted = {
      origin: service.origin,
      uid: "invoice",
      apiKey,
      values: situation.values ?? { total: "£640.00" },
    };
    const outcome = await way.get(wanted).then(
      (document) => ({ document }),
      (error: unknown) => ({ error }),
    );
    return { ...outcome, bodies, bodiesElsewhere };
  } finally {
    await Promise.all([service.close(), other.close()]);
  }
}
