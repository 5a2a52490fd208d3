import { isInstance, readForeignText } from "./foreign-values.ts";

export function isAnyObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value is a `Uint8Array`, from any realm: under jsdom, chunks come from another one. */
export function isBytes(value: unknown): value is Uint8Array {
  // A proxy of bytes has no bytes.
  if (!ArrayBuffer.isView(value)) return false;
  return value instanceof Uint8Array || Object.prototype.toString.call(value) === "[object Uint8Array]";
}

/** Whether JSON represents an object by its own properties, which is not the case for `Map`, `Promise`, `Error` and others. */
export function isRecord(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Object.prototype.toString.call(object) === "[object Object]"
  );
}

/** Describes the type of a value without the value, for example "an array", "null" or "a Map". */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  try {
    if (Array.isArray(value)) return "an array";
    const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
    return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
  } catch {
    return "an object that cannot be read";
  }
}

/** Returns the name of an error, or `Error` if the name does not look like a class name. */
export function nameOfError(error: unknown): string {
  const name = isInstance(error, Error) ? readForeignText(error, "name") : undefined;
  return name !== undefined && /^[A-Z][A-Za-z]{0,40}$/.test(name) ? name : "Error";
}
