import type { JsonPath } from "../../../json/json-value.ts";
import { add, type Decimal, decimalOf, formatDecimal } from "./decimals.ts";
import { memberOf } from "./scope.ts";

/** What is added: the numbers at `names`, where a name after an array refers to each of its items. */
interface Addends {
  readonly from: unknown;
  readonly names: readonly string[];
  /** The path of `from` in the values. */
  readonly path: JsonPath;
  readonly isOptional: boolean;
}

/**
 * Adds numbers exactly. `null` counts as nothing, and so does a missing value that is optional.
 *
 * @param report - called for each value that cannot be added
 * @param spend - called for each addend
 * @returns the sum as a numeric string
 */
export function sumOf(
  { from, names, path, isOptional }: Addends,
  report: (path: JsonPath, message: string) => void,
  spend: () => void,
): string {
  let sum: Decimal = { digits: 0n, scale: 0 };

  function visit(value: unknown, rest: number, at: JsonPath, isInArray: boolean): void {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, rest, [...at, index], true);
      return;
    }
    spend();
    if (value === null || (value === undefined && isOptional)) return;
    const name = names[rest];
    if (name !== undefined && value !== undefined) {
      visit(memberOf(value, name), rest + 1, [...at, name], isInArray);
      return;
    }
    const number = decimalOf(value);
    if (value === undefined) report(at, "has no value");
    else if (!isInArray) report(at, "must be an array");
    else if (number === undefined) report(at, "must be a number");
    else sum = add(sum, number);
  }

  visit(from, 0, path, false);
  return formatDecimal(sum);
}
