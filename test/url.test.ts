import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../src/errors/errors.ts";
import { buildHeaders } from "../src/request/headers.ts";
import { endpointOf, lacksPage, parseBaseUrl, pathTo } from "../src/request/url.ts";
import { property } from "./support/fuzz.ts";

/** Where a request for this template goes, as any server would see it. */
function urlFor(uid: string, baseUrl = "https://pdf.example.com"): URL {
  const endpoint = endpointOf(new URL(baseUrl));
  return new URL(endpoint.origin + pathTo(endpoint, uid));
}

/** The uid as a segment of a path. */
function segmentOf(uid: string): string {
  return pathTo(endpointOf(new URL("https://pdf.example.com")), uid)
    .split("/")
    .slice(4, -1)
    .join("/");
}

/** Any text, and what paths, hosts and encodings are made of. */
const anyUid = fc.oneof(
  fc.string({ unit: "binary", minLength: 1 }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
  fc.string({
    unit: fc.constantFrom(
      ...[..."./\\%2ef5c?#;:@&=+a \t\n\0"],
      "//",
      "\u3002",
      "\ud800",
      "\udc00",
      "\x7f",
      "\x85",
    ),
  }),
);

/** Any base URL that a client takes: hosts of every kind, with any path before the uid. */
const anyBaseUrl = fc
  .tuple(
    fc.constantFrom(
      "https://pdf.example.com",
      "http://[::1]:8080",
      "https://10.0.0.1",
      "https://bücher.example",
    ),
    fc.oneof(
      fc.webPath(),
      fc.string({ unit: fc.constantFrom(..."/.%2eé \\a@:;") }).map((path) => `/${path}`),
    ),
  )
  .map(([origin, path]) => origin + path);

/** Whether a path can name a template so, by the rules in words. */
function isNameable(uid: string): boolean {
  const isForbidden = (character: string) =>
    character < " " ||
    (character >= "\x7f" && character < "\xa0") ||
    (character.length === 1 && character >= "\ud800" && character <= "\udfff");
  return !["", ".", ".."].includes(uid) && ![...uid].some(isForbidden);
}

describe("the request", () => {
  it("is the one of the spec", () => {
    const endpoint = endpointOf(new URL("https://pdf.example.com"));
    expect(endpoint.origin).toBe("https://pdf.example.com");
    expect(pathTo(endpoint, "inv_2024")).toBe("/api/v1/templates/inv_2024/generate-sync");
    expect(buildHeaders("k3y", new Map())).toEqual([
      "authorization",
      "API-Key k3y",
      "content-type",
      "application/json",
    ]);
  });

  it("carries no authorization without a key, and the caller's headers after its own", () => {
    expect(
      buildHeaders(
        undefined,
        new Map([
          ["authorization", "Bearer x"],
          ["x-tenant", "7"],
        ]),
      ),
    ).toEqual(["content-type", "application/json", "authorization", "Bearer x", "x-tenant", "7"]);
  });

  it.each([
    ["https://pdf.example.com", "https://pdf.example.com", "", "/"],
    ["https://pdf.example.com/", "https://pdf.example.com", "", "/"],
    ["https://pdf.example.com///", "https://pdf.example.com", "", "/"],
    ["https://pdf.example.com:443/", "https://pdf.example.com", "", "/"],
    ["http://localhost:3000", "http://localhost:3000", "", "/"],
    ["https://example.com/pdf", "https://example.com", "/pdf", "/pdf"],
    ["https://example.com/pdf/eu//", "https://example.com", "/pdf/eu", "/pdf/eu"],
    ["https://example.com/a b/ü", "https://example.com", "/a%20b/%C3%BC", "/a%20b/%C3%BC"],
    ["https://example.com/a/../b", "https://example.com", "/b", "/b"],
    ["https://bücher.example", "https://xn--bcher-kva.example", "", "/"],
    ["http://[::1]:8080/x", "http://[::1]:8080", "/x", "/x"],
  ])("below the base URL %s goes to %s", (baseUrl, origin, prefix, basePath) => {
    expect(endpointOf(new URL(baseUrl))).toEqual({
      origin,
      pathBeforeUid: `${prefix}/api/v1/templates/`,
      basePath,
    });
    expect(urlFor("t", baseUrl).href).toBe(`${origin}${prefix}/api/v1/templates/t/generate-sync`);
  });
});

describe("the base URL", () => {
  it("comes from the environment if none is given", () => {
    vi.stubEnv("TEMPLATE_PDF_BASE_URL", "https://pdf.example.com/of-the-environment");
    const { href } = parseBaseUrl(undefined);
    vi.unstubAllEnvs();
    expect(href).toBe("https://pdf.example.com/of-the-environment");
  });

  it.each([
    [
      "a scheme and nothing else",
      "https://",
      "The base URL is no absolute URL. Expected `baseUrl` to be like",
    ],
    ["a space before the scheme", " https://pdf.example.com", "The base URL does not begin with https://"],
    ["a scheme with a digit", "s3://pdf.example.com", "The base URL has the scheme s3:. Expected"],
  ])("is refused with what is wrong with it: %s", (_, baseUrl, message) => {
    expect(() => parseBaseUrl(baseUrl)).toThrow(ConfigurationError);
    expect(() => parseBaseUrl(baseUrl)).toThrow(message);
  });

  it.each<[unknown, boolean]>([
    ["/api/pdf", true],
    ["./pdf", true],
    ["../pdf", true],
    ["//pdf.example.com", false],
    ["pdf", false],
    ["https://pdf.example.com", false],
    [["/api/pdf"], false],
    [undefined, false],
  ])("lacks a page if it is a relative path and there is no page: %j", (baseUrl, expected) => {
    expect(lacksPage(baseUrl)).toBe(expected);
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("document", { baseURI: "https://app.example.com/" });
    const inPage = lacksPage(baseUrl);
    vi.unstubAllGlobals();
    expect(inPage).toBe(false);
  });
});

describe("a uid becomes one segment of the path", () => {
  it.each([
    ["inv_2024", "inv_2024"],
    ["5f3c9a2e-41d8-4b0e", "5f3c9a2e-41d8-4b0e"],
    ["a b", "a%20b"],
    ["a/b", "a%2Fb"],
    ["../../admin", "..%2F..%2Fadmin"],
    ["a\\b", "a%5Cb"],
    ["a?b=c", "a%3Fb%3Dc"],
    ["a#b", "a%23b"],
    ["a;b&c+d", "a%3Bb%26c%2Bd"],
    ["%2e%2e", "%252e%252e"],
    ["%2E", "%252E"],
    ["100%", "100%25"],
    ["...", "..."],
    [".a", ".a"],
    [" ", "%20"],
    ["ü£", "%C3%BC%C2%A3"],
    ["🧾", "%F0%9F%A7%BE"],
    ["．．", "%EF%BC%8E%EF%BC%8E"],
    ["__proto__", "__proto__"],
    ["a:b@c", "a%3Ab%40c"],
  ])("%j as %s", (uid, segment) => {
    expect(segmentOf(uid)).toBe(segment);
    expect(urlFor(uid).pathname).toBe(`/api/v1/templates/${segment}/generate-sync`);
  });

  property("that any server decodes to that very uid, whatever it is, and whatever stands before it", () =>
    fc.property(anyUid, anyBaseUrl, (uid, baseUrl) => {
      const { origin, pathname } = new URL(baseUrl);
      // Node 20 leaves the last dot of //.:/. where it is, against the URL standard.
      fc.pre(isNameable(uid) && !/\/\.{1,2}$/.test(pathname));
      const url = urlFor(uid, baseUrl);
      expect(url.origin).toBe(origin);
      const prefix = `${pathname.replace(/\/+$/, "")}/api/v1/templates/`;
      expect(url.pathname.startsWith(prefix)).toBe(true);
      const [segment = "", ...rest] = url.pathname.slice(prefix.length).split("/");
      expect(decodeURIComponent(segment)).toBe(uid);
      expect(rest).toEqual(["generate-sync"]);
      expect(url.search + url.hash + url.username + url.password).toBe("");
    }),
  );

  property("or is refused, where no path can say it", () =>
    fc.property(anyUid, (uid) => {
      if (isNameable(uid)) expect(segmentOf(uid)).toMatch(/^[\w!'()*.~%-]+$/);
      else expect(() => segmentOf(uid)).toThrow(ConfigurationError);
    }),
  );
});

describe("a uid that can name no template in a path is refused", () => {
  it.each<[string, unknown, RegExp]>([
    ["empty", "", /must not be empty/],
    ["one dot", ".", /must not be "\."/],
    ["two dots", "..", /must not be "\.\."/],
    ["a NUL", "a\0b", /no control character/],
    ["a line break", "a\r\nb", /no control character/],
    ["a tab among dots, which a URL drops", ".\t.", /no control character/],
    ["DEL", "a\x7f", /no control character/],
    ["a control character beyond ASCII", "a\x85", /no control character/],
    ["the first half of a surrogate pair", "a\ud83d", /well-formed Unicode/],
    ["the second half of a surrogate pair", "\ude00a", /well-formed Unicode/],
    ["undefined", undefined, /must be a string, got undefined/],
    ["null", null, /must be a string, got null/],
    ["a number", 2024, /must be a string, got number/],
    ["an array", ["inv"], /must be a string, got object/],
  ])("%s", (_, uid, message) => {
    expect(() => segmentOf(uid as string)).toThrow(ConfigurationError);
    expect(() => segmentOf(uid as string)).toThrow(message);
  });
});
