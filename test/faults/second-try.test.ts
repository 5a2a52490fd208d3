import { beforeAll, describe, expect, it, vi } from "vitest";
import { strayRejections } from "../client/service.ts";
import { type Cell, forms, type Result } from "./cell.ts";
import { makeUpHostNames } from "./host-names.ts";
import { playAll } from "./play-all.ts";
import { type Row, transports } from "./row.ts";
import { groups } from "./rows/index.ts";
import { wholeForms } from "./whole-forms.ts";

/** Where nothing depends on the form, the one that is held in memory and one that is handed over stand for all. */
const fewForms = ["bytes()", "stream()", "saveTo()"];

const asked = (row: Row): readonly (readonly [Cell["stage"], readonly string[]])[] => [
  ["the pending result", `${row.secondTry} ${row.secondTryByFetch}`.includes("heals") ? forms : fewForms],
  ["the awaited document", fewForms.slice(0, 2)],
];

const mayBe: readonly Cell[] = groups.flatMap(({ rows }) =>
  rows.flatMap((row) =>
    transports.flatMap((transport) =>
      asked(row).flatMap(([stage, forms]) =>
        forms.map((form) => ({ row, transport, stage, form, once: true }) as const),
      ),
    ),
  ),
);

const mayNotBe: readonly Cell[] = mayBe
  .filter(({ form, stage }) => form === "bytes()" && stage === "the pending result")
  .map((cell) => ({ ...cell, mayRenderTwice: false }));

makeUpHostNames();

describe.each([
  ["a document may be rendered twice", mayBe],
  ["no document may be rendered twice", mayNotBe],
])("every fault that happens once, where %s", (_, cells) => {
  let results: ReadonlyMap<Cell, Result>;
  let stray: readonly unknown[];

  beforeAll(async () => {
    // The first wait takes 25 ms, not up to half a second.
    const random = vi.spyOn(Math, "random").mockReturnValue(0.05);
    stray = await strayRejections(async () => {
      results = await playAll(cells);
    });
    random.mockRestore();
  }, 180_000);

  it.each(cells.map((cell) => [cell.row.fault.name, cell.transport, cell.form, cell.stage, cell] as const))(
    "%s: by %s, %s of %s",
    (_name, _transport, form, _stage, cell) => {
      const [outcome, attempts] = expectedOf(cell);
      expect(results.get(cell)).toEqual({
        outcome,
        attempts,
        files: outcome === "whole" && form === "saveTo()" ? ["saved.pdf"] : [],
        isOverasked: false,
        isBusy: false,
      });
    },
  );

  it("leaves no rejection that nobody handles", () => {
    expect(stray).toEqual([]);
  });
});

function expectedOf(cell: Cell): [outcome: string, attempts: number] {
  const { row, transport, form, stage } = cell;
  const first = row[transport];
  if (first === "whole") return ["whole", 1];
  if (cell.mayRenderTwice === false && !row.unsent.includes(transport)) return [unlessUnseen(cell), 1];
  switch (transport === "undici" ? row.secondTry : row.secondTryByFetch) {
    case "heals":
      return ["whole", 2];
    case "heals before hand-over":
      return stage === "the pending result" && wholeForms.includes(form) ? ["whole", 2] : [first, 1];
    case "unseen":
      return ["whole", 1];
    case "in vain":
      return [first, 3];
    default:
      return [first, 1];
  }
}

/** What a fetch asks again by itself is out of anybody's hands. */
function unlessUnseen({ row, transport }: Cell): string {
  return transport === "fetch" && row.secondTryByFetch === "unseen" ? "whole" : row[transport];
}
