import { describe, expect, it } from "vitest";
import { type Call, endpoint, json, KEY, request } from "./endpoint-call.ts";

const { "content-type": _, ...withoutType } = json;

const at = (path: string): Call => ({ path: `/api/${path}/generate-sync` });
const having = (more: Record<string, string>): Call => ({ headers: { ...json, ...more } });
const nothing = /This path does not exist/;
const endBefore = /Remove \/api\/v1 from `baseUrl`/;
const noTemplate = /template uid in the path is invalid/;
const encoding = /percent-encoding/;
const type = "unsupported-media-type";
const size = "body-too-large";
const bytes = (text: string) => ({ body: new TextEncoder().encode(text) });

const refusals: [wrong: string, call: Call, status: number, kind: string, detail: RegExp][] = [
  ["an unknown path", { path: "/api/v1/templates/invoice/generate" }, 404, "unknown-path", nothing],
  ["a repeated path", at("v1/templates/a/generate-sync/api/v1/templates/a"), 404, "unknown-path", endBefore],
  ["a uid of two path segments", at("v1/templates/a/b"), 404, "unknown-path", nothing],
  ["/myapi instead of /api", { path: "/myapi/v1/templates/a/generate-sync" }, 404, "unknown-path", nothing],
  ["an empty uid", at("v1/templates/"), 404, "unknown-template", noTemplate],
  ["a control character in the uid", at("v1/templates/a%00b"), 404, "unknown-template", noTemplate],
  ["malformed percent-encoding", at("v1/templates/%zz"), 400, "invalid-path", encoding],
  ["the method GET", { method: "GET" }, 405, "method-not-allowed", /GET is not available.*POST/],
  ["no content type", { headers: withoutType, ...bytes("{}") }, 415, type, /application\/json/],
  ["a form", having({ "content-type": "application/x-www-form-urlencoded" }), 415, type, /application\/json/],
  ["a Latin-1 charset", having({ "content-type": "application/json; charset=latin1" }), 415, type, /UTF-8/],
  ["a compressed body", having({ "content-encoding": "gzip" }), 415, type, /content-encoding/],
  ["a body one byte over the limit", { body: `"${"x".repeat(99)}"` }, 413, size, /100 bytes/],
  ["a declared length over the limit", having({ "content-length": "101" }), 413, size, /100 bytes/],
  ["no body", { body: null }, 400, "body-not-json", /empty.*at least \{\}/],
  ["a body that is not JSON", { body: "{date: secret-value}" }, 400, "body-not-json", /not valid JSON/],
  ["a body that is not UTF-8", { body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, "body-not-json", /UTF-8/],
  ["an array as the body", { body: '["secret-value"]' }, 400, "body-not-json", /an array/],
  ["an unknown uid", at("v1/templates/receipt"), 404, "unknown-template", /uid "receipt"/],
];

describe("an error response", () => {
  it.each(refusals)("is sent for a request with %s", async (_wrong, call, status, kind, detail) => {
    const response = await endpoint(request(call));
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/);
    const text = await response.text();
    expect(JSON.parse(text)).toEqual({
      type: `urn:template-pdf:problem:${kind}`,
      title: expect.any(String),
      status,
      detail: expect.stringMatching(detail),
    });
    expect(text).not.toContain(KEY);
    expect(text).not.toContain("secret-value");
  });

  it.each([
    [405, { method: "PATCH" }, "allow", "POST"],
    [401, { headers: {} }, "www-authenticate", "API-Key"],
    [415, { headers: withoutType }, "accept", "application/json"],
    [415, { headers: { ...json, "content-encoding": "br" } }, "accept-encoding", "identity"],
  ] as const)("lists the accepted values in a header (status: %i)", async (status, call, name, value) => {
    const response = await endpoint(request(call));
    expect({ status: response.status, header: response.headers.get(name) }).toEqual({
      status,
      header: value,
    });
  });

  it("has no body if the request method is HEAD", async () => {
    const response = await endpoint(request({ method: "HEAD" }));
    expect({ status: response.status, allow: response.headers.get("allow") }).toEqual({
      status: 405,
      allow: "POST",
    });
    expect(await response.text()).toBe("");
  });
});

describe("the endpoint", () => {
  // Each call fails several checks, and the response must report the first of these checks.
  const wrong = { path: "/api/v1/templates/receipt/generate-sync", body: `[${"7,".repeat(60)}7` };
  it.each([
    ["the path before the method", 404, { ...wrong, path: "/else", method: "PUT", headers: {} }],
    ["the key before the type, size and uid", 401, { ...wrong, headers: { "content-type": "text/plain" } }],
    ["the type before the size", 415, { ...wrong, headers: { ...json, "content-type": "text/plain" } }],
    ["the JSON before the uid", 400, { ...wrong, body: "[" }],
  ])("checks %s", async (_order, status, call) => {
    expect((await endpoint(request(call))).status).toBe(status);
  });
});
