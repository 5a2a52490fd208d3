import { ValuesError, type ValuesIssue } from "../errors/errors.ts";
import { describeKind, isAnyObject, isBytes, isRecord, nameOfError } from "../errors/value-kinds.ts";

/** The maximum number of issues that a check collects: an array with a million holes is one mistake. */
export const maxIssues = 1_000;

/** The maximum number of issues that a message lists. */
const maxListed = 20;

/** The maximum nesting of values: far more than a document needs, and too little to overflow the stack. */
const maxDepth = 500;

/**
 * Converts the values for a template to the JSON object in the request body (spec, "Endpoints", rule 2).
 *
 * The function calls `toJSON` methods, for example those of `Date` objects. Properties that are `undefined`
 * are omitted. Values that JSON would silently change are rejected with their path: `NaN`, infinities,
 * functions, symbols, BigInt, `Map`, `Set`, `Buffer` and similar objects, objects whose `toJSON` returns `null` or
 * `undefined`, holes in arrays, and cycles. JSON still loses
 * the sign of `-0` and the named properties of an array. Getters and `toJSON` run more than once, for the check
 * and for the conversion, and must return the same result.
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
  if (typeof values === "string") return "got a string. Pass the object itself, without JSON.stringify";
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

/** Converts an object to JSON, or finds everything in it that JSON would silently change. */
function writeJson(values: object): { json?: string | undefined; issues: readonly ValuesIssue[] } {
  const check = new ValuesCheck();
  const { issues } = check;
  try {
    if (!isPlain(values)) check.value(values);
    if (issues.length === 0) return { json: JSON.stringify(values), issues };
  } catch (error) {
    check.addIssue(unreadable(error));
  }
  return { issues };
}

/** The nesting of usual values. Deeper values are checked in full. */
const usualDepth = 50;

/**
 * Whether values contain nothing that JSON would change, as most do. It takes a third of the time of the full check. In doubt, it
 * returns `false`.
 */
function isPlain(values: object): boolean {
  try {
    return isPlainObject(values, usualDepth);
  } catch {
    // A getter or a proxy threw. The full check finds its path.
    return false;
  }
}

function isPlainValue(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  return typeof value === "object" && isPlainObject(value, depth);
}

function isPlainObject(object: object, depth: number): boolean {
  if (depth === 0 || typeof (object as Partial<Jsonable>).toJSON === "function") return false;
  if (Array.isArray(object)) {
    for (let index = 0; index < object.length; index++) {
      if (!isPlainValue(object[index], depth - 1)) return false;
    }
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in object) {
    const value = (object as Record<string, unknown>)[key];
    // JSON omits undefined properties.
    if (value !== undefined && !isPlainValue(value, depth - 1)) return false;
  }
  return Object.getOwnPropertySymbols(object).length === 0;
}

interface Jsonable {
  toJSON(key: string): unknown;
}

/** A traversal of the values that collects their issues. */
class ValuesCheck {
  readonly issues: ValuesIssue[] = [];
  readonly #path: (string | number)[] = [];
  /** The objects around the current value. */
  readonly #ancestors: object[] = [];

  addIssue(message: string): void {
    this.issues.push({ path: [...this.#path], message });
  }

  value(value: unknown): void {
    const isObject = isAnyObject(value);
    // JSON also calls `toJSON` of a BigInt, whose prototype some programs extend.
    const mayBeJsonable = isObject || typeof value === "bigint";
    if (mayBeJsonable && typeof (value as Partial<Jsonable>).toJSON === "function") {
      this.#jsonable(value as Jsonable);
    } else if (isObject) {
      this.#content(value);
    } else {
      this.#primitive(value);
    }
  }

  #primitive(value: unknown): void {
    if (typeof value === "string" || typeof value === "boolean" || value === null) return;
    if (typeof value === "number") {
      if (!Number.isFinite(value))
        this.addIssue(`is ${value}, which JSON converts to null: pass a finite number or a string`);
    } else if (value === undefined) {
      this.addIssue("is undefined, which JSON converts to null: pass null or remove it");
    } else {
      this.addIssue(`is a ${typeof value}, which JSON cannot represent${this.#remedy(typeof value)}`);
    }
  }

  /** Checks the result of `toJSON`. JSON does not call `toJSON` of that result again. */
  #jsonable(object: Jsonable): void {
    const key = this.#path.at(-1);
    const result = object.toJSON(String(key ?? ""));
    // Without a key, it is the values object itself, whose result is described later.
    if ((result ?? null) === null && key !== undefined) {
      const isDate = Object.prototype.toString.call(object) === "[object Date]";
      const what = isDate
        ? "is an invalid Date, which JSON converts to null"
        : `has a toJSON that returns ${result}`;
      this.addIssue(`${what}: check how it is created`);
    } else if (isAnyObject(result)) {
      // A Buffer is sent only if its toJSON was replaced by one that returns a string.
      this.#content(isBytes(object) ? object : result);
    } else if (result !== undefined) {
      this.#primitive(result);
    }
  }

  #content(object: object): void {
    const ancestors = this.#ancestors;
    if (ancestors.includes(object)) return this.addIssue("contains itself");
    if (ancestors.length >= maxDepth) return this.addIssue(`is nested deeper than ${maxDepth} levels`);
    ancestors.push(object);
    if (Array.isArray(object)) {
      // Iterates by index, because iterators skip holes or are the caller's code.
      for (let index = 0; index < object.length && this.#hasRoom(); index++) this.#property(object, index);
    } else if (isRecord(object)) {
      this.#record(object);
    } else if (object instanceof Promise) {
      this.addIssue("is a Promise: await it first");
    } else {
      const kind = describeKind(object);
      this.addIssue(`is ${kind}${this.#remedy(kind) || ": use plain objects and arrays"}`);
    }
    ancestors.pop();
  }

  #record(record: object): void {
    for (const key of Object.keys(record)) if (this.#hasRoom()) this.#property(record, key);
    for (const symbol of Object.getOwnPropertySymbols(record)) {
      if (this.#hasRoom() && Object.prototype.propertyIsEnumerable.call(record, symbol)) {
        this.addIssue(`has a property with the key ${String(symbol)}, which JSON omits`);
      }
    }
  }

  #property(container: object, key: string | number): void {
    const depth = this.#ancestors.length;
    this.#path.push(key);
    try {
      const value = (container as Record<string | number, unknown>)[key];
      // JSON omits these properties. The result of a `toJSON` may itself have that method.
      const isOmitted =
        typeof key === "string" && (value === undefined || (key === "toJSON" && typeof value === "function"));
      if (!isOmitted) this.value(value);
    } catch (error) {
      this.#ancestors.length = depth;
      this.addIssue(unreadable(error));
    }
    this.#path.pop();
  }

  /** Suggests code that converts the current value to one that JSON can represent. */
  #remedy(kind: string): string {
    const key = String(this.#path.at(-1) ?? "");
    const name = /^[a-z_$][\w$]*$/i.test(key) ? key : "value";
    const [before, after] = remedies[kind] ?? [];
    return before ? `: pass ${before}${name}${after}` : "";
  }

  #hasRoom(): boolean {
    return this.issues.length < maxIssues;
  }
}

/** The code before and after the name of a value that converts it. */
const remedies: Readonly<Record<string, readonly [before: string, after: string]>> = {
  bigint: ["String(", ")"],
  function: ["the result of ", "()"],
  symbol: ["String(", ")"],
  "a Map": ["Object.fromEntries(", ")"],
  "a Set": ["Array.from(", ")"],
  "a Uint8Array": ["a base64 string of ", ""],
};

/** Names only the class of an error from the caller's code, because its message may quote a value. */
function unreadable(error: unknown): string {
  return `could not be read: a getter, a proxy or toJSON threw ${nameOfError(error)}`;
}
