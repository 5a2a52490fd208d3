import { ConfigurationError } from "../errors/errors.ts";
import type { DispatcherLike } from "../transport/transport.ts";

/** What the value of an option must be: in words, and as a test. */
interface Rule {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

export const rule = (words: string, test: (value: unknown) => boolean): Rule => ({ words, test });

export const isBoolean = rule("a boolean", (value) => typeof value === "boolean");
export const isText = rule("a text that is not empty", (value) => typeof value === "string" && value !== "");
export const isFunction = rule("a function", (value) => typeof value === "function");
export const isByteCount = rule("a whole number of bytes, 1 or more", (value) => isInteger(value, 1));
export const isPositiveCount = rule("a whole number, 1 or more", (value) => isInteger(value, 1));
export const isCount = rule("a whole number, 0 or more", (value) => isInteger(value, 0));
export const isDuration = rule(
  "a number of milliseconds above 0, or Infinity",
  (value) => typeof value === "number" && value > 0,
);
export const isObject = rule(
  "an object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);
export const isObjectOrFalse = rule(
  "an object, or false",
  (value) => value === false || isObject.test(value),
);
export const isSignal = rule(
  "an AbortSignal",
  (value) => typeof (value as AbortSignal | null)?.addEventListener === "function",
);
export const isDispatcher = rule(
  "an undici dispatcher",
  (value) => typeof (value as DispatcherLike | null)?.dispatch === "function",
);
export const isCredentials = rule('"omit", "same-origin" or "include"', (value) =>
  ["omit", "same-origin", "include"].includes(value as string),
);

function isInteger(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

/** The rules of a kind of options, by name; `undefined` if the code that reads the option checks it. */
export type Rules<O> = { readonly [Name in keyof Required<O>]: Rule | undefined };

/** Checks the names and the values of options. @throws {ConfigurationError} for the first mistake */
export function checkOptions<O extends object>(options: O, rules: Rules<O>, kind: string, prefix = ""): void {
  checkNames(options, Object.keys(rules), kind);
  for (const name of Object.keys(rules) as (keyof O & string)[]) {
    const rule = rules[name];
    if (rule) optional(options, name, rule, prefix + name);
  }
}

/** Refuses unknown options, which may be misspelt. @throws {ConfigurationError} with the nearest known option */
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
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const suggestion = nearest === undefined ? "" : ` Did you mean \`${nearest}\`?`;
    throw new ConfigurationError(
      `Unknown ${kind} option \`${name}\`.${suggestion} Known options: ${known.join(", ")}.`,
    );
  }
}

/** Reads one option. @throws {ConfigurationError} if it is set and its value breaks the rule */
export function optional<O extends object, K extends keyof O>(
  options: O,
  name: K,
  rule: Rule,
  shownName = String(name),
): O[K] | undefined {
  const value = options[name];
  if (value === undefined || rule.test(value)) return value;
  // The message quotes only values that cannot be a misplaced secret.
  const isHarmless = typeof value === "number" || typeof value === "boolean";
  const got = isHarmless ? `\`${value}\` (${typeof value})` : describeType(value);
  throw new ConfigurationError(`Expected \`${shownName}\` to be ${rule.words}, got ${got}.`);
}

/** Describes the type of a value, never the value itself: "null", "an array", "a value of type string". */
export function describeType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}

/** A group of options, such as `timeouts`, without anything missing. */
export type Complete<O> = { readonly [Name in keyof O]-?: NonNullable<O[Name]> };

/** Checks a group of options. Unset ones come from `base`. @throws {ConfigurationError} for the first mistake */
export function resolveGroup<O extends object>(
  name: string,
  given: O | undefined,
  rules: Rules<O>,
  base: Complete<O>,
): Complete<O> {
  if (given === undefined) return base;
  checkOptions(given, rules, name, `${name}.`);
  const keys = Object.keys(base) as (keyof O & string)[];
  return Object.fromEntries(keys.map((key) => [key, given[key] ?? base[key]])) as Complete<O>;
}

/** Returns the known name that is most similar to a name, if one is similar enough. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest, similarity] = known
    .map((other) => [other, similarityOf(name, other)] as const)
    .reduce((best, next) => (next[1] > best[1] ? next : best));
  return similarity > 0.5 ? nearest : undefined;
}

/** The share of pairs of adjacent letters that two names have in common, from 0 to 1 (Dice's coefficient). */
function similarityOf(name: string, other: string): number {
  const pairs = pairsOf(name);
  const others = pairsOf(other);
  return (2 * pairs.filter((pair) => others.includes(pair)).length) / (pairs.length + others.length);
}

function pairsOf(name: string): string[] {
  const padded = `^${name.toLowerCase()}$`;
  return Array.from({ length: padded.length - 1 }, (_, index) => padded.slice(index, index + 2));
}
