import { ConfigurationError } from "../errors/errors.ts";
import { describeKind, isAnyObject } from "../errors/value-kinds.ts";
import { ownOption, ownOptions } from "../runtime/own-options.ts";
import type { DispatcherLike } from "../transport/transport.ts";

/** A rule for the value of an option, with its description for error messages. */
export interface Rule {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
  /** The rules for the properties of an object, such as `timeouts`. */
  readonly properties?: Readonly<Record<string, Rule>>;
}

// Objects and not function calls, so that bundlers can remove unused ones.
export const isBoolean: Rule = { words: "a boolean", test: (value) => typeof value === "boolean" };
export const isText: Rule = {
  words: "a non-empty string",
  test: (value) => typeof value === "string" && value !== "",
};
export const isFunction: Rule = { words: "a function", test: (value) => typeof value === "function" };
export const isByteCount: Rule = {
  words: "a whole number of bytes, 1 or more",
  test: (value) => isInteger(value, 1),
};
export const isPositiveCount: Rule = {
  words: "a whole number, 1 or more",
  test: (value) => isInteger(value, 1),
};
export const isCount: Rule = { words: "a whole number, 0 or more", test: (value) => isInteger(value, 0) };
export const isDuration: Rule = {
  words: "a number of milliseconds above 0, or Infinity",
  test: (value) => typeof value === "number" && value > 0,
};
export const isObject: Rule = {
  words: "an object",
  test: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
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

function isInteger(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

/**
 * The rules for a group of options, by option name. A rule is `undefined` if the code that reads the option
 * checks it.
 */
export type Rules<O> = { readonly [Name in keyof Required<O>]: Rule | undefined };

/**
 * Checks the names and the values of options.
 *
 * @returns a copy, also of options with properties of their own: see `ownOptions`
 * @throws {ConfigurationError} for the first mistake
 */
export function checkOptions<O extends object>(given: O, rules: Rules<O>, kind: string, prefix = ""): O {
  const names = Object.keys(rules) as (keyof O & string)[];
  checkNames(given, names, kind);
  const options = ownOptions(given, names);
  for (const name of names) {
    const rule = rules[name];
    const value: unknown = options[name];
    if (!rule || value === undefined) continue;
    checkOption(value, rule, prefix + name);
    const properties = Object.hasOwn(rule, "properties") ? rule.properties : undefined;
    if (properties && isAnyObject(value)) {
      options[name] = checkOptions(value, properties, name, `${name}.`) as (typeof options)[typeof name];
    }
  }
  return options;
}

/** Rejects unknown options, which may be misspelt. @throws {ConfigurationError} with the known options */
export function checkNames(options: object, known: readonly string[], kind: string): void {
  const isSignal = isAnyObject(options) && ownOption(options as EventTarget, "addEventListener");
  if (isSignal || !isAnyObject(options)) {
    const got = isSignal ? "a signal. Pass { signal }" : describeKind(options);
    throw new ConfigurationError(`Expected the ${kind} options to be an object, got ${got}.`);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const meant = known.find((other) => beginningOf(other) === beginningOf(name));
    const question = meant ? ` Did you mean \`${meant}\`?` : "";
    throw new ConfigurationError(
      `Unknown ${kind} option \`${name}\`. Known options: ${known.join(", ")}.${question}`,
    );
  }
}

/** Misspelt names usually begin correctly, such as `timeout`, `baseURL` or `retries`. */
function beginningOf(name: string): string {
  return name.slice(0, 3).toLowerCase();
}

/** @throws {ConfigurationError} if the value of an option violates its rule */
export function checkOption(value: unknown, rule: Rule, name: string): void {
  if (rule.test(value)) return;
  // The message quotes only values that cannot be secrets.
  const isHarmless = typeof value === "number" || typeof value === "boolean";
  const got = isHarmless ? `\`${value}\` (${typeof value})` : describeKind(value);
  throw new ConfigurationError(`Expected \`${name}\` to be ${rule.words}, got ${got}.`);
}

/** A group of options, such as `timeouts`, with all properties set. */
export type Complete<O> = { readonly [Name in keyof O]-?: NonNullable<O[Name]> };
