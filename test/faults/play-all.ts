import { type Cell, play, type Result } from "./cell.ts";

/** How many cells are played at a time: most of them only wait for a clock. */
const atATime = 24;

/** Plays all cells, and gives what came of each; those that keep the processor busy come last, one by one. */
export async function playAll(cells: readonly Cell[]): Promise<ReadonlyMap<Cell, Result>> {
  const results = new Map<Cell, Result>();
  const work = async (waiting: Iterable<Cell>) => {
    for (const cell of waiting) results.set(cell, await play(cell));
  };
  const light = cells.filter(({ row }) => !row.scene.heavy).values();
  await Promise.all(Array.from({ length: atATime }, () => work(light)));
  await work(cells.filter(({ row }) => row.scene.heavy));
  return results;
}
