import { type Pattern, parsePattern } from "../../bulk/folder/placeholders.ts";
import { SaveError, ValuesError } from "../../index.ts";
import type { RowProblem } from "./data/row.ts";
import type { BulkPlan } from "./plan.ts";

/** What is wrong with one place of a row. */
export type RowFault = Pick<RowProblem, "message" | "column">;

/** How many placeholders are tried one by one: each try makes a whole path. */
const maxTried = 20;

/** Finds out which values of a row are at fault where its document has no path. */
export class PathFaults {
  readonly #plan: BulkPlan;
  readonly #placeholders: readonly (readonly [name: string, pattern: Pattern])[];

  constructor(plan: BulkPlan) {
    this.#plan = plan;
    this.#placeholders = parsePattern(plan.out).names.map((name) => [name, parsePattern(`{{${name}}}`)]);
  }

  /**
   * Says what is wrong with each value, without the value.
   *
   * @param error - what the sink has thrown for the path
   * @throws what is no fault of the row
   */
  in(error: unknown, values: Record<string, unknown>): RowFault[] {
    if (ValuesError.is(error)) {
      return error.issues.map(({ path, message }) => ({ column: path.join("."), message }));
    }
    if (!SaveError.is(error)) throw error;
    const texts = this.#placeholders.map(([name, pattern]) => [name, pattern.fill(values, "")] as const);
    const harmless = Object.fromEntries(texts.map(([name]) => [name, "x"]));
    const faults = texts.slice(0, maxTried).flatMap(([name, text]) => {
      const message = this.#objectionTo({ ...harmless, [name]: text });
      return message === undefined ? [] : [{ column: name, message }];
    });
    // Else it is all of them together.
    return faults.length > 0 ? faults : [{ message: shortMessageOf(error) }];
  }

  #objectionTo(values: Record<string, string>): string | undefined {
    const { sink, template } = this.#plan;
    try {
      sink.keyOf({ template, values, number: 1, line: 1 });
      return undefined;
    } catch (error) {
      return shortMessageOf(error);
    }
  }
}

function shortMessageOf(error: unknown): string {
  return (error as Error).message.replace(/\. Nothing was sent for it\.$/, "");
}
