import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { describeKind } from "../../src/errors/value-kinds.ts";
import * as rules from "../../src/options/option-rules.ts";
import { isRetry } from "../../src/options/retry.ts";

function refusalOf(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return "accepted";
}

describe("Option names", () => {
  const known = { baseUrl: undefined, apiKey: undefined, fetch: undefined, maxBytes: undefined };
  const list = "Known options: baseUrl, apiKey, fetch, maxBytes.";

  it.each<[unknown, string]>([
    [{ baseUrl: 1, fetch: undefined }, "accepted"],
    [null, "Expected the client options to be an object, got null."],
    [undefined, "Expected the client options to be an object, got undefined."],
    ["https://x", "Expected the client options to be an object, got a string."],
    [AbortSignal.abort(), "Expected the client options to be an object, got a signal. Pass { signal }."],
    [{ baseURL: 1 }, `Unknown client option \`baseURL\`. ${list} Did you mean \`baseUrl\`?`],
    [{ proxy: 1 }, `Unknown client option \`proxy\`. ${list}`],
  ])('are checked: the result for %j is "%s"', (options, message) => {
    expect(refusalOf(() => rules.checkOptions(options as object, known, "client"))).toBe(message);
  });
});

const noop = () => {};
const { NaN: nan, POSITIVE_INFINITY: infinity, MAX_SAFE_INTEGER: most } = Number;
const signal = new AbortController().signal;

type Kind = readonly [words: string, rules.Rule, right: unknown[], wrong: unknown[]];

const kinds: readonly Kind[] = [
  ["a boolean", rules.isBoolean, [true, false], [0, "true", null]],
  ["a non-empty string", rules.isText, ["a", " "], ["", 7, null, [], {}]],
  ["a function", rules.isFunction, [noop, class {}], [{}, null, "f"]],
  ["a whole number of bytes, 1 or more", rules.isByteCount, [1, most], [0, 1.5, most + 1, nan, "1"]],
  ["a whole number, 1 or more", rules.isPositiveCount, [1, most], [0, -1, 1.5, infinity, "1"]],
  ["a whole number, 0 or more", rules.isCount, [0, 1, most], [-1, 0.5, nan, infinity, "1", null]],
  ["a number of milliseconds above 0, or Infinity", rules.isDuration, [0.1, infinity], [0, -1, nan, "1", 5n]],
  ["an object", rules.isObject, [{}, new Map()], [null, [], 1, "x", false, noop]],
  ["an object, or false", isRetry, [false, {}], [true, null, 0, "", noop]],
  ["an AbortSignal", rules.isSignal, [signal, new EventTarget()], [{}, null, 7, { addEventListener: 1 }]],
  ["an undici dispatcher", rules.isDispatcher, [{ dispatch: noop }], [{}, null, 7, { dispatch: 1 }]],
  ['"omit", "same-origin" or "include"', rules.isCredentials, ["omit", "include"], ["", "all", null, 1]],
];

describe.each(kinds)("An option that must be %s", (words, rule, right, wrong) => {
  it("can be omitted, undefined or a valid value", () => {
    for (const value of [...right, undefined]) {
      expect(rules.checkOptions({ option: value }, { option: rule }, "call").option).toEqual(value);
    }
    expect(rules.checkOptions({} as { option?: unknown }, { option: rule }, "call").option).toBeUndefined();
  });

  it("is rejected if it is invalid", () => {
    for (const value of wrong) {
      const isShown = typeof value === "number" || typeof value === "boolean";
      const got = isShown ? `\`${value}\` (${typeof value})` : describeKind(value);
      expect(refusalOf(() => rules.checkOption(value, rule, "option"))).toBe(
        `Expected \`option\` to be ${words}, got ${got}.`,
      );
    }
  });
});
