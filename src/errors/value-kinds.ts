export function isAnyObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether JSON writes an object as its own properties; not so a `Map`, `Promise`, `Error` and the like. */
export function isRecord(object: object): boolean {
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
