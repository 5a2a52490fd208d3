import fc from "fast-check";

/** A value that code outside this package may throw, and that is difficult to read. */
export interface HostileError {
  readonly what: string;
  readonly create: () => unknown;
}

const names = [
  "name",
  "message",
  "code",
  "stack",
  "cause",
  "status",
  "digest",
  "errors",
  "constructor",
  "command",
];
const methods = ["toString", "toJSON", "then", Symbol.toPrimitive, Symbol.toStringTag];

function refuse(): never {
  throw new RangeError("must not be read");
}

/** Every trap of a proxy throws. */
const refusing: ProxyHandler<object> = new Proxy({}, { get: () => refuse });

function withGetters(keys: readonly PropertyKey[]): unknown {
  const error = new Error("hostile");
  // V8 formats the stack when it is first used, and reads the name.
  void error.stack;
  for (const key of keys) Object.defineProperty(error, key, { get: refuse, configurable: true });
  return error;
}

function withProperties(create: () => unknown): unknown {
  const error = new Error("hostile");
  void error.stack;
  for (const key of names) Object.defineProperty(error, key, { value: create() });
  return error;
}

/** An error that can be read a number of times, and then throws. */
function readableFor(count: number): unknown {
  let left = count;
  const spend = <K extends "get" | "has" | "getPrototypeOf" | "ownKeys" | "getOwnPropertyDescriptor">(
    trap: K,
  ) =>
    ((...given: [object, string]) => {
      if (left-- <= 0) refuse();
      return (Reflect[trap] as (...given: unknown[]) => unknown)(...given);
    }) as never;
  return new Proxy(new Error("hostile"), {
    get: spend("get"),
    has: spend("has"),
    getPrototypeOf: spend("getPrototypeOf"),
    ownKeys: spend("ownKeys"),
    getOwnPropertyDescriptor: spend("getOwnPropertyDescriptor"),
  });
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function cyclic(): unknown {
  const error: Error & { self?: unknown; errors?: unknown } = new Error("hostile");
  error.cause = error;
  error.self = error;
  error.errors = [error];
  return error;
}

const fixed: readonly [what: string, create: () => unknown][] = [
  ["undefined", () => undefined],
  ["null", () => null],
  ["a symbol", () => Symbol("hostile")],
  ["a bigint", () => 1n],
  ["a proxy of an error whose traps throw", () => new Proxy(new Error("hostile"), refusing)],
  ["a proxy of a function whose traps throw", () => new Proxy(() => {}, refusing)],
  ["a revoked proxy of an error", () => revoked(new Error("hostile"))],
  ["a revoked proxy of an array", () => revoked([])],
  ["an error without a prototype", () => Object.setPrototypeOf(new Error("hostile"), null)],
  ["an object without a prototype", () => Object.create(null)],
  ["a frozen error", () => Object.freeze(new Error("hostile"))],
  ["a cyclic error", cyclic],
  [
    "an error whose prototype is hostile",
    () => Object.setPrototypeOf(new Error("hostile"), new Proxy({}, refusing)),
  ],
  ["an error whose properties are proxies", () => withProperties(() => new Proxy({}, refusing))],
  ["an error whose properties are symbols", () => withProperties(() => Symbol("hostile"))],
];

/** Any of these values. */
export const hostileErrors: fc.Arbitrary<HostileError> = fc.oneof(
  fc.constantFrom(...fixed.map(([what, create]) => ({ what, create }))),
  fc
    .uniqueArray(fc.constantFrom<PropertyKey>(...names, ...methods), { minLength: 1 })
    .map((keys) => ({ what: `getters: ${keys.map(String).join(", ")}`, create: () => withGetters(keys) })),
  fc.nat({ max: 60 }).map((count) => ({ what: `readable ${count} times`, create: () => readableFor(count) })),
);
