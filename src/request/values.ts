import { ValuesError, type ValuesIssue } from "../errors/errors.ts";
import { describeKind, isAnyObject, isRecord } from "../errors/value-kinds.ts";
import { writeJson } from "./values-check.ts";

/** How many issues a message lists. */
const maxListed = 20;

/**
 * Writes the values of a template as the JSON object of the request's body (spec, "Endpoints", rule 2).
 *
 * A `toJSON` method, such as that of a `Date`, is honored. Properties that are `undefined` are left out.
 * Values that JSON would silently change are refused with their path: `NaN`, infinities, functions, symbols,
 * BigInt, `Map`, `Set` and the like, holes in arrays, cycles. JSON still loses the sign of `-0` and the named
 * properties of an array. Getters and `toJSON` run once for the check and once for the text, and must return the same.
 *
 * @param values - one JSON object
 * @param uid - the template, for the error
 * @param areOfSchema - whether the template's schema created the values, for the error
 * @throws {ValuesError} with the path of every issue, and without any value
 */
export function serializeValues(values: unknown, uid: string, areOfSchema = false): string {
  const isObject = isAnyObject(values) && !Array.isArray(values);
  const { json, issues } = isObject ? writeJson(values) : { issues: [] };
  if (json?.startsWith("{")) return json;
  const found =
    issues.length > 0
      ? issues
      : [{ path: [], message: `must be one JSON object, ${whatIsThere(values, json)}` }];
  throw valuesError(uid, found, areOfSchema ? "values that the schema made for" : undefined);
}

/** Describes what is there instead of a JSON object. */
function whatIsThere(values: unknown, json: string | undefined): string {
  if (!isAnyObject(values) || !isRecord(values)) return `got ${describeKind(values)}`;
  return `but its toJSON gives ${describeKind(json && JSON.parse(json))}`;
}

/** Creates the error for all issues of a template's values. */
export function valuesError(
  uid: string,
  issues: readonly ValuesIssue[],
  subject = "values for",
  separator = " ",
): ValuesError {
  const listed = issues
    .slice(0, maxListed)
    .map(({ path, message }) => `${formatPath(path)}${separator}${message}`);
  if (issues.length > maxListed) listed.push(`and ${issues.length - maxListed} more`);
  return new ValuesError(
    `The ${subject} template ${JSON.stringify(uid)} cannot be sent: ${listed.join("; ")}.`,
    { issues, uid },
  );
}

/** Writes a path within the values. A very long path is shortened in the middle. */
function formatPath(path: readonly (string | number)[]): string {
  const keys = path.map(formatKey);
  if (keys.length > 20) keys.splice(10, keys.length - 15, "…");
  return `values${keys.join("")}`;
}

/** Writes a path as JavaScript would: `content[2].table.body[1]`. */
export function formatJsonPath(path: readonly (string | number)[]): string {
  return path.map(formatKey).join("").replace(/^\./, "");
}

function formatKey(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
