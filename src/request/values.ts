import { ValuesError, type ValuesIssue } from "../errors/errors.ts";
import { nameOfError } from "../errors/redact.ts";

/** How many things are listed in a message before the rest goes unsaid. */
const maxListed = 20;

/** How many things are looked for: an array of a million holes is one mistake. */
export const maxIssues = 1_000;

/** How deep values may be nested: far more than a document needs, and far less than the stack holds. */
const maxDepth = 500;

/**
 * Writes the values of a template as the JSON object of the request's body (spec, "Endpoints", rule 2).
 *
 * `Date` and everything else with a `toJSON` goes by it; members that are `undefined` are left out.
 * What JSON would change in silence is refused, with its path: `NaN`, infinities, functions, symbols,
 * BigInt, `Map`, `Set` and their like, holes in arrays, cycles. The sign of `-0`, and members that an array has
 * beside its elements, are lost, as in all JSON. Getters and `toJSON` are asked more than once, for the
 * check and for the text, and have to answer alike.
 *
 * @param values - one JSON object
 * @param uid - the template they are meant for; named in the error
 * @param areOfSchema - whether the template's schema made them out of what the caller gave, which the error has to tell
 * @throws {ValuesError} naming every path at which something is wrong, and no value
 */
export function serializeValues(values: unknown, uid: string, areOfSchema = false): string {
  const walk: Walk = { path: [], ancestors: [], issues: [] };
  let json: string | undefined;
  try {
    if (isObject(values) && !Array.isArray(values)) {
      if (!isPlain(values)) check(values, walk);
      if (walk.issues.length === 0) json = JSON.stringify(values);
    }
  } catch (error) {
    refuse(walk, unreadable(error));
  }
  if (json?.startsWith("{") && walk.issues.length === 0) return json;
  if (walk.issues.length === 0) refuse(walk, `must be one JSON object, ${insteadOf(values, json)}`);
  throw valuesError(uid, walk.issues, areOfSchema ? "values that the schema made for" : undefined);
}

/** Whether there is nothing to find fault with, as with nearly all values: found out without a note of the way. */
function isPlain(values: object): boolean {
  try {
    return isPlainContent(values, 0);
  } catch {
    // A getter or a proxy threw; the walk that notes its way will meet it, too.
    return false;
  }
}

function isPlainContent(object: object, depth: number): boolean {
  if (depth >= maxDepth || (object as { toJSON?: unknown }).toJSON !== undefined) return false;
  if (Array.isArray(object)) {
    // By index: holes are faults, and every iterator leaves them out or asks for more.
    for (let index = 0; index < object.length; index++) {
      if (!isPlainMember(object[index], depth)) return false;
    }
    return true;
  }
  if (!hasPlainPrototype(object)) return false;
  for (const key in object) {
    const member = (object as Record<string, unknown>)[key];
    if (member !== undefined && !isPlainMember(member, depth)) return false;
  }
  return Object.getOwnPropertySymbols(object).length === 0;
}

function isPlainMember(member: unknown, depth: number): boolean {
  return isObject(member) ? isPlainContent(member, depth + 1) : isJsonPrimitive(member);
}

/** What there is where a JSON object should be. */
function insteadOf(values: unknown, json: string | undefined): string {
  if (!isObject(values) || !isRecord(values)) return `got ${nameOf(values)}`;
  return `but its toJSON gives ${nameOf(json && JSON.parse(json))}`;
}

/** Makes the one error for all that is wrong with the values of a template. */
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

/** Writes a path as JavaScript would: `lines[3].price`. */
function formatPath(path: readonly (string | number)[]): string {
  let text = "values";
  for (const [index, key] of path.entries()) {
    // Of a very long path its two ends are enough.
    if (path.length > 20 && index === 10) text += "…";
    if (path.length > 20 && index >= 10 && index < path.length - 5) continue;
    if (typeof key === "number") text += `[${key}]`;
    else if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)) text += `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}

/** One walk through the values: where it stands, what encloses that place, and what it found. */
interface Walk {
  readonly path: (string | number)[];
  readonly ancestors: object[];
  readonly issues: ValuesIssue[];
}

function refuse(walk: Walk, message: string): void {
  walk.issues.push({ path: [...walk.path], message });
}

function check(value: unknown, walk: Walk): void {
  if (isObject(value)) {
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") checkJsonForm(value as Jsonable, walk);
    else checkContent(value, walk);
  } else {
    checkPrimitive(value, walk);
  }
}

function checkPrimitive(value: unknown, walk: Walk): void {
  if (isJsonPrimitive(value)) return;
  if (typeof value === "number") {
    refuse(walk, `is ${value}, which JSON turns into null`);
  } else if (value === undefined) {
    refuse(walk, "is undefined, which JSON turns into null in an array: use null, or leave it out");
  } else {
    refuse(walk, `is a ${typeof value}, which JSON cannot hold`);
  }
}

interface Jsonable {
  toJSON(key: string): unknown;
}

/** Checks what `toJSON` gives: JSON takes that as it is, and asks it for no `toJSON` of its own. */
function checkJsonForm(object: Jsonable, walk: Walk): void {
  const key = walk.path.at(-1);
  const form = object.toJSON(String(key ?? ""));
  if (form === null && Object.prototype.toString.call(object) === "[object Date]") {
    refuse(walk, "is an invalid Date, which JSON turns into null");
  } else if (isObject(form)) {
    checkContent(form, walk);
  } else if (form !== undefined || typeof key === "number") {
    checkPrimitive(form, walk);
  }
}

function checkContent(object: object, walk: Walk): void {
  const { ancestors } = walk;
  if (ancestors.includes(object)) return refuse(walk, "contains itself, and JSON has no way to say so");
  if (ancestors.length >= maxDepth) return refuse(walk, `is nested deeper than ${maxDepth} levels`);
  ancestors.push(object);
  if (Array.isArray(object)) checkArray(object, walk);
  else if (isRecord(object)) checkRecord(object as Record<string, unknown>, walk);
  else if (object instanceof Promise) refuse(walk, "is a Promise: await it first");
  else
    refuse(
      walk,
      `is ${nameOf(object)}, whose content JSON leaves out or changes: use plain objects and arrays`,
    );
  ancestors.pop();
}

function checkArray(array: readonly unknown[], walk: Walk): void {
  for (let index = 0; index < array.length && walk.issues.length < maxIssues; index++) {
    checkMember(array, index, walk);
  }
}

function checkRecord(record: Record<string, unknown>, walk: Walk): void {
  for (const key of Object.keys(record)) {
    if (walk.issues.length >= maxIssues) return;
    checkMember(record, key, walk);
  }
  for (const symbol of Object.getOwnPropertySymbols(record)) {
    if (Object.prototype.propertyIsEnumerable.call(record, symbol)) {
      refuse(walk, `has a member whose name is ${String(symbol)}, which JSON leaves out`);
    }
  }
}

function checkMember(container: object, key: string | number, walk: Walk): void {
  const { path, ancestors } = walk;
  const depth = ancestors.length;
  path.push(key);
  try {
    const member = (container as Record<string | number, unknown>)[key];
    const isLeftOut =
      typeof key === "string" &&
      // What a `toJSON` gave may carry that method itself.
      (member === undefined || (key === "toJSON" && typeof member === "function"));
    if (!isLeftOut) check(member, walk);
  } catch (error) {
    ancestors.length = depth;
    refuse(walk, unreadable(error));
  }
  path.pop();
}

/** Of what the caller's own code threw only the class is told: the rest may quote a value. */
function unreadable(error: unknown): string {
  return `could not be read: ${nameOfError(error)} was thrown by a getter, a proxy or toJSON`;
}

/** What JSON holds as it is. */
function isJsonPrimitive(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || value === null || Number.isFinite(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** A plain object or an instance of a plain class; not a `Map`, `Promise`, `Error` or the like. */
function isRecord(object: object): boolean {
  return hasPlainPrototype(object) || Object.prototype.toString.call(object) === "[object Object]";
}

function hasPlainPrototype(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
}

/** Names a kind of value, never the value: "an array", "null", "a Map". */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}
