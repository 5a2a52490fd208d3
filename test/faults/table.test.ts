import { beforeAll, describe, expect, it } from "vitest";
import { strayRejections } from "../client/service.ts";
import { type Cell, forms, type Result } from "./cell.ts";
import { makeUpHostNames } from "./host-names.ts";
import { playAll } from "./play-all.ts";
import { transports } from "./row.ts";
import { groups } from "./rows/index.ts";

/** Of the awaited document, two forms stand for the rest: one that is held in memory, and the one that leaves files. */
const asked: readonly (readonly [Cell["stage"], readonly string[]])[] = [
  ["the pending result", forms],
  ["the awaited document", ["stream()", "saveTo()"]],
];

const cells: readonly Cell[] = groups.flatMap(({ rows }) =>
  rows.flatMap((row) =>
    transports.flatMap((transport) =>
      asked.flatMap(([stage, forms]) =>
        forms.map((form) => ({ row, transport, stage, form, once: false }) as const),
      ),
    ),
  ),
);

makeUpHostNames();

describe("every fault, in every form, by both transports", () => {
  let results: ReadonlyMap<Cell, Result>;
  let stray: readonly unknown[];
  const opened = new Map<string, number>();

  beforeAll(async () => {
    const before = openResources();
    stray = await strayRejections(async () => {
      results = await playAll(cells);
    });
    for (const [what, count] of openResources()) opened.set(what, count - (before.get(what) ?? 0));
  }, 180_000);

  it.each(cells.map((cell) => [cell.row.fault.name, cell.transport, cell.form, cell.stage, cell] as const))(
    "%s: by %s, %s of %s",
    (_name, transport, form, _stage, cell) => {
      const outcome = cell.row[transport];
      expect(results.get(cell)).toEqual({
        outcome,
        attempts: 1,
        files: outcome === "whole" && form === "saveTo()" ? ["saved.pdf"] : [],
        isOverasked: false,
        isBusy: false,
      });
    },
  );

  it("leave no rejection that nobody handles", () => {
    expect(stray).toEqual([]);
  });

  it("leave nothing open", () => {
    expect([...opened].filter(([, more]) => more > 0)).toEqual([]);
  });
});

/** What keeps this process alive, by its kind. */
function openResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const what of process.getActiveResourcesInfo()) counts.set(what, (counts.get(what) ?? 0) + 1);
  return counts;
}
