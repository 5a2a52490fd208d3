import { formatJsonPath } from "../../../request/serialize-values.ts";
import { compileText, type Fill, mistake, type Spot } from "./compile-text.ts";
import { areEqual, decimalOf } from "./decimals.ts";
import { onlyValueIn, type ValuePath } from "./placeholders.ts";
import type { ValueShape } from "./sample-values.ts";
import { pathTo, valueAt } from "./scope.ts";

/**
 * Compiles `{ "$if": "country", "$is": "DE" }`: whether a value equals a text, a number, a boolean or, for one placeholder such as
 * `{{seller.country}}`, another value.
 */
export function compileComparison(
  path: ValuePath,
  shape: ValueShape,
  json: unknown,
  spot: Spot,
): Fill<boolean> {
  const other = compileOther(json, spot);
  if (typeof json === "number" || typeof json === "boolean") shape.compared ??= json;
  if (typeof json === "string" && !json.includes("{{")) shape.compared ??= json;
  const place = formatJsonPath(spot.place);
  return (scope, filling) => {
    const value = valueAt(scope, path);
    if (typeof value === "object" && value !== null) {
      const message = "must be a string, a number or a boolean, because it is compared";
      filling.issues.add({ path: pathTo(scope, path), message, place });
    }
    return areSame(value, other(scope, filling));
  };
}

function compileOther(json: unknown, spot: Spot): Fill {
  if (typeof json === "number" || typeof json === "boolean") return () => json;
  if (typeof json !== "string") {
    throw mistake(
      spot,
      'must be a text, a number, true or false, or a value such as "{{customer.country}}".',
    );
  }
  const value = onlyValueIn(json, (problem) => mistake(spot, problem));
  const text = compileText(json, spot);
  if (!value) return text;
  return (scope, filling) => {
    // Reports a value that is missing or cannot be compared.
    text(scope, filling);
    return valueAt(scope, value.path);
  };
}

/** Whether two values are the same text or number. A missing value and `null` equal nothing. */
function areSame(one: unknown, other: unknown): boolean {
  if (one === undefined || one === null || other === undefined || other === null) return false;
  if (typeof one === "number" || typeof other === "number") {
    const [first, second] = [decimalOf(one), decimalOf(other)];
    return first !== undefined && second !== undefined && areEqual(first, second);
  }
  return String(one).normalize() === String(other).normalize();
}
