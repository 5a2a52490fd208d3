import { ValuesError, type ValuesIssue } from "./errors.ts";

/** How many things are listed before the rest goes unsaid. */
const maxIssues = 20;

/**
 * Writes the values of a template as the JSON object of the request's body (spec, "Endpoints", rule 2).
 *
 * `Date` and everything else with a `toJSON` goes by it; members that are `undefined` are left out.
 * What JSON would change in silence is refused, with its path: `NaN`, infinities, functions, symbols,
 * BigInt, `Map`, `Set` and their like, holes in arrays, cycles.
 *
 * @param values - one JSON object
 * @param uid - the template they are meant for; named in the error
 * @throws {ValuesError} naming every path at which something is wrong, and no value
 */
export function serializeValues(values: unknown, uid: string): string {
  const issues: ValuesIssue[] = [];
  try {
    check(values, { path: [], ancestors: [], issues });
    if (issues.length === 0) {
      const json = JSON.stringify(values);
      if (json?.startsWith("{")) return json;
      issues.push({ path: [], message: `must be one JSON object, got ${nameOf(values)}` });
    }
  } catch (error) {
    // A getter or toJSON of the caller threw, or the nesting outgrew the stack. The caller's own error may
    // quote values, so only its class is told.
    const message =
      error instanceof RangeError
        ? "is nested too deeply to be written as JSON"
        : `could not be read: ${error instanceof Error ? error.name : "something"} was thrown by a getter or toJSON`;
    issues.push({ path: [], message });
  }
  throw valuesError(uid, issues);
}

/** Makes the one error for all that is wrong with the values of a template. */
export function valuesError(uid: string, issues: readonly ValuesIssue[]): ValuesError {
  const listed = issues.slice(0, maxIssues).map(({ path, message }) => `${formatPath(path)} ${message}`);
  if (issues.length > maxIssues) listed.push(`and ${issues.length - maxIssues} more`);
  return new ValuesError(
    `The values for template ${JSON.stringify(uid)} cannot be sent: ${listed.join("; ")}. Nothing was sent.`,
    { issues, uid },
  );
}

/** Writes a path as JavaScript would: `lines[3].price`. */
function formatPath(path: readonly (string | number)[]): string {
  let text = "values";
  for (const key of path) {
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
  if (typeof value === "object" && value !== null) {
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") checkJsonForm(value as Jsonable, walk);
    else checkContent(value, walk);
  } else {
    checkPrimitive(value, walk);
  }
}

function checkPrimitive(value: unknown, walk: Walk): void {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) refuse(walk, `is ${value}, which JSON turns into null`);
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
  const form = object.toJSON(String(walk.path.at(-1) ?? ""));
  if (form === null && object instanceof Date) {
    refuse(walk, "is an invalid Date, which JSON turns into null");
  } else if (typeof form === "object" && form !== null) {
    checkContent(form, walk);
  } else {
    checkPrimitive(form, walk);
  }
}

function checkContent(object: object, walk: Walk): void {
  if (walk.ancestors.includes(object)) return refuse(walk, "contains itself, and JSON has no way to say so");
  walk.ancestors.push(object);
  if (Array.isArray(object)) {
    for (let index = 0; index < object.length; index++) checkMember(object[index], index, walk);
  } else if (isRecord(object)) {
    for (const key of Object.keys(object)) {
      const member = (object as Record<string, unknown>)[key];
      if (member !== undefined) checkMember(member, key, walk);
    }
    for (const symbol of Object.getOwnPropertySymbols(object)) {
      if (Object.prototype.propertyIsEnumerable.call(object, symbol)) {
        refuse(walk, `has a member whose name is ${String(symbol)}, which JSON leaves out`);
      }
    }
  } else {
    refuse(walk, `is ${nameOf(object)}, whose content JSON leaves out: use plain objects and arrays`);
  }
  walk.ancestors.pop();
}

function checkMember(member: unknown, key: string | number, walk: Walk): void {
  walk.path.push(key);
  check(member, walk);
  walk.path.pop();
}

/** A plain object or an instance of a plain class; not a `Map`, `Promise`, `Error` or the like. */
function isRecord(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.prototype.toString.call(object) === "[object Object]";
}

/** Names a kind of value, never the value: "an array", "null", "a Map". */
function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}`;
}
