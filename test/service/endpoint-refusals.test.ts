import { describe, expect, it } from "vitest";
import { type Call, endless, endpoint, json, KEY, request } from "./endpoint-call.ts";

const { authorization: _, ...withoutKey } = json;
const { "content-type": __, ...withoutType } = json;

const refusals: [wrong: string, call: Call, status: number, kind: string, detail: RegExp][] = [
  [
    "another path",
    { path: "/api/v1/templates/invoice/generate" },
    404,
    "unknown-path",
    /nothing at this path/,
  ],
  [
    "another version",
    { path: "/api/v2/templates/invoice/generate-sync" },
    404,
    "unknown-path",
    /nothing at this path/,
  ],
  [
    "a trailing slash",
    { path: "/api/v1/templates/invoice/generate-sync/" },
    404,
    "unknown-path",
    /nothing at this path/,
  ],
  [
    "two segments for a uid",
    { path: "/api/v1/templates/a/b/generate-sync" },
    404,
    "unknown-path",
    /nothing at this path/,
  ],
  [
    "a prefix that is glued on",
    { path: "/myapi/v1/templates/invoice/generate-sync" },
    404,
    "unknown-path",
    /nothing at this path/,
  ],
  [
    "no uid",
    { path: "/api/v1/templates//generate-sync" },
    404,
    "unknown-template",
    /no template that could exist/,
  ],
  [
    "a control character in the uid",
    { path: "/api/v1/templates/a%00b/generate-sync" },
    404,
    "unknown-template",
    /no template that could exist/,
  ],
  [
    "a C1 control character in the uid",
    { path: "/api/v1/templates/%C2%85/generate-sync" },
    404,
    "unknown-template",
    /could exist/,
  ],
  ["dots for a uid", { path: "/api/v1/templates/%2e%2e/generate-sync" }, 404, "unknown-path", /.+/],
  ["a dot for a uid", { path: "/api/v1/templates/./generate-sync" }, 404, "unknown-path", /.+/],
  [
    "broken percent-encoding",
    { path: "/api/v1/templates/%zz/generate-sync" },
    400,
    "invalid-path",
    /percent-encoding/,
  ],
  [
    "percent-encoding that is no UTF-8",
    { path: "/api/v1/templates/%ff/generate-sync" },
    400,
    "invalid-path",
    /percent-encoding/,
  ],
  ["GET", { method: "GET" }, 405, "method-not-allowed", /GET is not available.*POST/],
  ["PUT", { method: "PUT" }, 405, "method-not-allowed", /PUT is not available.*POST/],
  ["DELETE", { method: "DELETE" }, 405, "method-not-allowed", /DELETE/],
  ["OPTIONS", { method: "OPTIONS", body: null }, 405, "method-not-allowed", /OPTIONS/],
  ["no key", { headers: withoutKey }, 401, "key-refused", /no API key/],
  [
    "a wrong key",
    { headers: { ...json, authorization: "API-Key wrong" } },
    401,
    "key-refused",
    /not valid here/,
  ],
  [
    "no content type",
    { headers: withoutType, body: new TextEncoder().encode("{}") },
    415,
    "unsupported-media-type",
    /application\/json/,
  ],
  [
    "a form",
    { headers: { ...json, "content-type": "application/x-www-form-urlencoded" } },
    415,
    "unsupported-media-type",
    /application\/json/,
  ],
  [
    "a relative of JSON",
    { headers: { ...json, "content-type": "application/ld+json" } },
    415,
    "unsupported-media-type",
    /application\/json/,
  ],
  [
    "another charset",
    { headers: { ...json, "content-type": "application/json; charset=latin1" } },
    415,
    "unsupported-media-type",
    /UTF-8/,
  ],
  [
    "a compressed body",
    { headers: { ...json, "content-encoding": "gzip" } },
    415,
    "unsupported-media-type",
    /content-encoding/,
  ],
  ["a body one byte too large", { body: `"${"x".repeat(99)}"` }, 413, "body-too-large", /100 bytes/],
  [
    "a declared length that is too large",
    { headers: { ...json, "content-length": "101" } },
    413,
    "body-too-large",
    /100 bytes/,
  ],
  ["no body", { body: null }, 400, "body-not-json", /empty/],
  ["an empty body", { body: "" }, 400, "body-not-json", /empty/],
  ["no JSON", { body: "{date: secret-value}" }, 400, "body-not-json", /not valid JSON/],
  ["half of a JSON object", { body: '{"date":' }, 400, "body-not-json", /not valid JSON/],
  ["bytes that are no UTF-8", { body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, "body-not-json", /UTF-8/],
  ["an array", { body: '["secret-value"]' }, 400, "body-not-json", /an array/],
  ["null", { body: "null" }, 400, "body-not-json", /is null/],
  ["a string", { body: '"secret-value"' }, 400, "body-not-json", /a string/],
  ["a number", { body: "7" }, 400, "body-not-json", /a number/],
  [
    "an unknown uid",
    { path: "/api/v1/templates/receipt/generate-sync" },
    404,
    "unknown-template",
    /uid "receipt"/,
  ],
];

describe("a refusal", () => {
  it.each(refusals)("answers %s", async (_wrong, call, status, kind, detail) => {
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
  ] as const)("of %i says by a header what would pass", async (status, call, name, value) => {
    const response = await endpoint(request(call));
    expect([response.status, response.headers.get(name)]).toEqual([status, value]);
  });

  it("has no body for HEAD", async () => {
    const response = await endpoint(request({ method: "HEAD" }));
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await response.text()).toBe("");
  });
});

describe("the order of the checks", () => {
  // Each call fails its check and every later one; so the earliest must be the answer.
  const wrong = { path: "/api/v1/templates/receipt/generate-sync", body: `[${"7,".repeat(60)}7` };
  it.each([
    ["path before method", 404, { ...wrong, path: "/else", method: "PUT", headers: {} }],
    ["method before key", 405, { ...wrong, method: "PUT", headers: {} }],
    ["key before type, size and template", 401, { ...wrong, headers: { "content-type": "text/plain" } }],
    ["type before size", 415, { ...wrong, headers: { ...json, "content-type": "text/plain" } }],
    ["size before JSON", 413, wrong],
    ["JSON before template", 400, { ...wrong, body: "[" }],
    ["template last", 404, { ...wrong, body: "{}" }],
  ])("is %s", async (_order, status, call) => {
    expect((await endpoint(request(call))).status).toBe(status);
  });

  it("tells a caller without a key the same about known and unknown uids", async () => {
    const answers = await Promise.all(
      ["invoice", "receipt"].map(async (uid) => {
        const response = await endpoint(
          request({ path: `/api/v1/templates/${uid}/generate-sync`, headers: withoutKey }),
        );
        return [response.status, await response.text()];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  it("reads no body before the key is known to be good", async () => {
    const { seen, stream } = endless(10);
    await endpoint(request({ headers: withoutKey, body: stream }));
    expect(seen.bytes).toBe(0);
  });
});
