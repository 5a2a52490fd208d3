import type { Data, RowOrProblem } from "./data/row.ts";

/** Reads the first records of the data, so many; what is wrong beyond them is nothing to anybody. */
export async function* rowsUpTo(limit: number, data: Data): AsyncGenerator<RowOrProblem, void, undefined> {
  let last = 0;
  for await (const each of data.rows()) {
    // What is wrong behind the last record is of none.
    last = ("problem" in each ? each.problem.number : each.number) ?? last + 1;
    if (last > limit) return;
    yield each;
  }
}
