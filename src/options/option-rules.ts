import { ConfigurationError } from "../errors/errors.ts";
import type { DispatcherLike } from "../transport/undici.ts";

/**
 * Refuses options that do not exist, because a misspelt one would otherwise be ignored in silence.
 *
 * @throws {ConfigurationError} naming the nearest option that does exist
 */
export function checkNames(options: object, known: readonly string[], kind: string): void {
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(
      `Expected the options of the ${kind} to be an object, got ${options === null ? "null" : typeof options}.`,
    );
  }
  if (isSignal.test(options)) {
    throw new ConfigurationError(
      `A signal was given in place of the options of the ${kind}. Give it as { signal }.`,
    );
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new ConfigurationError(
        `Unknown ${kind} option \`${name}\`.${suggestion(name, known)} Known options: ${known.join(", ")}.`,
      );
    }
  }
}

function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : ` Did you mean \`${nearest}\`?`;
}

/** Gives the known name that is most like another, where one is like it at all. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest, likeness] = known
    .map((other) => [other, likenessOf(name, other)] as const)
    .reduce((best, next) => (next[1] > best[1] ? next : best));
  return likeness > 0.5 ? nearest : undefined;
}

/** How many pairs of neighbouring letters two names share, from 0 to 1 (Dice's coefficient). */
function likenessOf(name: string, other: string): number {
  const pairs = pairsOf(name);
  const others = pairsOf(other);
  return (2 * pairs.filter((pair) => others.includes(pair)).length) / (pairs.length + others.length);
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
export const isText: Rule = {
  words: "a text that is not empty",
  test: (value) => typeof value === "string" && value !== "",
};
export const isFunction: Rule = { words: "a function", test: (value) => typeof value === "function" };
export const isByteCount: Rule = {
  words: "a whole number of bytes, 1 or more",
  test: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
export const isCount: Rule = {
  words: "a whole number, 0 or more",
  test: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
export const isDuration: Rule = {
  words: "a number of milliseconds above 0, or Infinity",
  test: (value) => typeof value === "number" && value > 0,
};
export const isObject: Rule = {
  words: "an object",
  test: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};
export const isObjectOrFalse: Rule = {
  words: "an object, or false",
  test: (value) => value === false || isObject.test(value),
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

/** What the options of a kind must be, by their names; some are checked where they are read. */
export type Rules<O> = { readonly [Name in keyof Required<O>]: Rule | undefined };

/**
 * Checks that options are ones that there are, and what they must be.
 *
 * @param kind - what has these options
 * @param shownPrefix - what stands before their names in a message
 * @throws {ConfigurationError} for the first thing that is wrong
 */
export function checkOptions<O extends object>(
  options: O,
  rules: Rules<O>,
  kind: string,
  shownPrefix = "",
): void {
  checkNames(options, Object.keys(rules), kind);
  for (const name of Object.keys(rules) as (keyof O & string)[]) {
    const rule = rules[name];
    if (rule) optional(options, name, rule, shownPrefix + name);
  }
}

/**
 * Reads one option.
 *
 * @throws {ConfigurationError} when it is there and its value breaks the rule
 */
export function optional<O extends object, K extends keyof O>(
  options: O,
  name: K,
  rule: Rule,
  shownName = String(name),
): O[K] | undefined {
  const value = options[name];
  if (value === undefined || rule.test(value)) return value;
  // Only what cannot be a secret that stands in the wrong place is told.
  const isHarmless = typeof value === "number" || typeof value === "boolean";
  const got = isHarmless ? `\`${value}\` (${typeof value})` : kindOf(value);
  throw new ConfigurationError(`Expected \`${shownName}\` to be ${rule.words}, got ${got}.`);
}

/** Says what kind of value something is, and nothing of the value itself. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}
