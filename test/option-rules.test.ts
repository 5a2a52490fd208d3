import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../src/errors/errors.ts";
import {
  checkNames,
  isBoolean,
  isByteCount,
  isCount,
  isCredentials,
  isDispatcher,
  isDuration,
  isFunction,
  isObject,
  isObjectOrFalse,
  isSignal,
  isText,
  optional,
} from "../src/options/option-rules.ts";

type Rule = Parameters<typeof optional>[2];
const known = ["baseUrl", "apiKey", "fetch", "maxBytes"];

const refusalOf = (attempt: () => unknown): string => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return "accepted";
};

describe("the names of options", () => {
  it.each<[unknown, string]>([
    [{ baseUrl: 1, fetch: undefined }, "accepted"],
    [{}, "accepted"],
    [null, "Expected the options of the client to be an object, got null."],
    [undefined, "Expected the options of the client to be an object, got undefined."],
    ["https://x", "Expected the options of the client to be an object, got string."],
    [
      new AbortController().signal,
      "A signal was given in place of the options of the client. Give it as { signal }.",
    ],
    [
      { baseURL: 1 },
      "Unknown client option `baseURL`. Did you mean `baseUrl`? Known options: baseUrl, apiKey, fetch, maxBytes.",
    ],
    [{ FETCH: 1 }, "Unknown client option `FETCH`. Did you mean `fetch`? Known options:"],
    [{ apikeys: 1 }, "Unknown client option `apikeys`. Did you mean `apiKey`? Known options:"],
    [{ maxByte: 1 }, "Unknown client option `maxByte`. Did you mean `maxBytes`? Known options:"],
    [{ colour: 1 }, "Unknown client option `colour`. Known options: baseUrl, apiKey, fetch, maxBytes."],
    [{ feta: 1 }, "Unknown client option `feta`. Did you mean `fetch`? Known options:"],
    [{ fega: 1 }, "Unknown client option `fega`. Known options:"],
  ])("%j: %s", (options, expected) => {
    const message = refusalOf(() => checkNames(options as object, known, "client"));
    expect(message.slice(0, expected.length)).toBe(expected);
  });

  it("of two that are alike equally, the first is named", () => {
    expect(refusalOf(() => checkNames({ abcx: 1 }, ["abcy", "abcz"], "call"))).toMatch(/mean `abcy`\?/);
  });

  it("half alike is not alike", () => {
    expect(refusalOf(() => checkNames({ abx: 1 }, ["aby"], "call"))).toBe(
      "Unknown call option `abx`. Known options: aby.",
    );
  });
});

const signal = new AbortController().signal;
const noop = () => {};

describe.each<[string, Rule, string, unknown[], unknown[]]>([
  ["a boolean", isBoolean, "a boolean", [true, false], [0, "true", null]],
  ["a text", isText, "a text that is not empty", ["a", " "], ["", 7, null, [], {}]],
  ["a function", isFunction, "a function", [noop, class {}], [{}, null, "f"]],
  [
    "a count of bytes",
    isByteCount,
    "a whole number of bytes, 1 or more",
    [1, 2 ** 53 - 1],
    [0, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, "1", null],
  ],
  [
    "a count",
    isCount,
    "a whole number, 0 or more",
    [0, 1, 2 ** 53 - 1],
    [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1", null],
  ],
  [
    "a limit of time",
    isDuration,
    "a number of milliseconds above 0, or Infinity",
    [0.1, 1, Number.POSITIVE_INFINITY],
    [0, -1, Number.NaN, "1", null, true],
  ],
  ["an object", isObject, "an object", [{}, new Map()], [null, [], 1, "x", false, noop]],
  ["an object or false", isObjectOrFalse, "an object, or false", [false, {}], [true, null, 0, "", noop]],
  [
    "a signal",
    isSignal,
    "an AbortSignal",
    [signal, new EventTarget()],
    [{}, null, 7, { addEventListener: 1 }],
  ],
  [
    "a dispatcher",
    isDispatcher,
    "an undici dispatcher",
    [{ dispatch: noop }],
    [{}, null, 7, { dispatch: 1 }],
  ],
  [
    "credentials",
    isCredentials,
    '"omit", "same-origin" or "include"',
    ["omit", "same-origin", "include"],
    ["", "all", null, 1],
  ],
])("an option that is %s", (_, rule, words, right, wrong) => {
  it("may be that, or missing", () => {
    for (const value of right) expect(optional({ option: value }, "option", rule)).toBe(value);
    expect(optional({ option: undefined }, "option", rule)).toBeUndefined();
    expect(optional({} as { option?: unknown }, "option", rule)).toBeUndefined();
  });

  it("and nothing else, which is told unless it may be a secret", () => {
    for (const value of wrong) {
      const isTold = typeof value === "number" || typeof value === "boolean";
      const hidden = Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
      const got = isTold ? `\`${value}\` (${typeof value})` : value === null ? "null" : hidden;
      expect(refusalOf(() => optional({ option: value }, "option", rule))).toBe(
        `Expected \`option\` to be ${words}, got ${got}.`,
      );
    }
  });
});
