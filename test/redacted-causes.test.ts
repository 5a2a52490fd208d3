import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nameOfError, Redactor } from "../src/errors/redact.ts";

const key = "sk/l1ve+K3Y==";
const iban = "GB33BUKB20201555555555";

/** What knows the key, and these values. */
function knowing(...values: unknown[]): Redactor {
  return new Redactor(key, JSON.stringify({ values: [iban, ...values] }));
}

function withStack(error: Error, ...lines: string[]): Error {
  return Object.assign(error, { stack: lines.join("\n") });
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}

/** `depth` objects, one in the other. */
function nested(depth: number): object {
  return depth === 1 ? { last: "harmless" } : { next: nested(depth - 1) };
}

/** A line of a stack of this many characters. */
function frameOfLength(length: number): string {
  const frame = "    at f (file:///srv/app.js:10:20)";
  return frame.replace("f", "f".repeat(1 + length - frame.length));
}

/** An error of `count` parts: itself, its message, and four lists, each with its length, in a list with its own. */
function withParts(count: number): Error {
  const items = (count - 4) / 4 - 2;
  const lists = Array.from({ length: 4 }, () => Array.from({ length: items }, () => ""));
  return Object.assign(new Error("boom"), { lists });
}

describe("a cause that can be read through and holds no secret", () => {
  class Quiet extends Error {
    get [Symbol.toStringTag](): string {
      return "Quiet";
    }
    toWords(): string {
      return "harmless";
    }
  }
  const frame = `    at ${iban} (file:///srv/app.js:10:20)`;

  it.each<[string, Error]>([
    ["with nothing", Object.assign(new Error("boom"), { socket: null, port: undefined })],
    ["with a list and plain objects", Object.assign(new Error("boom"), { a: [1, { b: "c" }] })],
    ["with an object without a prototype", Object.assign(new Error("boom"), { a: Object.create(null) })],
    ["with a long word, such as an id", new Error("req_0123456789abcdef0123456789abcdef")],
    [
      "with a function, whatever it is written with",
      Object.assign(new Error("boom"), { f: () => `${iban}` }),
    ],
    ["of a class that shows no more than its class", new Quiet("boom")],
    ["of Node, with a code", thrownBy(() => Buffer.alloc("5" as never)) as Error],
    ["whose frames are like a secret, which are code", withStack(new Error("boom"), "Error: boom", frame)],
    [
      "whose frames name no place",
      withStack(new Error("boom"), `    at async Promise.${iban} (index 12)`, `    at ${iban} (native)`),
    ],
    ["that is as deep as it may be", Object.assign(new Error("boom"), { detail: nested(6) })],
    ["with as many parts as are read", withParts(2_000)],
    ["with a stack as long as is read", withStack(new Error("boom"), frameOfLength(20_000))],
    ["without a stack", Object.assign(new Error("boom"), { stack: undefined })],
    [
      "of a prototype without a constructor",
      Object.setPrototypeOf(
        new Error("boom"),
        Object.create(Error.prototype, { constructor: { value: undefined } }),
      ),
    ],
    ["with data, which is not a response", Object.assign(new Error("boom"), { data: "harmless" })],
    [
      "of undici's parser, without the response",
      Object.assign(new Error("boom"), { name: "HTTPParserError", data: undefined }),
    ],
  ])("is itself: %s", (_, error) => {
    expect(knowing().causeWithoutSecrets(error)).toBe(error);
  });

  it("is itself where a value is called as a part of every error is", () => {
    const error = new Error("boom", { cause: new Error("inner") });
    expect(knowing("stack", "message", "cause").causeWithoutSecrets(error)).toBe(error);
  });

  it("is itself where a value is called as a property of a system error is", () => {
    const names = "path dest info library cert data".split(" ");
    const error = Object.assign(new Error("boom"), Object.fromEntries(names.map((name) => [name, 1])));
    expect(knowing(...names).causeWithoutSecrets(error)).toBe(error);
  });

  it("is itself where a value is called as its class is and its stack does not name the class, as in Safari", () => {
    const error = withStack(new TypeError("boom"), frame);
    expect(knowing("TypeError").causeWithoutSecrets(error)).toBe(error);
  });

  it("is itself in a runtime without DOMException", () => {
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal("DOMException", undefined);
    const error = new TypeError("boom");
    expect(knowing().causeWithoutSecrets(error)).toBe(error);
  });
});

describe("a cause that may show more than can be read", () => {
  class Getting extends Error {
    get detail(): string {
      return "harmless";
    }
  }
  class Telling extends Error {
    toJSON(): string {
      return "harmless";
    }
  }
  class Inspected extends Error {
    [inspect.custom](): string {
      return "harmless";
    }
  }
  class Inherited extends Telling {}

  it.each<[string, Error]>([
    ["by a getter", Object.defineProperty(new Error("boom"), "detail", { get: () => "harmless" })],
    ["by a getter of its class", new Getting("boom")],
    ["by a toJSON of its class", new Telling("boom")],
    ["by a toJSON of a class above", new Inherited("boom")],
    ["by an inspection of its class", new Inspected("boom")],
    ["by a toJSON of its own", Object.assign(new Error("boom"), { toJSON: () => "harmless" })],
    ["by an inspection of its own", Object.assign(new Error("boom"), { [inspect.custom]: () => "harmless" })],
    ["by an object of a class", Object.assign(new Error("boom"), { detail: new Map([["a", "b"]]) })],
    [
      "by a function with properties",
      Object.assign(new Error("boom"), { f: Object.assign(() => {}, { a: 1 }) }),
    ],
    ["deeper than it is searched", Object.assign(new Error("boom"), { detail: nested(7) })],
    ["with more parts than are read", Object.assign(withParts(2_000), { detail: 1 })],
    ["with a longer stack than is read", withStack(new Error("boom"), frameOfLength(20_001))],
    [
      "by the response that undici's parser rejected",
      Object.assign(new Error("boom"), { name: "HTTPParserError", data: "harmless" }),
    ],
  ])("is copied, with nothing of that: %s", (_, error) => {
    const safe = knowing().causeWithoutSecrets(error) as Error;
    expect(safe).not.toBe(error);
    expect([safe.message, Object.getPrototypeOf(safe)]).toEqual(["boom", Error.prototype]);
    expect(inspect(safe, { showHidden: true, depth: 20 })).not.toMatch(/harmless|detail/);
  });
});

describe("a cause with a secret", () => {
  it.each<[string, Error]>([
    [
      "in a frame of its stack",
      withStack(new Error("boom"), "Error: boom", `    at f (https://h/?k=${key}:1:1)`),
    ],
    [
      "in a frame of what lies behind it",
      new Error("boom", {
        cause: withStack(new Error("in"), "Error: in", `    at f (https://h/?k=${key}:1:1)`),
      }),
    ],
    ["as the name of a function", Object.assign(new Error("boom"), { f: { [key]: () => {} }[key] })],
    [
      "as a symbol like those of undici",
      Object.assign(new Error("boom"), { [Symbol(`undici.error.${key}`)]: 1 }),
    ],
  ])("%s shows none of it", (_, error) => {
    expect(inspect(knowing().causeWithoutSecrets(error), { showHidden: true, depth: 9 })).not.toContain(key);
  });

  it("that is nested so that it cannot be searched whole is copied, at once", () => {
    let nest: unknown = "x";
    for (let depth = 0; depth < 5; depth++) nest = Array.from({ length: 40 }, () => nest);
    const safe = knowing().causeWithoutSecrets(Object.assign(new Error("boom"), { nest })) as Error;
    expect(safe).not.toHaveProperty("nest");
  });

  it.each<[string, unknown]>([
    ["in a line of the stack that only begins like a frame", `    at ${iban} (a.js:1:2) and more`],
    ["in a line of the stack that only ends like a frame", `Error: look at ${iban}:1:2`],
  ])("%s is copied without it", (_, line) => {
    const safe = knowing().causeWithoutSecrets(withStack(new Error("boom"), `${line}`)) as Error;
    expect(safe.stack).toBe("Error: boom");
  });

  it("that ends where something else begins is copied", () => {
    const error = Object.assign(new Error("boom"), { code: "abc", zone: "xyz" });
    expect(knowing("abc").causeWithoutSecrets(error)).toMatchObject({ code: "[redacted]" });
  });

  it("looks like the error that it is made of, down to the stack", () => {
    const inner = Object.assign(new RangeError(`inner ${key}`), { code: 7 });
    const error = new TypeError(`outer ${iban}`, { cause: inner });
    const safe = knowing().causeWithoutSecrets(error) as Error & { cause: Error };
    expect(safe.stack).toMatch(/^TypeError: outer \[redacted\]\n {4}at .*redacted-causes\.test\.ts/);
    expect(Object.getOwnPropertyDescriptor(safe, "name")).toMatchObject({
      value: "TypeError",
      configurable: true,
      enumerable: false,
    });
    expect(safe.cause).toMatchObject({ name: "RangeError", message: "inner [redacted]" });
    for (const member of ["cause", "code"]) expect(safe.cause).not.toHaveProperty(member);
  });

  it("is copied with its whole stack up to 20,000 characters", () => {
    const lines = ["    at first (a.js:1:1)", frameOfLength(20_000 - 24)];
    const error = withStack(new Error(key), ...lines);
    expect(error.stack).toHaveLength(20_000);
    expect((knowing().causeWithoutSecrets(error) as Error).stack?.split("\n").slice(1)).toEqual(lines);
  });

  it("is copied with the whole lines among the last 20,000 characters of its stack", () => {
    const end = ["    at rest (a.js:1:1)", frameOfLength(20_000 - 23)];
    expect(end.join("\n")).toHaveLength(20_000);
    const error = withStack(
      new Error(key),
      "Error",
      "    at gone (a.js:1:1)",
      `Error: ${end[0]}`,
      `${end[1]}`,
    );
    const safe = knowing().causeWithoutSecrets(error) as Error;
    expect(safe.stack?.split("\n").slice(1)).toEqual([end[1]]);
  });

  it("is copied as an Error if its name is a value", () => {
    const error = Object.assign(new Error("boom"), { name: "Lovelace" });
    const safe = knowing("Lovelace").causeWithoutSecrets(error) as Error;
    expect([safe.name, safe.stack?.split("\n")[0]]).toEqual(["Error", "Error: boom"]);
  });

  it("that throws when it is read is told as an error that cannot be read", () => {
    const error = Object.defineProperty(new Error("boom"), "cause", {
      get: () => {
        throw new Error(key);
      },
    });
    expect(knowing().causeWithoutSecrets(error)).toEqual(new Error("an error that cannot be read"));
  });

  it("is copied with six of the causes behind it", () => {
    let error = new Error(`0 ${key}`);
    for (let count = 1; count <= 10; count++) error = new Error(`${count} ${key}`, { cause: error });
    const messages: string[] = [];
    let at = knowing().causeWithoutSecrets(error) as Error | undefined;
    for (; at; at = at.cause as Error | undefined) messages.push(at.message);
    expect(messages).toEqual([10, 9, 8, 7, 6, 5, 4].map((count) => `${count} [redacted]`));
  });

  it.each<[string, unknown, string]>([
    ["a string", `failed with ${key}`, "failed with [redacted]"],
    ["an object", { message: key, toString: () => `failed with ${iban}` }, "failed with [redacted]"],
    ["null", null, "null"],
    ["something that has no words", Object.create(null), "something that is no error"],
  ])("and is no error but %s is told in words", (_, cause, told) => {
    expect(knowing().causeWithoutSecrets(cause)).toBe(told);
  });
});

describe("a line of a message that looks like a frame of a stack", () => {
  it("is not taken for one", () => {
    const redactor = new Redactor("sk-live-123456", '{"customer":"Lovelace"}');
    const cause = redactor.causeWithoutSecrets(new Error("render failed\n    at Lovelace:1:2")) as Error;
    expect(cause.stack).not.toContain("Lovelace");
    expect(cause.stack).toMatch(/\n {4}at /);
  });
});

describe("the name of an error", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [new TypeError(), "TypeError"],
    [new DOMException("", "AbortError"), "AbortError"],
    [Object.assign(new Error(), { name: `Of${key}` }), "Error"],
    [Object.assign(new Error(), { name: "sneaky" }), "Error"],
    [Object.assign(new Error(), { name: "my TypeError" }), "Error"],
    [Object.assign(new Error(), { name: `A${"b".repeat(40)}` }), `A${"b".repeat(40)}`],
    [Object.assign(new Error(), { name: `A${"b".repeat(41)}` }), "Error"],
    [Object.assign(new Error(), { name: Object.create(null) }), "Error"],
    [{ name: "TypeError" }, "Error"],
    ["TypeError", "Error"],
  ];

  it("is told where it looks like one", () => {
    for (const [error, name] of cases) expect(nameOfError(error)).toBe(name);
  });
});
