import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { pageOf } from "./page.ts";
import { groups } from "./rows/index.ts";

const page = fileURLToPath(new URL("../../docs/reports/faults.md", import.meta.url));

it("docs/reports/faults.md says what the tables prove: where it is stale, run `npm run docs -- faults`", async () => {
  await expect(pageOf(groups)).toMatchFileSnapshot(page);
});

it("has at least 45 faults, each under a name of its own", () => {
  const names = groups.flatMap(({ rows }) => rows.map(({ fault }) => fault.name));
  expect(names.length).toBeGreaterThanOrEqual(45);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
