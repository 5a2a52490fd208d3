import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../src/errors/errors.ts";
import { credentialsIn, type HeadersInput, readHeaders } from "../src/request/headers.ts";
import { orLongRun, property } from "./support/fuzz.ts";

const read = (headers: unknown, mayAuthorize = false) => [
  ...readHeaders(headers as HeadersInput, mayAuthorize, true),
];

describe("headers of the caller", () => {
  it.each<[string, HeadersInput | undefined, [string, string][]]>([
    ["none", undefined, []],
    [
      "an object",
      { "X-Tenant": "7", Accept: "application/pdf" },
      [
        ["x-tenant", "7"],
        ["accept", "application/pdf"],
      ],
    ],
    ["an object with undefined members", { a: undefined, b: "1" }, [["b", "1"]]],
    ["pairs", [["X-Tenant", "7"]], [["x-tenant", "7"]]],
    ["a Headers", new Headers({ "X-Tenant": "7" }), [["x-tenant", "7"]]],
    ["a Map", new Map([["X-Tenant", "7"]]), [["x-tenant", "7"]]],
    [
      "a generator",
      (function* () {
        yield ["a", "1"] as const;
      })(),
      [["a", "1"]],
    ],
    [
      "a name twice, which HTTP reads as a list",
      [
        ["accept", "a"],
        ["Accept", "b"],
      ],
      [["accept", "a, b"]],
    ],
    ["an empty value", { a: "" }, [["a", ""]]],
    ["spaces and tabs around a value, which are none of it", { a: " \t1 \t2\t " }, [["a", "1 \t2"]]],
    ["Latin-1, its no-break space too", { a: "\xa0£é\xa0" }, [["a", "\xa0£é\xa0"]]],
    ["every character a name may have", { "!#$%&'*+-.^_`|~09azAZ": "1" }, [["!#$%&'*+-.^_`|~09azaz", "1"]]],
    [
      "names that objects have by themselves",
      JSON.parse('{"__proto__":"1","constructor":"2"}'),
      [
        ["__proto__", "1"],
        ["constructor", "2"],
      ],
    ],
  ])("%s", (_, headers, expected) => {
    expect(read(headers)).toEqual(expected);
  });

  it("are not changed", () => {
    const headers = Object.freeze({ "X-Tenant": " 7 " });
    read(headers);
    expect(headers).toEqual({ "X-Tenant": " 7 " });
  });

  it("may hold an authorization only where there is no API key", () => {
    expect(read({ Authorization: "Bearer x" }, true)).toEqual([["authorization", "Bearer x"]]);
    expect(() => read({ Authorization: "Bearer CANARY" })).toThrow(/authorization.*apiKey: null/);
    expect(() => read([["AUTHORIZATION", "x"]])).toThrow(ConfigurationError);
  });
});

describe("an authorization in a browser", () => {
  it("may be missing among the headers", () => {
    const headers = readHeaders({ accept: "application/pdf" }, true, false);
    expect([...headers]).toEqual([["accept", "application/pdf"]]);
  });

  it("may contain the words of an API key, but not begin with them", () => {
    const headers = (authorization: string) => () => readHeaders({ authorization }, true, false);
    expect(headers("Bearer api-key x")).not.toThrow();
    expect(headers("API-Key x")).toThrow("An API key in a page can be read by everybody who opens it.");
  });
});

describe("the credentials of an authorization", () => {
  it.each<[Record<string, string>, string | undefined]>([
    [{ authorization: "Bearer t0ken" }, "t0ken"],
    [{ authorization: "Digest a b" }, "b"],
    [{ authorization: "t0ken" }, "t0ken"],
    [{ accept: "application/pdf" }, undefined],
  ])("are what follows its last space: %j", (headers, expected) => {
    expect(credentialsIn(new Map(Object.entries(headers)))).toBe(expected);
  });
});

describe("headers that would break the request are refused", () => {
  it.each([
    "Connection",
    "Content-Encoding",
    "CONTENT-LENGTH",
    "content-type",
    "Expect",
    "Host",
    "Keep-Alive",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
  ])("%s", (name) => {
    expect(() => read({ [name]: "CANARY" }, true)).toThrow(`\`${name.toLowerCase()}\` is set by the client`);
  });

  it.each([
    "",
    " ",
    "a b",
    "a:",
    "a\r\nb",
    "a\0",
    "ä",
    "(a)",
    "a,b",
    "a/b",
    'a"',
    "[a]",
    "{a}",
    "a@b",
    "\u212a",
  ])("the name %j", (name) => {
    expect(() => read([[name, "x"]])).toThrow(ConfigurationError);
  });

  it.each<[string, unknown]>([
    ["a line break", "CANARY\r\nx-admin: 1"],
    ["a lone line feed", "CANARY\n"],
    ["a NUL", "CANARY\0"],
    ["DEL", "CANARY\x7f"],
    ["a character beyond Latin-1", "CANARY €"],
    ["a number", 7],
    ["null", null],
    ["an array", ["CANARY"]],
  ])("a value with %s, which is not repeated", (_, value) => {
    const attempt = () => read({ "x-tenant": value });
    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(/`x-tenant`/);
    expect(attempt).not.toThrow(/CANARY/);
  });

  it.each<[string, unknown]>([
    ["a string", "x-tenant: 7"],
    ["null", null],
    ["a number", 7],
    ["a list of strings", ["x-tenant: 7"]],
    ["a list of nothing", [null]],
    ["a pair of three", [["a", "b", "c"]]],
    ["a name that is no string", [[1, "x"]]],
    ["a name that is a symbol", [[Symbol("a"), "x"]]],
  ])("in the shape of %s", (_, headers) => {
    expect(() => read(headers)).toThrow(ConfigurationError);
  });
});

describe("what is wrong is told in words", () => {
  it.each<[unknown, string]>([
    [null, "Expected `headers` to be an object or pairs, got null."],
    ["x-tenant: 7", "Expected `headers` to be an object or pairs, got string."],
    [[["a"]], "Expected every pair of `headers` to be [name, value], both strings."],
    [{ "a b": "1" }, "The name of one of the `headers` holds a character that HTTP does not allow there"],
  ])("%j: %s", (headers, message) => {
    expect(() => read(headers)).toThrow(message);
  });
});

describe("any header that is accepted", () => {
  property("is one that fetch accepts, and means the same to it", () => {
    const characters = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom(" a", "\ta", "a\n", "a\xa0"),
    );
    return fc.property(fc.array(fc.tuple(characters, orLongRun(characters)), { maxLength: 3 }), (pairs) => {
      let accepted: [string, string][];
      try {
        accepted = read(pairs, true);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError);
        return;
      }
      const sorted = accepted.sort(([a], [b]) => (a < b ? -1 : 1));
      expect(sorted).toEqual([...new Headers(pairs)]);
    });
  });

  property("is any header that fetch accepts, but for the reserved ones", () => {
    const token = fc.string({ unit: fc.constantFrom(..."!#$%&'*+-.^_`|~09azAZ"), minLength: 1 });
    const value = fc.string({ unit: fc.constantFrom(..."\t !~a0\x80\xa0\xff") });
    return fc.property(token, value, (name, text) => {
      expect(read([[name, text]], true)).toEqual([...new Headers([[name, text]])]);
    });
  });

  property(
    "is read the same as an object, as pairs, as a Map and as Headers, none of which is changed",
    () => {
      const names = fc.stringMatching(/^x-[a-z0-9!#$%&'*+.^_`|~-]{1,8}$/);
      const values = fc.string({ unit: fc.constantFrom(..."\t !~a0,\x80\xa0\xff") });
      const objects = fc.dictionary(fc.oneof(names, fc.constantFrom("__proto__", "constructor")), values);
      return fc.property(objects, (object) => {
        const pairs = Object.entries(object);
        const expected = pairs.map(([name, value]) => [name, value.replace(/^[\t ]+|[\t ]+$/g, "")]);
        expect(read(Object.freeze(object))).toEqual(expected);
        expect(read(Object.freeze(pairs))).toEqual(expected);
        expect(read(new Map(pairs))).toEqual(expected);
        expect(read(new Headers(pairs))).toEqual(expected.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
      });
    },
  );
});
