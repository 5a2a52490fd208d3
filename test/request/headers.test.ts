import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { serverAdvice } from "../../src/request/advice.ts";
import { checkApiKey, readApiKey } from "../../src/request/api-key.ts";
import {
  buildHeaders,
  credentialsIn,
  type HeadersInput,
  readHeaders,
  shareHeaders,
} from "../../src/request/headers.ts";
import { anyCharacter, orLongRun, property } from "../support/fuzz.ts";

const advice = serverAdvice();

const read = (headers: unknown, mayAuthorize = false) => [
  ...readHeaders(headers as HeadersInput, mayAuthorize, true, advice),
];

describe("Request headers", () => {
  it("contain the API key and the content type", () => {
    const expected = ["authorization", "API-Key k3y", "content-type", "application/json"];
    expect(buildHeaders("k3y", new Map())).toEqual(expected);
  });

  it("end with the caller's headers", () => {
    const own = new Map(Object.entries({ authorization: "Bearer x", "x-tenant": "7" }));
    const expected = ["content-type", "application/json", "authorization", "Bearer x", "x-tenant", "7"];
    expect(buildHeaders(null, own)).toEqual(expected);
  });

  it("are built once for each API key", () => {
    const shared = shareHeaders(new Map([["x-tenant", "7"]]));
    const first = shared("k3y");
    expect(first).toEqual(buildHeaders("k3y", new Map([["x-tenant", "7"]])));
    expect(shared("k3y")).toBe(first);
    expect(shared("other")).toEqual(buildHeaders("other", new Map([["x-tenant", "7"]])));
    expect(shared(null)).toEqual(buildHeaders(null, new Map([["x-tenant", "7"]])));
  });
});

describe("The caller's headers", () => {
  it.each<[string, unknown, Record<string, string>]>([
    ["omitted headers", undefined, {}],
    ["upper-case letters in names", { "X-Tenant": "7", Accept: "a/b" }, { "x-tenant": "7", accept: "a/b" }],
    ["an object with an undefined value", { a: undefined, b: "1" }, { b: "1" }],
    ["an array with a repeated name", Object.entries({ accept: "a", Accept: "b" }), { accept: "a, b" }],
    ["white space around a value", { a: " \t1 \t2\t " }, { a: "1 \t2" }],
    ["Latin-1 text with no-break spaces", { a: "\xa0£é\xa0" }, { a: "\xa0£é\xa0" }],
  ])("are normalized: %s", (_, headers, expected) => {
    expect(read(headers)).toEqual(Object.entries(expected));
  });

  it("can contain `authorization` only if the client has no API key", () => {
    expect(read({ Authorization: "Bearer x" }, true)).toEqual([["authorization", "Bearer x"]]);
    expect(() => read({ Authorization: "Bearer CANARY" })).toThrow(/^[^C]*authorization.*apiKey: null/);
    expect(() => read([["AUTHORIZATION", "x"]])).toThrow(ConfigurationError);
  });

  it.each([
    ["API-Key x", "Everyone who opens a web page can read its API key."],
    ["Bearer api-key x", undefined],
    [undefined, undefined],
  ])("are checked for an API key in browsers: %s", (authorization, message) => {
    const inBrowser = () => readHeaders({ authorization }, true, false, advice);
    if (message) expect(inBrowser).toThrow(message);
    else expect(inBrowser).not.toThrow();
  });

  it.each([
    ["t0ken", ["t0ken"]],
    ["Bearer t0ken==", ["t0ken=="]],
    ["Bearer long-t0ken==", ["long-t0ken==", "long-t0ken"]],
    [
      "Bearer first-t0ken, Bearer other-t0ken",
      ["first-t0ken, Bearer other-t0ken", "first-t0ken", "other-t0ken"],
    ],
    [
      'Digest username="a-long-name", response = "0123abcd", qop=auth',
      ['username="a-long-name", response = "0123abcd", qop=auth', "a-long-name", "0123abcd"],
    ],
    ["Basic dTpwYXNz", ["dTpwYXNz", "u:pass", "pass"]],
    [
      "basic  dTrFgcOzZMW6",
      ["dTrFgcOzZMW6", "u:\xc5\x81\xc3\xb3d\xc5\xba", "\xc5\x81\xc3\xb3d\xc5\xba", "u:Łódź", "Łódź"],
    ],
    ["Basic not-base64", ["not-base64"]],
  ])("have credentials in `authorization`: %s", (authorization, credentials) => {
    expect(credentialsIn(authorization)).toEqual(credentials);
  });

  const reserved =
    "Connection Content-Encoding CONTENT-LENGTH content-type Expect Host Keep-Alive Proxy-Authorization " +
    "Proxy-Connection TE Trailer Transfer-Encoding Upgrade";
  it.each(reserved.split(" "))("cannot replace the client's `%s` header", (name) => {
    expect(() => read({ [name]: "x" }, true)).toThrow(`The client sets the \`${name.toLowerCase()}\` header`);
  });

  it.each(["", "a b", "a\r\nb", "ä", "\u212a"])("are rejected if HTTP does not allow the name %j", (name) => {
    const message = "A name in `headers` contains a character that HTTP does not allow";
    expect(() => read([[name, "x"]])).toThrow(message);
  });

  it.each(["CANARY\r\nx: 1", "CANARY\0", "CANARY €", 7, ["CANARY"]])(
    "are rejected with an error that does not quote the invalid value %j",
    (value) => {
      expect(() => read({ "x-tenant": value })).toThrow(ConfigurationError);
      expect(() => read({ "x-tenant": value })).toThrow(/^(?!.*CANARY).*`x-tenant`/s);
    },
  );

  it("are checked as they are sent, even if a proxy returns another value each time", () => {
    let reads = 0;
    const get = (pair: string[], key: string) =>
      key === "1" ? (reads++ > 0 ? "7\r\nx: 1" : "7") : Reflect.get(pair, key);
    const pair = new Proxy(["x-tenant", "7"], { get } as ProxyHandler<string[]>);
    expect(read([pair])).toEqual([["x-tenant", "7"]]);
  });

  it.each<[string, unknown]>([
    ["a string", "x-tenant: 7"],
    ["null", null],
    ["an array of strings", ["x-tenant: 7"]],
    ["an array that contains null", [null]],
    ["a pair without a value", [["a"]]],
    ["a pair with a number as the name", [[1, "x"]]],
  ])("are rejected unless they are an object or pairs of strings: %s", (_, headers) => {
    const message = "Expected `headers` to be an object, or [name, value] pairs of strings.";
    expect(() => read(headers)).toThrow(new ConfigurationError(message));
  });

  property(
    "are accepted only if fetch accepts them, with the same meaning",
    (saw) => {
      const edges = fc.constantFrom(" a", "\ta", "a\n", "a\xa0");
      const characters = fc.oneof(
        fc.string(),
        fc.string({ unit: anyCharacter }),
        edges,
        fc.stringMatching(/^[\w-]+$/),
      );
      return fc.property(fc.array(fc.tuple(characters, orLongRun(characters)), { maxLength: 3 }), (pairs) => {
        let accepted: [string, string][];
        try {
          accepted = read(pairs, true);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigurationError);
          return saw("rejected");
        }
        if (pairs.length > 0) saw("accepted");
        expect(accepted.sort(([a], [b]) => (a < b ? -1 : 1))).toEqual([...new Headers(pairs)]);
      });
    },
    { outcomes: ["accepted", "rejected"] },
  );
});

describe("An API key", () => {
  it.each(['k"3y"', '"k3"y'])("can contain quotation marks: %s", (key) => {
    expect(checkApiKey(key, advice)).toBe(key);
  });

  it.each(["undefined1", "nullable", "true-key", "<k3y", "$k3y", "NaNaNa"])(
    "can contain the text of a missing value or the start of a placeholder: %s",
    (key) => {
      expect(checkApiKey(key, advice)).toBe(key);
    },
  );

  it.each<[unknown, string]>([
    [null, "Expected `apiKey` to be a string, or a function that returns one, got null."],
    [7, "Expected `apiKey` to be a string, or a function that returns one, got number."],
    ["", "The API key is empty. Copy only the key from the dashboard (Settings » API keys), without"],
    [
      "k3y\n",
      "The API key contains white space, a line break or another character that keys cannot have. Copy only the key",
    ],
    ["API-Key k3y", "The API key contains white space"],
    ['"k3y"', 'The API key is in quotation marks ("). Copy only the key'],
    [" 'k3y'\n", "The API key is in quotation marks ('). Copy only the key"],
  ])("is rejected with an explanation if the key is invalid: %j", (key, text) => {
    for (const attempts of [0, 2]) {
      const error = { code: "invalid_configuration", attempts, message: expect.stringContaining(text) };
      expect(() => checkApiKey(key, advice, attempts)).toThrow(expect.objectContaining(error));
      expect(() => checkApiKey(key, advice, attempts)).not.toThrow(/k3y/);
    }
  });
});

describe("An API key function that throws", () => {
  it.each([
    ["ENOENT", "TypeError (ENOENT)"],
    ["not ENOENT", "TypeError"],
    ["ENOENT: k3y", "TypeError"],
  ])(
    "causes an error that names its class, and its code if that is a system code: %s",
    async (code, name) => {
      const fail = () => Promise.reject(Object.assign(new TypeError("CANARY"), { code }));
      const cause = new Error("of the attempt before");
      const message = `The \`apiKey\` function failed with ${name}. Its error is not shown because it may contain a key: catch it in that function.`;
      await expect(readApiKey(fail, advice, 2, cause)).rejects.toMatchObject({ attempts: 2, message, cause });
    },
  );
});
