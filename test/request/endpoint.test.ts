import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { serverAdvice } from "../../src/request/advice.ts";
import { endpointOf, lacksPage, parseBaseUrl, pathTo } from "../../src/request/endpoint.ts";
import { anyCharacter, property } from "../support/fuzz.ts";

const advice = serverAdvice();

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** Returns the URL of a request as a server parses it. */
function urlFor(uid: string, baseUrl = "https://pdf.example.com"): URL {
  const endpoint = endpointOf(new URL(baseUrl));
  return new URL(endpoint.origin + pathTo(endpoint, uid));
}

it.each([
  ["https://pdf.example.com:443///", "https://pdf.example.com", ""],
  ["https://bücher.example/a b/ü", "https://xn--bcher-kva.example", "/a%20b/%C3%BC"],
])("The endpoint path is appended to the base URL %s", (baseUrl, origin, prefix) => {
  const pathBeforeUid = `${prefix}/api/v1/templates/`;
  expect(endpointOf(new URL(baseUrl))).toEqual({ origin, pathBeforeUid, basePath: prefix || "/" });
  expect(urlFor("t", baseUrl).href).toBe(`${origin}${pathBeforeUid}t/generate-sync`);
});

describe("The base URL", () => {
  it("comes from the environment if the `baseUrl` option is omitted", () => {
    vi.stubEnv("TEMPLATE_PDF_BASE_URL", "https://pdf.example.com/of-the-environment");
    expect(parseBaseUrl(undefined, advice).href).toBe("https://pdf.example.com/of-the-environment");
  });

  const noScheme = "does not begin with https:// (or http:// on this machine)";
  const ofEndpoint = "contains the endpoint path, which the client adds. Set";
  it.each([
    ["https://", "is not an absolute URL. Set `baseUrl` to a URL such as"],
    ["", "of the service is missing. Pass"],
    ["  https://pdf.example.com", `${noScheme}, but with "  ". Set`],
    ["http:/pdf.example.com", `${noScheme}, but with "http:/". Set`],
    ["pdf.example.com", `${noScheme}, but with "pdf.example.com". Set`],
    ["127.0.0.1", `${noScheme}, but with "127.0.0.1". Set`],
    ["127.0.0.1:3000", `${noScheme}, but with "127.0.0.1". Set`],
    ["pdf.example.com/prefix", `${noScheme}, but with "pdf.example.com". Set`],
    ["localhost:3000", `${noScheme}, but with "localhost". Set`],
    // Misplaced keys and credentials are not quoted.
    ["k3y-k3yk3y.k3yk3y", `${noScheme}. Set`],
    ["ada:secret@pdf.example.com", `${noScheme}. Set`],
    ['"https://pdf.example.com"', 'begins with the quotation mark ". Set'],
    ["https://pdf.example.com/api/v1/templates", ofEndpoint],
    ["https://pdf.example.com/x/api/v1/templates/inv_2024/generate-sync", ofEndpoint],
    ["https://pdf.example.com/generate-sync", ofEndpoint],
    ["https://:secret@pdf.example.com", "contains credentials, which would appear in logs. Set"],
    ["https://pdf.example.com/#x", "has a query or a fragment. Set"],
    ["s3://pdf.example.com", "has the scheme s3:. Set"],
  ])("is rejected with an explanation if the URL is invalid: %j", (baseUrl, problem) => {
    const message = expect.stringContaining(`The base URL ${problem}`);
    const error = expect.objectContaining({ code: "invalid_configuration", message });
    expect(() => parseBaseUrl(baseUrl, advice)).toThrow(error);
  });

  it.each(["api/v1", "api/v1/templates-of-ours", "generate-sync-of-ours", "it's"])(
    "can have any path that does not contain the endpoint path: %s",
    (path) => expect(parseBaseUrl(`https://example.com/${path}`, advice).pathname).toBe(`/${path}`),
  );

  it.each<[unknown, boolean]>([
    ["/api/pdf", true],
    ["//pdf.example.com", false],
    ["pdf", false],
    ["https://pdf.example.com", false],
    [["/api/pdf"], false],
    [undefined, false],
  ])("requires a web page only if it begins with a single slash (%j, required: %s)", (baseUrl, expected) => {
    expect(lacksPage(baseUrl)).toBe(expected);
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("document", { baseURI: "https://app.example.com/" });
    expect(lacksPage(baseUrl)).toBe(false);
  });
});

describe("The uid", () => {
  it.each([
    ["inv_2024", "inv_2024"],
    ["../../admin", "..%2F..%2Fadmin"],
    ["%2e%2E 100%", "%252e%252E%20100%25"],
    ["🧾．", "%F0%9F%A7%BE%EF%BC%8E"],
  ])("is encoded as a single path segment: %j", (uid, segment) => {
    expect(urlFor(uid).pathname).toBe(`/api/v1/templates/${segment}/generate-sync`);
  });

  it.each<[unknown, string]>([
    ["", '""'],
    ["..", '".."'],
    ["a\r\nb", String.raw`"a\r\nb"`],
    [".\t.", String.raw`".\t."`],
    ["a\ud83d", String.raw`"a\ud83d"`],
    [undefined, "undefined"],
    [2024, "a number"],
  ])("is rejected if it cannot be a path segment: %j", (uid, got) => {
    const message = `Expected a template uid from the dashboard, got ${got}.`;
    expect(() => urlFor(uid as string)).toThrow(new ConfigurationError(message));
  });

  const special = ["//", "。", "\ud800", "\udc00", "\x7f", "\x85"];
  const part = fc.constantFrom(..."./\\%2ef5c?#;:@&=+a \t\n\0", ...special);
  const uids = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1 }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
    fc.string({ unit: part }),
  );
  property(
    "is decoded by servers to the same text, or rejected if it cannot be a path segment",
    (saw) =>
      fc.property(uids, (uid) => {
        if (["", ".", ".."].includes(uid) || /\p{Cc}|\p{Cs}/u.test(uid)) {
          saw("rejected");
          expect(() => urlFor(uid)).toThrow(ConfigurationError);
          return;
        }
        saw("accepted");
        const url = urlFor(uid);
        const prefix = "/api/v1/templates/";
        expect({ origin: url.origin, hasPrefix: url.pathname.startsWith(prefix) }).toEqual({
          origin: "https://pdf.example.com",
          hasPrefix: true,
        });
        const [segment = "", ...rest] = url.pathname.slice(prefix.length).split("/");
        expect(segment).toMatch(/^[\w!'()*.~%-]+$/);
        expect(decodeURIComponent(segment)).toBe(uid);
        expect(rest).toEqual(["generate-sync"]);
        expect(url.search + url.hash + url.username + url.password).toBe("");
      }),
    { outcomes: ["accepted", "rejected"] },
  );
});
