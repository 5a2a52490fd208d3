import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { installPeers } from "../../bench/compare/packages.mjs";
import { listen } from "../support/sockets.ts";
import { bundleSize, type ComparedClient, loadClients } from "./comparison/clients.ts";
import { apiKey, type Outcome, type Situation, serverOf, situations } from "./comparison/situations.ts";

/** Puts other clients into the situations that docs/guides/performance.md compares. */

const file = fileURLToPath(new URL("../../docs/reports/comparison.json", import.meta.url));

/** The result of each situation with each client. */
const results: Record<string, Record<string, string>> = {};
let clients: readonly ComparedClient[];

beforeAll(() => {
  installPeers();
  clients = loadClients(inject("consumer"));
}, 120_000);

describe("the comparison with other clients", () => {
  it.each(situations)("has a result for each client: $title", async (situation) => {
    for (const client of clients) {
      const { [situation.title]: row = {} } = results;
      results[situation.title] = { ...row, [client.name]: situation.describe(await play(situation, client)) };
    }
    expect(results[situation.title]).not.toHaveProperty("nothing");
  });
});

it("the comparison has the size of each client in a browser", async () => {
  const sizes = clients.map(async ({ name }) => [name, await bundleSize(name, inject("consumer"))]);
  results["size in a browser, minified and gzipped"] = Object.fromEntries(await Promise.all(sizes));
});

it("docs/reports/comparison.json has these results (npm run docs -- comparison)", async () => {
  await expect(`${JSON.stringify(results, null, 2)}\n`).toMatchFileSnapshot(file);
});

/** Puts a client into a situation. */
async function play(situation: Situation, client: ComparedClient): Promise<Outcome> {
  const bodies: string[] = [];
  const bodiesElsewhere: string[] = [];
  const other = await listen(
    serverOf({ ...situation, answers: [(answer) => answer.end()] }, "", bodiesElsewhere),
  );
  const service = await listen(serverOf(situation, other.origin, bodies));
  try {
    const call = {
      origin: service.origin,
      uid: "invoice",
      apiKey,
      values: situation.values ?? { total: "£640.00" },
    };
    const outcome = await client.generate(call).then(
      (document) => ({ document }),
      (error: unknown) => ({ error }),
    );
    return { ...outcome, bodies, bodiesElsewhere };
  } finally {
    await Promise.all([service.close(), other.close()]);
  }
}
