import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Cell, forms, play } from "./cell.ts";
import { makeUpHostNames } from "./host-names.ts";
import { type Row, type Transport, transports } from "./row.ts";
import { groups } from "./rows/index.ts";
import { wholeForms } from "./whole-forms.ts";

const rows = groups.flatMap(({ rows }) => rows);

/** Most cells only wait for a limit of time. */
vi.setConfig({ maxConcurrency: 48, testTimeout: 60_000 });

makeUpHostNames();

beforeAll(() => {
  // The first delay before a retry is 25 ms, not up to half a second.
  vi.spyOn(Math, "random").mockReturnValue(0.05);
});

afterAll(() => {
  vi.restoreAllMocks();
});

type Asked = readonly (readonly [Cell["stage"], readonly string[]])[];

/** One output that is held in memory, and the one that leaves files. */
const everyRow: Asked = [["the pending result", ["bytes()", "saveTo()"]]];

/** What one row of each kind is asked for in addition. */
const everyKind: Asked = [
  ["the pending result", forms.filter((form) => form !== "bytes()" && form !== "saveTo()")],
  ["the awaited document", ["stream()", "saveTo()"]],
];

/** The first row of each kind. An output cannot tell the rows of one kind apart. */
function firstOfEachKind(transport: Transport): readonly Row[] {
  const kinds = new Map<string, Row>();
  for (const row of rows) {
    const outcome = row[transport].replace(/^\w+ \d+$/, "an error with a status");
    const kind = `${outcome}, ${transport === "undici" ? row.secondTry : row.secondTryByFetch}`;
    if (!kinds.has(kind) && !row.scene.heavy) kinds.set(kind, row);
  }
  return [...kinds.values()];
}

function cellsOf(rows: readonly Row[], transport: Transport, asked: Asked, once: boolean): Cell[] {
  return rows.flatMap((row) =>
    asked.flatMap(([stage, forms]) => forms.map((form) => ({ row, transport, stage, form, once }))),
  );
}

const everyTime = transports.flatMap((transport) => [
  ...cellsOf(rows, transport, everyRow, false),
  ...cellsOf(firstOfEachKind(transport), transport, everyKind, false),
]);

const once = transports.flatMap((transport) => [
  ...cellsOf(rows, transport, everyRow.slice(0, 1), true),
  ...cellsOf(firstOfEachKind(transport), transport, everyKind, true),
]);

const onceAtMost = transports
  .flatMap((transport) => cellsOf(rows, transport, [["the pending result", ["bytes()"]]], true))
  .map((cell) => ({ ...cell, mayRenderTwice: false }));

describe.each([
  ["that happens every time, without a retry", everyTime],
  ["that happens once", once],
  ["that happens once, where no document may be rendered twice", onceAtMost],
])("a fault %s", (_, cells) => {
  const test = (cell: Cell) =>
    [`${cell.row.fault.name}: by ${cell.transport}, ${cell.form} of ${cell.stage}`, cell] as const;
  const prove = async (_name: string, cell: Cell) => {
    const [outcome, attempts] = expectedOf(cell);
    expect(await play(cell)).toEqual({
      outcome,
      attempts,
      files: outcome === "whole" && cell.form === "saveTo()" ? ["saved.pdf"] : [],
      isOverasked: false,
      isBusy: false,
    });
  };

  it.concurrent.each(cells.filter(({ row }) => !row.scene.heavy).map(test))("%s", prove);
  it.each(cells.filter(({ row }) => row.scene.heavy).map(test))("%s", prove);
});

function expectedOf(cell: Cell): [outcome: string, attempts: number] {
  const { row, transport, form, stage } = cell;
  const first = row[transport];
  if (first === "whole" || !cell.once) return [first, 1];
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
