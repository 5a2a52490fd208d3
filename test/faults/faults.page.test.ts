import { afterAll, beforeAll, describe, it, type TestContext, vi } from "vitest";
import { FirstFailures } from "../support/first-failures.ts";
import { type Cell, methods, noOutcome, play } from "./cell.ts";
import { makeUpHostNames } from "./host-names.ts";
import { type Row, type Transport, transports } from "./row.ts";
import { groups } from "./rows/index.ts";
import { wholeOutputs } from "./whole-outputs.ts";

const isPage = process.env["TEMPLATE_PDF_BUILD"] === "browser";

const everyRowOfTable = groups.flatMap(({ rows }) => rows);
/** Only Node's `fetch` reports why TLS failed and whether a request was sent. A browser's does not. */
const rows = isPage
  ? everyRowOfTable.filter(({ scene }) => !scene.https).map((row): Row => ({ ...row, unsent: [] }))
  : everyRowOfTable;

vi.setConfig({ testTimeout: 60_000 });

const firstFailures = new FirstFailures();

makeUpHostNames();

beforeAll(() => {
  // The first delay before a retry is 25 ms, not up to half a second.
  vi.spyOn(Math, "random").mockReturnValue(0.05);
});

afterAll(() => {
  vi.restoreAllMocks();
});

/** The output methods to test, and their receivers. */
type MethodsByStage = Readonly<Partial<Record<Cell["stage"], readonly string[]>>>;

/** The output method that writes a file, if this test project has it. */
const saving = methods.filter((method) => method === "saveTo()");

/** One output method in memory, and the one that writes a file. */
const everyRow: MethodsByStage = { "the pending result": ["bytes()", ...saving] };

/** The additional outputs for one row of each kind. */
const everyKind: MethodsByStage = {
  "the pending result": methods.filter((method) => method !== "bytes()" && method !== "saveTo()"),
  "the awaited document": ["stream()", ...saving],
};

/** The results that outputs treat differently: a complete document, an error in it, or an error before it. */
function kindOf(row: Row, transport: Transport): string {
  return row[transport] === "whole" ? "whole" : transport === "undici" ? row.secondTry : row.secondTryByFetch;
}

/** The first row of each kind. */
function firstOfEachKind(transport: Transport): readonly Row[] {
  const firsts = new Map<string, Row>();
  for (const row of rows.filter(({ scene }) => !scene.heavy).reverse())
    firsts.set(kindOf(row, transport), row);
  return [...firsts.values()];
}

const allRows = () => rows;
const unsentRows = (transport: Transport) => rows.filter(({ unsent }) => unsent.includes(transport));

function cellsOf(
  rowsBy: (transport: Transport) => readonly Row[],
  methodsByStage: MethodsByStage,
  more: Pick<Cell, "once" | "mayRenderTwice">,
): Cell[] {
  return transports.flatMap((transport) =>
    rowsBy(transport).flatMap((row) =>
      Object.entries(methodsByStage).flatMap(([stage, methods]) =>
        methods.map((method) => ({ row, transport, stage: stage as Cell["stage"], method, ...more })),
      ),
    ),
  );
}

const inMemory: MethodsByStage = { "the pending result": ["bytes()"] };

describe.each<[string, Cell[]]>([
  [
    "a persistent fault with retries disabled",
    [...cellsOf(allRows, everyRow, { once: false }), ...cellsOf(firstOfEachKind, everyKind, { once: false })],
  ],
  [
    "a fault that occurs once",
    [
      ...cellsOf(allRows, inMemory, { once: true }).filter(
        ({ row, transport }) => row[transport] !== "whole",
      ),
      ...cellsOf(firstOfEachKind, { "the pending result": saving }, { once: true }),
      ...cellsOf(firstOfEachKind, everyKind, { once: true }),
    ],
  ],
  [
    "a fault that occurs once with `mayRenderTwice: false`",
    [firstOfEachKind, unsentRows].flatMap((rowsBy) =>
      cellsOf(rowsBy, inMemory, { once: true, mayRenderTwice: false }),
    ),
  ],
])("%s has the documented outcome", (_, cells) => {
  const test = (cell: Cell) =>
    [`${cell.row.fault.name} (${cell.transport}, ${cell.method} on ${cell.stage})`, cell] as const;
  const prove = async ([, cell]: ReturnType<typeof test>, context: TestContext) => {
    firstFailures.skipAfterEnough(context);
    const [outcome, attempts] = expectedOf(cell);
    const files = outcome === "whole" && cell.method === "saveTo()" ? ["saved.pdf"] : [];
    const expected = { outcome, attempts, files, isOverasked: false, isBusy: false };
    const result = await play(cell, 700);
    // The second attempt has the same short limit, and a busy machine may need longer for it.
    const mayBeLate = cell.once && cell.row[cell.transport].startsWith("TimeoutError");
    const isOther = result.outcome !== outcome || result.attempts !== attempts;
    const isLate = mayBeLate && isOther && result.outcome !== noOutcome;
    firstFailures.expectEqual(context, isLate ? await play(cell, 7_000) : result, expected);
  };

  it.concurrent.for(cells.filter(({ row }) => !row.scene.heavy).map(test))("%s", prove);
  it.for(cells.filter(({ row }) => row.scene.heavy).map(test))("%s", prove);
});

function expectedOf(cell: Cell): [outcome: string, attempts: number] {
  const { row, transport, method, stage } = cell;
  const first = row[transport];
  const second = transport === "undici" ? row.secondTry : row.secondTryByFetch;
  if (first === "whole" || !cell.once) return [first, 1];
  if (second === "unseen") return ["whole", 1];
  if (cell.mayRenderTwice === false && !row.unsent.includes(transport)) return [first, 1];
  if (second === "in vain") return [first, 3];
  const isInTime = stage === "the pending result" && wholeOutputs.includes(method);
  const heals = second === "heals" || (second === "heals before hand-over" && isInTime);
  return heals ? ["whole", 2] : [first, 1];
}
