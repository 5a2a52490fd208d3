import { inspect } from "node:util";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { Redactor } from "../src/errors/redact.ts";
import { orLongRun, property } from "./support/fuzz.ts";

const key = "sk/l1ve+K3Y==";
const values = {
  total: "£1,000,000",
  iban: "GB33BUKB20201555555555",
  count: 41_972,
  note: 'say "hi"\n\\o/',
  paid: true,
  id: "abc",
  name: "María Łoś of Kent, 7B",
};
let redactor: Redactor;

// Anew for every test, because it remembers the words that it was asked for.
beforeEach(() => {
  redactor = new Redactor(key, JSON.stringify(values));
});

describe("a quoted text", () => {
  it.each([
    ["the key", `invalid key ${key}.`, "invalid key [redacted]."],
    ["the key, as a URL writes it", `?key=${encodeURIComponent(key)}&`, "?key=[redacted]&"],
    ["a word of a value", "no account GB33BUKB20201555555555 here", "no account [redacted] here"],
    ["a number", "count 41972 is odd", "count [redacted] is odd"],
    ["a word in another case", "no account gb33bukb20201555555555", "no account [redacted]"],
    [
      "words as JSON escapes them",
      'you gave "Mar\\u00eda \\u0141o\\u015b"',
      'you gave "[redacted] [redacted]"',
    ],
    ["words as JSON escapes them twice", String.raw`Mar\\u00eda\\nMar\\\u00eda`, "[redacted] [redacted]"],
    ["a word of the key", "a key like L1VE", "a key like [redacted]"],
    ["words as a URL escapes them", "/Mar%C3%ADa/%C5%81o%C5%9B", "/[redacted]/[redacted]"],
    ["words as HTML escapes them", "Mar&#237;a &#x141;o&#x15b; &amp; more", "[redacted] [redacted] & more"],
    ["a short value that is one word", "the id is abc", "the id is [redacted]"],
    ["a word that the text ends within", "GB33BUK", "[redacted]"],
    ["two letters that the text ends within", "plan gb", "plan [redacted]"],
    ["one letter at the end, which is none", "plan g", "plan g"],
    ["short words of longer values, which are none", "hi, 7B of Kent", "hi, [redacted] of [redacted]"],
    ["what is neither text nor number, which is none", "true null object", "true null object"],
    ["a run of letters and digits as long as a token", `is ${"Ab1".repeat(8)}`, "is [redacted]"],
    ["a run just shorter, which is none", "is Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab", "is Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab"],
    ["escapes between words", String.raw`a\nb\\tc&nbsp;d%ffe`, "a b c d e"],
    ["numbers that are no character", "a&#1114112;b&#x110000;c&#1114111;d", "a b c\u{10ffff}d"],
    [
      "text in base64",
      `is ${Buffer.from(JSON.stringify(values)).toString("base64")}`,
      /^is [^a-z]*(\[redacted\]\W*)+$/i,
    ],
    ["the names of values, which are none", "total iban count", "total iban count"],
    ["line breaks and control characters", "\n a\r\n\tb\0c\t", "a b c"],
    ["nothing", "", ""],
  ])("holds nothing that was sent: %s", (_, text, expected) => {
    const quoted = typeof expected === "string" ? expected : expect.stringMatching(expected);
    expect(redactor.quote(text, 500)).toEqual(quoted);
  });

  it("is cut to the length that was asked for", () => {
    expect(redactor.quote("word ".repeat(1_000), 20)).toBe("word word word word ".slice(0, 20));
  });

  it("is read no further than twice that length and 24 characters", () => {
    expect(redactor.quote(`${" ".repeat(63)}x late`, 20)).toBe("x");
    expect(redactor.quote(`${" ".repeat(64)}x late`, 20)).toBe("");
  });

  it("finds words however deep the values are", () => {
    const deep = new Redactor(undefined, '{"a":[{"b":{"c":["deeply"]}}],"__proto__":{"d":"hidden"}}');
    expect(deep.quote("deeply hidden", 100)).toBe("[redacted] [redacted]");
  });

  it("knows no key where none was sent", () => {
    expect(new Redactor(undefined, "{}").quote("undefined was here", 100)).toBe("undefined was here");
  });

  it("takes a time that grows with the values and the text, and not with their product", () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, index) => `line number${index} of ${"\\".repeat(index % 40)}!`,
    );
    const before = process.cpuUsage();
    const large = new Redactor(key, JSON.stringify({ lines, note: "\\/%&".repeat(5_000) }));
    for (const run of ["\\", "/", "%", "&", "\\u005c", " ", "&#"]) large.quote(run.repeat(60_000), 500);
    large.quote(lines.join("\n"), 60_000);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_500);
  });

  property("holds no word of four letters or more of any value, wherever it stands", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."ABC01é"), minLength: 4, maxLength: 12 });
    const filler = fc.string({ unit: fc.constantFrom(..."xy .,") });
    return fc.property(
      fc.array(letters, { minLength: 1, maxLength: 5 }),
      fc.array(filler),
      (sent, around) => {
        const text = around.map((before, at) => `${before} ${sent[at % sent.length]} `).join("");
        const safe = new Redactor(undefined, JSON.stringify({ sent })).quote(text, 10_000);
        for (const word of sent) expect(safe).not.toContain(word);
      },
    );
  });
});

describe("an id or a name", () => {
  it("stays as it is where it holds no secret, however long it is", () => {
    for (const id of [
      "req_0123456789abcdef0123456789abcdef",
      "count_0123456789abcdef0123456789abcdef",
      " a\tb ",
      "x ".repeat(5_000),
      "",
    ]) {
      expect(redactor.withoutSecrets(id)).toBe(id);
    }
  });

  it("is cut if it is too long to be searched", () => {
    expect(redactor.withoutSecrets("x ".repeat(5_001))).toHaveLength(200);
  });

  it("is searched for words whose lower case depends on what follows them", () => {
    const greek = new Redactor(undefined, JSON.stringify(["ΟΔΟΣ.ΑΒΓΔ"]));
    expect(greek.withoutSecrets("ΟΔΟΣ")).toBe("[redacted]");
  });

  it.each([
    [`req ${key}`, "req [redacted]"],
    ["of Mar%C3%ADa", "of [redacted]"],
    [`${values.iban} ${"x ".repeat(300)}`, `[redacted] ${"x ".repeat(94)}x`],
  ])("that holds one is what is left of its beginning: %s", (id, left) => {
    expect(redactor.withoutSecrets(id)).toBe(left);
  });
});

it("knows its own key, and no other", () => {
  expect([key, "another", undefined].map((other) => redactor.knows(other))).toEqual([true, false, false]);
  expect(new Redactor(undefined, "{}").knows(undefined)).toBe(true);
});

it("reads a long value of ordinary and other words in linear time", () => {
  // 1 MB took 55 s.
  const long = new Redactor(key, JSON.stringify({ text: "a b the cat ".repeat(90_000) }));
  expect(long.quote("bad value", 100)).toBe("bad value");
  expect(long.quote("no dog and no cat", 100)).toBe("no dog and no cat");
});

describe("an answer's headers without the key", () => {
  it("lack a header whose name holds the key", () => {
    const named = new Redactor("SK_live-0123456789", "{}");
    const headers = new Headers({ "x-sk_live-0123456789": "1", "x-other": "2" });
    expect([...named.headersWithoutKey(headers)]).toEqual([["x-other", "2"]]);
  });

  it.each([
    ["of 8 characters", "k1234567", []],
    ["of less than 8 characters", "k123456", [["x-k123456", "1"]]],
  ])("lack or keep a header whose name holds a key %s", (_, short, kept) => {
    const headers = new Headers({ [`x-${short}`]: "1" });
    expect([...new Redactor(short, "{}").headersWithoutKey(headers)]).toEqual(kept);
  });

  it("lack a header whose name holds an earlier key", () => {
    const changed = new Redactor("second-key", "{}", new Redactor("first-key", "{}"));
    const headers = new Headers({ "x-first-key": "1", "x-second-key": "2", "x-other": "3" });
    expect([...changed.headersWithoutKey(headers)]).toEqual([["x-other", "3"]]);
  });

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

/** How services, and what they are written with, spell a text that they repeat. */
const spellings: readonly ((text: string) => string)[] = [
  (text) => text,
  // JSON: JavaScript, PHP (which escapes slashes), Go (which escapes HTML), ASP.NET (in capitals)
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[<>&'+]/g, (one) => `\\u00${one.charCodeAt(0).toString(16).toUpperCase()}`),
  // URLs: JavaScript, RFC 3986 to the letter, in small letters
  (text) => encodeURIComponent(text),
  (text) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
  (text) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  // HTML: lodash, Go and Python, and numbers for all
  (text) => htmlSpelling(text, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }),
  (text) =>
    htmlSpelling(text, {
      "&": "&amp;",
      "<": "&lt;",
      ">": "&gt;",
      '"': "&#34;",
      "'": "&#x27;",
      "/": "&#x2F;",
    }),
  (text) => htmlSpelling(text, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" }),
  (text) => text.replace(/[&<>"'/`=+]/g, (one) => `&#${one.charCodeAt(0)};`),
  (text) => Buffer.from(text).toString("base64"),
];

function htmlSpelling(text: string, entities: { readonly [character: string]: string }): string {
  return text.replace(/[&<>"'/]/g, (one) => entities[one] ?? one);
}

describe("any key", () => {
  // As keys are made: letters and digits, UUIDs, base64 in both alphabets, and what prefixes end with.
  const unit = fc.constantFrom(..."abcXYZ0189+/=-_.:");
  const keys = fc.string({ unit, minLength: 8, maxLength: 40 });
  // Nothing that a spelling could be continued with.
  const around = fc.string({ unit: fc.constantFrom(..." ,\n;!()"), maxLength: 12 });
  const spelling = fc.constantFrom(...spellings);

  property("is found in every spelling, and with nothing around it taken away", () =>
    fc.property(keys, spelling, around, around, (secret, spell, before, after) => {
      const spelled = spell(secret);
      const safe = new Redactor(secret, "{}").withoutKey(`${before}${spelled}${after}`);
      expect(safe).toBe(`${before}[redacted]${after}`);
    }),
  );

  property("is found as often as it is there, in several spellings at once", () =>
    fc.property(keys, fc.array(fc.tuple(spelling, around), { maxLength: 5 }), (secret, places) => {
      const text = places.map(([spell, after]) => `${spell(secret)} ${after}`).join("");
      const safe = new Redactor(secret, "{}").withoutKey(text);
      expect(safe).toBe(places.map(([, after]) => `[redacted] ${after}`).join(""));
    }),
  );

  property("that a text breaks off within is taken from its end", () =>
    fc.property(keys, around, fc.nat(), (secret, before, cut) => {
      const length = 4 + (cut % (secret.length - 4));
      const safe = new Redactor(secret, "{}").withoutKey(before + secret.slice(0, length));
      expect(safe).toBe(`${before}[redacted]`);
    }),
  );

  property("stands in no quotation, and in no error that a cause was made of", () =>
    fc.property(
      keys,
      spelling,
      orLongRun(around),
      fc.constantFrom(...hidingPlaces),
      (secret, spell, before, hide) => {
        const spelled = spell(secret);
        const redactor = new Redactor(secret, "{}");
        expect(redactor.quote(`${before} ${spelled} ${before}`, 500)).not.toContain(spelled);
        const shown = inspect(redactor.causeWithoutSecrets(hide(`${before} ${spelled}`)), {
          depth: 20,
          showHidden: true,
        });
        expect(shown).not.toContain(spelled);
        expect(shown).not.toContain(JSON.stringify(spelled).slice(1, -1));
      },
    ),
  );
});

/** Where an error may carry a text. */
const hidingPlaces: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => ({ toString: () => text }),
  (text) => new Error(text),
  (text) => new Error("outer", { cause: new TypeError(text) }),
  (text) => new Error("outer", { cause: text }),
  (text) => Object.assign(new Error("outer"), { code: text }),
  (text) => Object.assign(new Error("outer"), { options: { headers: [["authorization", text]] } }),
  (text) => Object.assign(new Error("outer"), { name: text }),
  (text) => Object.assign(new Error("outer"), { stack: text }),
  (text) => Object.assign(new Error("outer"), { cause: { response: new Map([[text, text]]) } }),
  (text) => new AggregateError([new Error("one"), new Error(text)], "all"),
  (text) => Object.defineProperty(new Error("outer"), "secret", { get: () => text, enumerable: true }),
];
