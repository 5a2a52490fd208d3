import { ValuesError, type ValuesIssue } from "../errors/errors.ts";
import { describeKind, isAnyObject, isRecord } from "../errors/value-kinds.ts";
import { writeJson } from "./values-check.ts";

/** The maximum number of issues that a message lists. */
const maxListed = 20;

/**
 * Converts the values for a template to the JSON object in the request body (spec, "Endpoints", rule 2).
 *
 * The function calls `toJSON` methods, for example those of `Date` objects. Properties that are `undefined`
 * are omitted. Values that JSON would silently change are rejected with their path: `NaN`, infinities,
 * functions, symbols, BigInt, `Map`, `Set` and similar objects, holes in arrays, and cycles. JSON still loses
 * the sign of `-0` and the named properties of an array. Getters and `toJSON` run twice, once for the check
 * and once for the conversion, and must return the same result.
 *
 * @param values - a JSON object
 * @param uid - the template's uid, for the error
 * @param areOfSchema - whether the template's schema returned the values, for the error
 * @throws {ValuesError} with the path of every issue, but without values
 */
export function serializeValues(values: unknown, uid: string, areOfSchema = false): string {
  const isObject = isAnyObject(values) && !Array.isArray(values);
  const { json, issues } = isObject ? writeJson(values) : { issues: [] };
  if (json?.startsWith("{")) return json;
  const found =
    issues.length > 0
      ? issues
      : [{ path: [], message: `must be a JSON object, ${describeValues(values, json)}` }];
  throw valuesError(uid, found, areOfSchema ? "values that the schema returned for" : undefined);
}

/** Describes a value that is not a JSON object. */
function describeValues(values: unknown, json: string | undefined): string {
  if (!isAnyObject(values) || !isRecord(values)) return `got ${describeKind(values)}`;
  return `but its toJSON returns ${describeKind(json && JSON.parse(json))}`;
}

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

/** Formats a path within the values. A very long path is shortened in the middle. */
function formatPath(path: readonly (string | number)[]): string {
  const keys = path.map(formatKey);
  if (keys.length > 20) keys.splice(10, keys.length - 15, "…");
  return `values${keys.join("")}`;
}

/** Formats a path as in JavaScript, for example `content[2].table.body[1]`. */
export function formatJsonPath(path: readonly (string | number)[]): string {
  return path.map(formatKey).join("").replace(/^\./, "");
}

function formatKey(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
