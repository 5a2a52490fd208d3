/**
 * Reads values from code outside this package, such as what a caller's function threw. Their getters and proxy traps may throw,
 * even for `instanceof`. These functions never do.
 */

/** Reads a property; `undefined` if it cannot be read. */
export function readForeign(value: unknown, name: PropertyKey): unknown {
  try {
    return (value as { readonly [name: PropertyKey]: unknown } | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

/** Reads a property that should be a string; `undefined` if it is not one. */
export function readForeignText(value: unknown, name: PropertyKey): string | undefined {
  const text = readForeign(value, name);
  return typeof text === "string" ? text : undefined;
}

/** Like `instanceof`; `false` if the prototypes cannot be read. */
export function isInstance<T>(value: unknown, type: abstract new (...parameters: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** The maximum length of a chain of causes. An error may be its own cause. */
const maxChainLength = 10;

/** Returns what was thrown, its cause, the cause of that, and so on. The innermost is the last. */
export function causesOf(thrown: unknown): readonly unknown[] {
  const chain = [thrown];
  while (chain.length < maxChainLength) {
    const cause = readForeign(chain.at(-1), "cause");
    if (!isInstance(cause, Error)) break;
    chain.push(cause);
  }
  return chain;
}

/** Returns `String(value)`, or a description if the value cannot be converted. */
export function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value that cannot be converted to a string";
  }
}

/** Returns the message of an error, or another thrown value as a string. */
export function describeThrown(thrown: unknown): string {
  return isInstance(thrown, Error) ? safeString(readForeign(thrown, "message")) : safeString(thrown);
}

/** Calls a function, and ignores what it throws or rejects with. */
export function callSafely(call: () => unknown): void {
  try {
    const result = call();
    // An asynchronous function must not cause an unhandled rejection. It may return a promise of another realm.
    if (typeof result === "object" && result !== null)
      new Promise((resolve) => resolve(result)).catch(() => {});
  } catch {
    // As above.
  }
}
