import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/errors/redact.ts";
import { orLongRun, property } from "../support/fuzz.ts";

const key = "sk/l1ve+K3Y==";
const iban = "GB33BUKB20201555555555";

/** Copies a cause without the key, the IBAN and these values. */
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

const throwing = {
  get: () => {
    throw new Error(key);
  },
};
const systemError = { code: "ECONNREFUSED", errno: -111, syscall: "connect", address: "::1", port: 443 };
const frame = `    at ${iban} (file:///srv/app.js:10:20)`;

describe("A cause", () => {
  it("is undefined if there is none", () => {
    expect(redact(undefined)).toBeUndefined();
  });

  it("is copied with its name, code, stack frames and cause, even if it contains no secret", () => {
    const error = new TypeError("fetch failed", { cause: boom(systemError) });
    const copy = redact(error) as Error & { cause: Error };
    expect(copy).not.toBe(error);
    expect(copy.stack).toBe(error.stack);
    expect(copy).toMatchObject({ name: "TypeError", message: "fetch failed" });
    expect(copy.cause).toMatchObject({ name: "Error", message: "boom", code: "ECONNREFUSED" });
  });

  it("is copied with aggregated errors", () => {
    const error = new AggregateError([new Error("one"), "two", new RangeError(`three ${iban}`)], "all");
    const copy = redact(error) as AggregateError;
    expect(copy).toBeInstanceOf(AggregateError);
    expect(copy.message).toBe("all");
    expect(copy.errors.map(String)).toEqual(["Error: one", "two", "RangeError: three [redacted]"]);
  });

  it("is copied without other properties", () => {
    const hidden = { request: { headers: ["harmless"] }, detail: "harmless", toJSON: () => "harmless" };
    const copy = redact(Object.defineProperty(boom(hidden), "getter", { get: () => "harmless" })) as Error;
    expect(inspect(copy, { showHidden: true, depth: 20 })).not.toMatch(/harmless|detail|getter/);
    expect(Object.keys(copy)).toEqual([]);
  });

  it.each([
    ["message", /^undefined$/],
    ["stack", /^boom$/],
    ["cause", /^boom$/],
    ["errors", /^boom$/],
    ["code", /^boom$/],
    ["name", /^boom$/],
  ])("is copied without a property that cannot be read: %s", (property, message) => {
    const copy = redact(withProperty(property, throwing)) as Error;
    expect(copy.message).toMatch(message);
    expect(inspect(copy, { showHidden: true })).not.toContain(key);
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

  it("is copied without values in any part", () => {
    for (const hide of hidingPlaces) {
      const shown = inspect(redact(hide(`bad ${iban}`)), { depth: 20, showHidden: true });
      expect(shown, String(hide)).not.toContain(iban);
    }
  });

  it.each([
    ["a line with text after the position", withStack(`    at ${iban} (a.js:1:2) and more`)],
    ["a line with text before `at`", withStack(`Error: look at ${iban}:1:2`)],
  ])("is copied without stack lines that only look like frames: %s", (_, error) => {
    expect((redact(error) as Error).stack).toBe("Error: boom");
  });

  it.each([
    ["a function", frame, "    at [redacted] (file:///srv/app.js:10:20)"],
    ["a frame without a position", `    at ${iban} (native)`, "    at [redacted] (native)"],
    ["a line of the message", `    at ${iban}:1:2`, "    at [redacted]:1:2"],
    ["a value with spaces", `    at f (a at ${key}:1:2)`, "    at f (a\n    at [redacted]:1:2)"],
  ])("is copied with redacted stack frames: %s", (_, line, safe) => {
    expect((redact(withStack("Error: boom", line)) as Error).stack).toBe(`Error: boom\n${safe}`);
  });

  it("is copied with its name, code, stack frames, cause and redacted message", () => {
    const inner = Object.assign(new RangeError(`inner ${key}`), { code: 7 });
    const error = Object.assign(new TypeError(`outer ${iban}`, { cause: inner }), { code: "E_SEND" });
    const safe = redact(error) as Error & { cause: Error };
    expect(safe.stack).toMatch(/^TypeError: outer \[redacted\]\n {4}at .*copied-errors\.test\.ts/);
    const name = { value: "TypeError", configurable: true, enumerable: false };
    expect(Object.getOwnPropertyDescriptor(safe, "name")).toMatchObject(name);
    expect(safe).toMatchObject({ message: "outer [redacted]", code: "E_SEND" });
    expect(safe.cause).toMatchObject({ name: "RangeError", message: "inner [redacted]" });
    for (const property of ["cause", "code"]) expect(safe.cause).not.toHaveProperty(property);
    expect(error.message).toContain(iban);
  });

  it("is copied with only the last 4,000 characters of a long stack", () => {
    const frames = Array.from({ length: 200 }, (_, at) => `    at f${at} (file:///srv/app.js:10:20)`);
    const copy = redact(withStack("Error: boom", ...frames)) as Error;
    const shown = copy.stack?.split("\n").slice(1) ?? [];
    expect(shown.length).toBeGreaterThan(90);
    expect(shown).toEqual(frames.slice(-shown.length));
  });

  it("is copied as a plain Error if its class name is a secret value", () => {
    class Lovelace extends Error {}
    expect(inspect(redact(new Lovelace("boom"), "Lovelace"))).not.toContain("Lovelace");
  });

  it("is copied without its name if the name is a secret value", () => {
    const safe = redact(boom({ name: "Lovelace" }), "Lovelace") as Error;
    expect(safe.name).toBe("[redacted]");
    expect(safe.stack?.split("\n")[0]).toBe("[redacted]: boom");
  });

  it("is copied with at most twenty errors", () => {
    let error = new Error(`0 ${key}`);
    for (let count = 1; count <= 1_000; count++) error = new Error(`${count} ${key}`, { cause: error });
    const messages: string[] = [];
    let at = redact(error) as Error | undefined;
    for (; at; at = at.cause as Error | undefined) messages.push(at.message);
    expect(messages).toEqual(Array.from({ length: 20 }, (_, at) => `${1_000 - at} [redacted]`));
  });

  it("is copied once if it contains itself", () => {
    const error = new AggregateError([], `all ${key}`);
    error.errors.push(error, new Error("one"));
    error.cause = error;
    const copy = redact(error) as AggregateError;
    expect(copy.errors.map(String)).toEqual(["Error: one"]);
    expect(copy).not.toHaveProperty("cause");
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
