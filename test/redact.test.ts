import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../src/redact.ts";
import { fuzz } from "./support/fuzz.ts";

const key = "sk/l1ve+K3Y==";
const values = {
  total: "£1,000,000",
  iban: "GB33BUKB20201555555555",
  count: 41_972,
  note: 'say "hi"\n\\o/',
  paid: true,
  id: "abc",
};
const redactor = new Redactor(key, JSON.stringify(values));

describe("text without secrets", () => {
  it.each([
    ["the key", `invalid key ${key}.`, "invalid key [redacted]."],
    ["the key, twice", `${key}${key}`, "[redacted]"],
    ["a string", "no account GB33BUKB20201555555555 here", "no account [redacted] here"],
    ["a number", "count 41972 is odd", "count [redacted] is odd"],
    ["a string as it is", 'you said say "hi"\n\\o/!', "you said [redacted]!"],
    ["a string as JSON writes it", `you said ${JSON.stringify(values.note)}!`, 'you said "[redacted]"!'],
    ["a string as JSON in ASCII writes it", "you said \\u00a31,000,000!", "you said [redacted]!"],
    ["what is too short to be told from other text", "abc is true", "abc is true"],
    ["the names of values, which are none", "total iban count", "total iban count"],
    ["nothing", "", ""],
  ])("%s", (_, text, expected) => {
    expect(redactor.withoutSecrets(text)).toBe(expected);
  });

  it("takes the longest secret first, whichever way they overlap", () => {
    const overlapping = new Redactor("KEY1", '{"a":"abcKEY1def","b":"abcKEY1defghi","c":"KEY1d"}');
    expect(overlapping.withoutSecrets("abcKEY1def, abcKEY1defghi, KEY1d, KEY1")).toBe(
      "[redacted], [redacted], [redacted], [redacted]",
    );
  });

  it("finds secrets however deep the values are", () => {
    const deep = new Redactor(undefined, '{"a":[{"b":{"c":["deeply"]}}],"__proto__":{"d":"hidden"}}');
    expect(deep.withoutSecrets("deeply hidden")).toBe("[redacted] [redacted]");
  });

  it("knows no key where none was sent", () => {
    expect(new Redactor(undefined, "{}").withoutSecrets("undefined")).toBe("undefined");
  });

  it("takes a time that grows no faster than the text, for any value", () => {
    const cpuMs = (times: number) => {
      const before = process.cpuUsage();
      for (const run of ["\\", "/", "%", "&", "\\u005c", " ", "&#"]) {
        new Redactor(key, JSON.stringify({ a: `${run.repeat(14)}!` })).withoutSecrets(
          `${run.repeat(times)}?`,
        );
      }
      return process.cpuUsage(before).user / 1000;
    };
    // The short text first: one that costs its time many times over would not end on the long one.
    expect(cpuMs(28)).toBeLessThan(1000);
    expect(cpuMs(10_000)).toBeLessThan(1000);
  });

  // The mark is in lower case, so no secret of these is part of it.
  const secret = fc.string({ unit: fc.constantFrom(...'ABC01£"\\\n/'), minLength: 4, maxLength: 12 });

  it("holds no secret, whatever they are and wherever they stand", () => {
    const filler = fc.string({ unit: fc.constantFrom(..."AB01 .") });
    fc.assert(
      fc.property(
        secret.filter((text) => /^[\x21-\x7e]+$/.test(text)),
        fc.array(fc.oneof(secret, fc.integer({ min: 1000 })), { maxLength: 5 }),
        fc.array(fc.tuple(filler, fc.nat(9), fc.boolean()), { maxLength: 8 }),
        (apiKey, sent, places) => {
          const secrets = [apiKey, ...sent];
          const text = places
            .map(([before, index, asJson]) => {
              const one = String(secrets[index % secrets.length]);
              return before + (asJson ? JSON.stringify(one) : one);
            })
            .join("");
          const safe = new Redactor(apiKey, JSON.stringify({ sent })).withoutSecrets(text);
          for (const one of secrets) expect(safe).not.toContain(String(one));
        },
      ),
      fuzz,
    );
  });
});

describe("an answer's headers without the key", () => {
  it("keep everything else, every cookie of its own", () => {
    const headers = new Headers({ "x-echo": `API-Key ${key}`, "content-type": "text/html" });
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", `b=${key}`);
    expect([...redactor.headersWithoutKey(headers)]).toEqual([
      ["content-type", "text/html"],
      ["set-cookie", "a=1"],
      ["set-cookie", "b=[redacted]"],
      ["x-echo", "API-Key [redacted]"],
    ]);
  });
});

describe("a cause without secrets", () => {
  const secrets = [key, values.iban, String(values.count)];
  const everything = (cause: unknown) => inspect(cause, { depth: 20, showHidden: true });

  it("is the very error where it holds none", () => {
    const socketError = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:443"), {
      code: "ECONNREFUSED",
      errno: -111,
      syscall: "connect",
      address: "127.0.0.1",
      port: 443,
    });
    const cause = new TypeError("fetch failed", { cause: socketError });
    expect(redactor.causeWithoutSecrets(cause)).toBe(cause);
    // As in Node 24, where the stack of every error is an accessor.
    const modern = Object.defineProperty(new TypeError("terminated"), "stack", {
      get: () => "TypeError: terminated",
    });
    expect(redactor.causeWithoutSecrets(modern)).toBe(modern);
    const aborted = new DOMException("The operation was aborted.", "AbortError");
    expect(redactor.causeWithoutSecrets(aborted)).toBe(aborted);
    expect(redactor.causeWithoutSecrets(undefined)).toBeUndefined();
  });

  it("keeps its name, code and place where a copy had to be made", () => {
    const cause = Object.assign(new TypeError(`cannot send ${key}`), { code: "E_SEND" });
    const safe = redactor.causeWithoutSecrets(cause) as Error;
    expect(safe).toBeInstanceOf(Error);
    expect(safe).toMatchObject({ name: "TypeError", code: "E_SEND", message: "cannot send [redacted]" });
    expect(safe.stack).toContain("redact.test.ts");
    expect(cause.message).toContain(key);
  });

  const renamed = new Error(`first ${key}`);
  renamed.message = "then something else";
  const cyclic = new Error(`round ${key}`);
  cyclic.cause = cyclic;
  const unprintable: unknown[] = [
    Object.create(null),
    {
      toString: () => {
        throw new Error(key);
      },
    },
  ];

  it.each<[string, unknown]>([
    ["in its message", new Error(`bad ${values.iban}`)],
    ["in what lies behind it", new Error("outer", { cause: new Error("inner", { cause: new Error(key) }) })],
    ["in a stack that tells an older message", renamed],
    [
      "in a property, as HTTP clients leave there",
      Object.assign(new Error("boom"), { request: { headers: { authorization: `API-Key ${key}` } } }),
    ],
    ["in its name", Object.assign(new Error("boom"), { name: `Error ${key}` })],
    ["in its code", Object.assign(new Error("boom"), { code: key })],
    ["in one of several errors", new AggregateError([new Error("a"), new Error(key)], "all failed")],
    ["and goes round in a circle", cyclic],
    ["and is a string", `failed with ${key}`],
    ["and is an object", { toString: () => `failed with ${values.count}` }],
    ["and cannot be printed", unprintable[0]],
    ["and throws when it is printed", unprintable[1]],
  ])("that it holds %s", (_, cause) => {
    const safe = everything(redactor.causeWithoutSecrets(cause));
    for (const secret of secrets) expect(safe).not.toContain(secret);
  });

  it("ends, however long the chain of causes is", () => {
    const chain = Array.from({ length: 10_000 }).reduce<Error>(
      (cause) => new Error("link", { cause }),
      new Error(key),
    );
    expect(everything(redactor.causeWithoutSecrets(chain))).not.toContain(key);
  });
});
