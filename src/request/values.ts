import { ValuesError, type ValuesIssue } from "../errors/errors.ts";
import { nameOfError } from "../errors/redact.ts";

/** How many issues a message lists. */
const maxListed = 20;

/** How many issues a check collects: an array with a million holes is one mistake. */
export const maxIssues = 1_000;

/** How deep values may be nested: far more than a document needs, and far less than the stack holds. */
const maxDepth = 500;

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
  const walk: Walk = { path: [], ancestors: [], issues: [] };
  let json: string | undefined;
  try {
    if (isObject(values) && !Array.isArray(values)) {
      check(values, walk);
      if (walk.issues.length === 0) json = JSON.stringify(values);
    }
  } catch (error) {
    addIssue(walk, unreadable(error));
  }
  if (json?.startsWith("{") && walk.issues.length === 0) return json;
  if (walk.issues.length === 0) addIssue(walk, `must be one JSON object, ${whatIsThere(values, json)}`);
  throw valuesError(uid, walk.issues, areOfSchema ? "values that the schema made for" : undefined);
}

/** Describes what is there instead of a JSON object. */
function whatIsThere(values: unknown, json: string | undefined): string {
  if (!isObject(values) || !isRecord(values)) return `got ${describeKind(values)}`;
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
    `The ${subject} template ${JSON.stringify(uid)} cannot be sent: ${listed.join("; ")}. Nothing was sent.`,
    { issues, uid },
  );
}

/** Writes a path as JavaScript would: `lines[3].price`. A very long path is shortened in the middle. */
function formatPath(path: readonly (string | number)[]): string {
  const keys = path.map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  if (keys.length > 20) keys.splice(10, keys.length - 15, "…");
  return `values${keys.join("")}`;
}

/** One walk through the values: the current path, the objects around it, and the issues so far. */
interface Walk {
  readonly path: (string | number)[];
  readonly ancestors: object[];
  readonly issues: ValuesIssue[];
}

function addIssue(walk: Walk, message: string): void {
  walk.issues.push({ path: [...walk.path], message });
}

function check(value: unknown, walk: Walk): void {
  if (!isObject(value)) checkPrimitive(value, walk);
  else if (typeof (value as Partial<Jsonable>).toJSON === "function") checkToJson(value as Jsonable, walk);
  else checkContent(value, walk);
}

function checkPrimitive(value: unknown, walk: Walk): void {
  if (typeof value === "string" || typeof value === "boolean" || value === null || Number.isFinite(value)) {
    return;
  }
  if (typeof value === "number") {
    addIssue(walk, `is ${value}, which JSON turns into null`);
  } else if (value === undefined) {
    addIssue(walk, "is undefined, which JSON turns into null in an array: use null, or leave it out");
  } else {
    addIssue(walk, `is a ${typeof value}, which JSON cannot hold`);
  }
}

interface Jsonable {
  toJSON(key: string): unknown;
}

/** Checks the result of `toJSON`. JSON does not call `toJSON` of that result again. */
function checkToJson(object: Jsonable, walk: Walk): void {
  const key = walk.path.at(-1);
  const result = object.toJSON(String(key ?? ""));
  if (result === null && Object.prototype.toString.call(object) === "[object Date]") {
    addIssue(walk, "is an invalid Date, which JSON turns into null");
  } else if (isObject(result)) {
    checkContent(result, walk);
  } else if (result !== undefined || typeof key === "number") {
    checkPrimitive(result, walk);
  }
}

function checkContent(object: object, walk: Walk): void {
  const { ancestors, issues } = walk;
  if (ancestors.includes(object)) return addIssue(walk, "contains itself, and JSON has no way to say so");
  if (ancestors.length >= maxDepth) return addIssue(walk, `is nested deeper than ${maxDepth} levels`);
  ancestors.push(object);
  if (Array.isArray(object)) {
    // By index, because every iterator skips holes or is the caller's own code.
    for (let index = 0; index < object.length && issues.length < maxIssues; index++) {
      checkProperty(object, index, walk);
    }
  } else if (isRecord(object)) {
    checkRecord(object, walk);
  } else if (object instanceof Promise) {
    addIssue(walk, "is a Promise: await it first");
  } else {
    addIssue(
      walk,
      `is ${describeKind(object)}, whose content JSON leaves out or changes: use plain objects and arrays`,
    );
  }
  ancestors.pop();
}

function checkRecord(record: object, walk: Walk): void {
  for (const key of Object.keys(record)) {
    if (walk.issues.length >= maxIssues) return;
    checkProperty(record, key, walk);
  }
  for (const symbol of Object.getOwnPropertySymbols(record)) {
    if (Object.prototype.propertyIsEnumerable.call(record, symbol)) {
      addIssue(walk, `has a member whose name is ${String(symbol)}, which JSON leaves out`);
    }
  }
}

function checkProperty(container: object, key: string | number, walk: Walk): void {
  const { path, ancestors } = walk;
  const depth = ancestors.length;
  path.push(key);
  try {
    const value = (container as Record<string | number, unknown>)[key];
    // JSON leaves these properties out. The result of a `toJSON` may itself have that method.
    const isLeftOut =
      typeof key === "string" && (value === undefined || (key === "toJSON" && typeof value === "function"));
    if (!isLeftOut) check(value, walk);
  } catch (error) {
    ancestors.length = depth;
    addIssue(walk, unreadable(error));
  }
  path.pop();
}

/** Names only the class of what the caller's own code threw: the rest may quote a value. */
function unreadable(error: unknown): string {
  return `could not be read: ${nameOfError(error)} was thrown by a getter, a proxy or toJSON`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether JSON writes an object as its own properties; not so a `Map`, `Promise`, `Error` and the like. */
function isRecord(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Object.prototype.toString.call(object) === "[object Object]"
  );
}

/** Describes the kind of a value, never the value itself: "an array", "null", "a Map". */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}
