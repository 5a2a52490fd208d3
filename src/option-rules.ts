import { ConfigurationError } from "./errors.ts";
import type { DispatcherLike } from "./transport/types.ts";

/**
 * Refuses options that do not exist, because a misspelt one would otherwise be ignored in silence.
 *
 * @throws {ConfigurationError} naming the nearest option that does exist
 */
export function checkNames(options: object, known: readonly string[], kind: "client" | "call"): void {
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(
      `Expected the options of the ${kind} to be an object, got ${String(options)}.`,
    );
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new ConfigurationError(
        `Unknown ${kind} option \`${name}\`. Did you mean \`${nearest(name, known)}\`? Known options: ${known.join(", ")}.`,
      );
    }
  }
}

/** The known name that shares the most letter pairs with `name` (Dice's coefficient). */
function nearest(name: string, known: readonly string[]): string {
  const likeness = (other: string): number => {
    const pairs = pairsOf(name);
    const others = pairsOf(other);
    return (2 * pairs.filter((pair) => others.includes(pair)).length) / (pairs.length + others.length);
  };
  return known.reduce((best, candidate) => (likeness(candidate) > likeness(best) ? candidate : best));
}

function pairsOf(name: string): string[] {
  const padded = `^${name.toLowerCase()}$`;
  return Array.from({ length: padded.length - 1 }, (_, index) => padded.slice(index, index + 2));
}

/** What an option's value must be: told in words, and tested. */
interface Rule {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

export const isBoolean: Rule = { words: "a boolean", test: (value) => typeof value === "boolean" };
export const isFunction: Rule = { words: "a function", test: (value) => typeof value === "function" };
export const isByteCount: Rule = {
  words: "a whole number of bytes, 1 or more",
  test: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
export const isSignal: Rule = {
  words: "an AbortSignal",
  test: (value) => typeof (value as AbortSignal | null)?.addEventListener === "function",
};
export const isDispatcher: Rule = {
  words: "an undici dispatcher",
  test: (value) => typeof (value as DispatcherLike | null)?.dispatch === "function",
};
export const isCredentials: Rule = {
  words: '"omit", "same-origin" or "include"',
  test: (value) => ["omit", "same-origin", "include"].includes(value as string),
};

/**
 * Reads one option.
 *
 * @throws {ConfigurationError} when it is there and its value breaks the rule
 */
export function optional<O extends object, K extends keyof O>(
  options: O,
  name: K,
  rule: Rule,
): O[K] | undefined {
  const value = options[name];
  if (value === undefined || rule.test(value)) return value;
  const got = typeof value === "object" || typeof value === "function" ? "" : ` \`${String(value)}\``;
  throw new ConfigurationError(
    `Expected \`${String(name)}\` to be ${rule.words}, got${got} (${value === null ? "null" : typeof value}).`,
  );
}
