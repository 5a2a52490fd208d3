import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/errors/redact.ts";
import { orLongRun, property } from "../support/fuzz.ts";

const key = "sk/l1ve+K3Y==";
const iban = "GB33BUKB20201555555555";

/** Redacts the key, the IBAN and these values in a cause. */
function redact(cause: unknown, ...values: unknown[]): unknown {
  return new Redactor(key, JSON.stringify({ values: [iban, ...values] })).causeWithoutSecrets(cause);
}

function boom(properties: object): Error {
  return Object.assign(new Error("boom"), properties);
}

function withStack(...lines: string[]): Error {
  return boom({ stack: lines.join("\n") });
}

/** Creates an error with a property that needs a descriptor. */
function withProperty(name: PropertyKey, property: PropertyDescriptor): Error {
  return Object.defineProperty(new Error("boom"), name, property);
}

function ofClass(name: PropertyKey, property: PropertyDescriptor): Error {
  class Special extends Error {}
  Object.defineProperty(Special.prototype, name, property);
  return new Special("boom");
}

/** Creates `depth` nested objects. */
function nested(depth: number): object {
  return depth === 1 ? { last: "harmless" } : { next: nested(depth - 1) };
}

/** Creates a stack line of this length. */
function frameOfLength(length: number): string {
  const frame = "    at f (file:///srv/app.js:10:20)";
  return frame.replace("f", "f".repeat(1 + length - frame.length));
}

/** Creates an error with `count` parts: itself, its message, and a list of four lists, each with a `length`. */
function withParts(count: number): Error {
  const items = (count - 4) / 4 - 2;
  return boom({ lists: Array.from({ length: 4 }, () => Array.from({ length: items }, () => "")) });
}

function errorOfNode(): Error {
  try {
    Buffer.alloc("5" as never);
  } catch (error) {
    return error as Error;
  }
  throw new Error("Nothing was thrown.");
}

const systemError = { code: "ECONNREFUSED", errno: -111, syscall: "connect", address: "::1", port: 443 };
const frame = `    at ${iban} (file:///srv/app.js:10:20)`;
const harmless = () => "harmless";

describe("A cause without a secret", () => {
  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["a TypeError from a failed fetch", new TypeError("fetch failed", { cause: boom(systemError) })],
    ["a DOMException", new DOMException("The operation was aborted.", "AbortError")],
    ["an error with an array property of mixed types", boom({ a: [1, null, harmless, { b: "c" }] })],
    ["an error with an object property whose prototype is null", boom({ a: Object.create(null) })],
    ["an error whose class has a getter for a symbol", ofClass(Symbol.toStringTag, { get: harmless })],
    ["an error thrown by Node", errorOfNode()],
    ["an error whose stack has a function named like a template value", withStack("Error: boom", frame)],
    [
      "an error whose stack frames have no position",
      withStack(...["(native)", "(<anonymous>)", "(index 12)", "native"].map((at) => `    at ${iban} ${at}`)),
    ],
    ["an error without a stack", boom({ stack: undefined })],
    ["an error whose stack comes from a getter", withProperty("stack", { get: harmless })],
    ["an error with properties nested to the maximum depth", boom({ detail: nested(6) })],
    ["an error with the maximum number of parts", withParts(2_000)],
    ["an error with a stack of the maximum length", withStack(frameOfLength(20_000))],
    ["an error whose class has no constructor", ofClass("constructor", { value: undefined })],
    ["a parser error that does not contain the response", boom({ name: "HTTPParserError", data: undefined })],
  ])("is returned unchanged: %s", (_, error) => {
    expect(redact(error)).toBe(error);
  });

  it("is returned unchanged even if its property names are also template values", () => {
    const fixed = ["stack", "message", "cause"];
    const names =
      "code errno syscall address port host hostname errors status statusCode reason path dest info library cert data";
    const own = Object.fromEntries(names.split(" ").map((name) => [name, 1]));
    const error = Object.assign(new Error("boom", { cause: new Error("inner") }), own);
    expect(redact(error, ...fixed, ...Object.keys(own))).toBe(error);
  });
});

describe("A cause with parts that cannot be checked", () => {
  class Inherited extends (ofClass("toJSON", { value: harmless }).constructor as typeof Error) {}

  it.each<[string, Error]>([
    ["a getter", withProperty("detail", { get: harmless })],
    ["a getter in the error's class", ofClass("detail", { get: harmless })],
    ["a toJSON method", boom({ toJSON: harmless })],
    ["a toJSON method in a parent class", new Inherited("boom")],
    ["a custom inspect function in the error's class", ofClass(inspect.custom, { value: harmless })],
    ["a class instance", boom({ detail: new Map([["a", "b"]]) })],
    ["a function with properties", boom({ detail: Object.assign(() => {}, { a: 1 }) })],
    ["properties that exceed the maximum depth", boom({ detail: nested(7) })],
    ["parts that exceed the maximum number", Object.assign(withParts(2_000), { detail: 1 })],
    ["a stack that exceeds the maximum length", withStack(frameOfLength(20_001))],
    ["the response that the parser rejected", boom({ name: "HTTPParserError", data: "harmless" })],
  ])("is copied without those parts: %s", (_, error) => {
    const safe = redact(error) as Error;
    expect(safe).not.toBe(error);
    expect({ message: safe.message, prototype: Object.getPrototypeOf(safe) }).toEqual({
      message: "boom",
      prototype: Error.prototype,
    });
    expect(inspect(safe, { showHidden: true, depth: 20 })).not.toMatch(/harmless|detail/);
  });
});

/** Errors that contain a text in different places. */
const hidingPlaces: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => ({ toString: () => text }),
  (text) => new Error(text),
  (text) => new Error("outer", { cause: new Error("middle", { cause: new TypeError(text) }) }),
  (text) => boom({ code: text }),
  (text) => boom({ name: text }),
  (text) => withStack("Error: boom", `    at f (https://host/?k=${text}:1:1)`),
  (text) => boom({ cause: withStack(`    at f (https://host/?k=${text}:1:1)`) }),
  (text) => boom({ options: { headers: [["authorization", text]] } }),
  (text) => boom({ options: { [text]: 1 } }),
  (text) => boom({ f: { [text]: () => {} }[text] }),
  (text) => boom({ [Symbol(`undici.error.${text}`)]: 1 }),
  (text) => boom({ cause: { response: new Map([[text, text]]) } }),
  (text) => new AggregateError([new Error("one"), new Error(text)], "all"),
  (text) => withProperty("secret", { get: () => text, enumerable: true }),
  // A stack contains the original message.
  (text) => Object.assign(new Error(text), { message: "another" }),
  (text) => {
    const cyclic = new Error(text);
    return Object.assign(cyclic, { cause: cyclic });
  },
  (text) => ({
    toString: () => {
      throw new Error(text);
    },
  }),
];

describe("A cause with a secret", () => {
  const unit = fc.constantFrom(..."abcXYZ0189+/=-_.:");
  const keys = fc.string({ unit, minLength: 8, maxLength: 40 });
  const spelling = fc.constantFrom(
    (text: string) => text,
    encodeURIComponent,
    (text: string) => Buffer.from(text).toString("base64"),
    (text: string) => text.replace(/[^a-z0-9]/gi, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  );
  const around = orLongRun(fc.string({ unit: fc.constantFrom(..." ,\n;!()"), maxLength: 12 }));
  const place = fc.constantFrom(...hidingPlaces);

  property("is copied without the key in any part or encoding, and can be quoted without the key", () =>
    fc.property(keys, spelling, around, place, (secret, spell, before, hide) => {
      const spelled = spell(secret);
      const redactor = new Redactor(secret, "{}");
      expect(redactor.quote(`${before} ${spelled} ${before}`, 500)).not.toContain(spelled);
      const safe = redactor.causeWithoutSecrets(hide(`${before} ${spelled}`));
      const shown = inspect(safe, { depth: 20, showHidden: true });
      expect(shown).not.toContain(spelled);
      expect(shown).not.toContain(JSON.stringify(spelled).slice(1, -1));
    }),
  );

  it("is copied with the values removed everywhere except in stack frames", () => {
    for (const hide of hidingPlaces.filter((place) => !String(place).includes("https:"))) {
      const shown = inspect(redact(hide(`bad ${iban}`)), { depth: 20, showHidden: true });
      expect(shown, String(hide)).not.toContain(iban);
    }
  });

  it.each([
    ["a line with text after the position", withStack(`    at ${iban} (a.js:1:2) and more`)],
    ["a line with text before `at`", withStack(`Error: look at ${iban}:1:2`)],
    ["a line of the message", boom({ message: `boom\n    at ${iban}:1:2`, stack: `    at ${iban}:1:2` })],
  ])("is copied without stack lines that only look like frames: %s", (_, error) => {
    expect((redact(error) as Error).stack).toMatch(/^Error: boom( at \[redacted\]:1:2)?$/);
  });

  it("is copied with its name, code, stack frames, cause and redacted message", () => {
    const inner = Object.assign(new RangeError(`inner ${key}`), { code: 7 });
    const error = Object.assign(new TypeError(`outer ${iban}`, { cause: inner }), { code: "E_SEND" });
    const safe = redact(error) as Error & { cause: Error };
    expect(safe.stack).toMatch(/^TypeError: outer \[redacted\]\n {4}at .*error-contents\.test\.ts/);
    const name = { value: "TypeError", configurable: true, enumerable: false };
    expect(Object.getOwnPropertyDescriptor(safe, "name")).toMatchObject(name);
    expect(safe).toMatchObject({ message: "outer [redacted]", code: "E_SEND" });
    expect(safe.cause).toMatchObject({ name: "RangeError", message: "inner [redacted]" });
    for (const property of ["cause", "code"]) expect(safe.cause).not.toHaveProperty(property);
    expect(error.message).toContain(iban);
  });

  it.each([
    ["all lines of a stack of 20,000 characters", ["    at first (a.js:1:1)", frameOfLength(20_000 - 24)], 0],
    [
      "only the complete lines in the last 20,000 characters of a longer stack",
      ["Error", "    at gone (a.js:1:1)", "Error:     at rest (a.js:1:1)", frameOfLength(20_000 - 23)],
      3,
    ],
  ])("is copied with %s", (_, lines, cut) => {
    const safe = redact(Object.assign(withStack(...lines), { message: key })) as Error;
    expect(safe.stack?.split("\n").slice(1)).toEqual(lines.slice(cut));
  });

  it("is copied as a plain Error if its class name is a secret value", () => {
    class Lovelace extends Error {}
    expect(inspect(redact(new Lovelace("boom"), "Lovelace"))).not.toContain("Lovelace");
  });

  it("is copied with the name `Error` if its own name is a secret value", () => {
    const safe = redact(boom({ name: "Lovelace" }), "Lovelace") as Error;
    expect({ name: safe.name, firstLine: safe.stack?.split("\n")[0] }).toEqual({
      name: "Error",
      firstLine: "Error: boom",
    });
  });

  it("is replaced with a generic error if one of its properties cannot be read", () => {
    const error = withProperty("cause", {
      get: () => {
        throw new Error(key);
      },
    });
    expect(redact(error)).toEqual(new Error("an error that cannot be read"));
  });

  it("is copied with at most six nested causes", () => {
    let error = new Error(`0 ${key}`);
    for (let count = 1; count <= 1_000; count++) error = new Error(`${count} ${key}`, { cause: error });
    const messages: string[] = [];
    let at = redact(error) as Error | undefined;
    for (; at; at = at.cause as Error | undefined) messages.push(at.message);
    expect(messages).toEqual([1_000, 999, 998, 997, 996, 995, 994].map((n) => `${n} [redacted]`));
  });

  it.each<[string, unknown, string]>([
    ["a string", `failed with ${key}`, "failed with [redacted]"],
    ["a plain object", { message: key, toString: () => `failed with ${iban}` }, "failed with [redacted]"],
    ["null", null, "null"],
    ["an object without `toString()`", Object.create(null), "a value that cannot be converted to a string"],
  ])("is replaced with a safe string if it is not an error: %s", (_, cause, text) => {
    expect(redact(cause)).toBe(text);
  });
});
