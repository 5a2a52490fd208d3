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
  const check = new ValuesCheck();
  const { issues } = check;
  let json: string | undefined;
  try {
    if (isAnyObject(values) && !Array.isArray(values)) {
      check.value(values);
      if (issues.length === 0) json = JSON.stringify(values);
    }
  } catch (error) {
    check.addIssue(unreadable(error));
  }
  if (json?.startsWith("{") && issues.length === 0) return json;
  if (issues.length === 0) check.addIssue(`must be one JSON object, ${whatIsThere(values, json)}`);
  throw valuesError(uid, issues, areOfSchema ? "values that the schema made for" : undefined);
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
    `The ${subject} template ${JSON.stringify(uid)} cannot be sent: ${listed.join("; ")}. Nothing was sent.`,
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

interface Jsonable {
  toJSON(key: string): unknown;
}

/** One walk through the values. */
class ValuesCheck {
  readonly issues: ValuesIssue[] = [];
  readonly #path: (string | number)[] = [];
  /** The objects around the current value. */
  readonly #ancestors: object[] = [];

  addIssue(message: string): void {
    this.issues.push({ path: [...this.#path], message });
  }

  value(value: unknown): void {
    if (!isAnyObject(value)) this.#primitive(value);
    else if (typeof (value as Partial<Jsonable>).toJSON === "function") this.#jsonable(value as Jsonable);
    else this.#content(value);
  }

  #primitive(value: unknown): void {
    if (typeof value === "string" || typeof value === "boolean" || value === null) return;
    if (typeof value === "number") {
      if (!Number.isFinite(value)) this.addIssue(`is ${value}, which JSON turns into null`);
    } else if (value === undefined) {
      this.addIssue("is undefined, which JSON turns into null in an array: use null, or leave it out");
    } else {
      this.addIssue(`is a ${typeof value}, which JSON cannot hold`);
    }
  }

  /** Checks the result of `toJSON`. JSON does not call `toJSON` of that result again. */
  #jsonable(object: Jsonable): void {
    const key = this.#path.at(-1);
    const result = object.toJSON(String(key ?? ""));
    if (result === null && Object.prototype.toString.call(object) === "[object Date]") {
      this.addIssue("is an invalid Date, which JSON turns into null");
    } else if (isAnyObject(result)) {
      this.#content(result);
    } else if (result !== undefined || typeof key === "number") {
      this.#primitive(result);
    }
  }

  #content(object: object): void {
    const ancestors = this.#ancestors;
    if (ancestors.includes(object)) return this.addIssue("contains itself, and JSON has no way to say so");
    if (ancestors.length >= maxDepth) return this.addIssue(`is nested deeper than ${maxDepth} levels`);
    ancestors.push(object);
    if (Array.isArray(object)) {
      // By index, because every iterator skips holes or is the caller's own code.
      for (let index = 0; index < object.length && this.#hasRoom(); index++) this.#property(object, index);
    } else if (isRecord(object)) {
      this.#record(object);
    } else if (object instanceof Promise) {
      this.addIssue("is a Promise: await it first");
    } else {
      const kind = describeKind(object);
      this.addIssue(`is ${kind}, whose content JSON leaves out or changes: use plain objects and arrays`);
    }
    ancestors.pop();
  }

  #record(record: object): void {
    for (const key of Object.keys(record)) if (this.#hasRoom()) this.#property(record, key);
    for (const symbol of Object.getOwnPropertySymbols(record)) {
      if (this.#hasRoom() && Object.prototype.propertyIsEnumerable.call(record, symbol)) {
        this.addIssue(`has a member whose name is ${String(symbol)}, which JSON leaves out`);
      }
    }
  }

  #property(container: object, key: string | number): void {
    const depth = this.#ancestors.length;
    this.#path.push(key);
    try {
      const value = (container as Record<string | number, unknown>)[key];
      // JSON leaves these properties out. The result of a `toJSON` may itself have that method.
      const isLeftOut =
        typeof key === "string" && (value === undefined || (key === "toJSON" && typeof value === "function"));
      if (!isLeftOut) this.value(value);
    } catch (error) {
      this.#ancestors.length = depth;
      this.addIssue(unreadable(error));
    }
    this.#path.pop();
  }

  #hasRoom(): boolean {
    return this.issues.length < maxIssues;
  }
}

/** Names only the class of what the caller's own code threw: the rest may quote a value. */
function unreadable(error: unknown): string {
  return `could not be read: ${nameOfError(error)} was thrown by a getter, a proxy or toJSON`;
}

export function isAnyObject(value: unknown): value is object {
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
