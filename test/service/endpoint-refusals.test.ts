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

const refusals: [
  wrong: string,
  row: { readonly call: Call; readonly status: number; readonly kind: string; readonly detail: RegExp },
][] = [
  [
    "an unknown path",
    {
      call: { path: "/api/v1/templates/invoice/generate" },
      status: 404,
      kind: "unknown-path",
      detail: nothing,
    },
  ],
  [
    "a repeated path",
    {
      call: at("v1/templates/a/generate-sync/api/v1/templates/a"),
      status: 404,
      kind: "unknown-path",
      detail: endBefore,
    },
  ],
  [
    "a uid of two path segments",
    { call: at("v1/templates/a/b"), status: 404, kind: "unknown-path", detail: nothing },
  ],
  [
    "/myapi instead of /api",
    {
      call: { path: "/myapi/v1/templates/a/generate-sync" },
      status: 404,
      kind: "unknown-path",
      detail: nothing,
    },
  ],
  ["an empty uid", { call: at("v1/templates/"), status: 404, kind: "unknown-template", detail: noTemplate }],
  [
    "a control character in the uid",
    { call: at("v1/templates/a%00b"), status: 404, kind: "unknown-template", detail: noTemplate },
  ],
  [
    "malformed percent-encoding",
    { call: at("v1/templates/%zz"), status: 400, kind: "invalid-path", detail: encoding },
  ],
  [
    "the method GET",
    {
      call: { method: "GET" },
      status: 405,
      kind: "method-not-allowed",
      detail: /GET is not available.*POST/,
    },
  ],
  [
    "no content type",
    { call: { headers: withoutType, ...bytes("{}") }, status: 415, kind: type, detail: /application\/json/ },
  ],
  [
    "a form",
    {
      call: having({ "content-type": "application/x-www-form-urlencoded" }),
      status: 415,
      kind: type,
      detail: /application\/json/,
    },
  ],
  [
    "a Latin-1 charset",
    {
      call: having({ "content-type": "application/json; charset=latin1" }),
      status: 415,
      kind: type,
      detail: /UTF-8/,
    },
  ],
  [
    "a compressed body",
    { call: having({ "content-encoding": "gzip" }), status: 415, kind: type, detail: /content-encoding/ },
  ],
  [
    "a body one byte over the limit",
    { call: { body: `"${"x".repeat(99)}"` }, status: 413, kind: size, detail: /100 bytes/ },
  ],
  [
    "a declared length over the limit",
    { call: having({ "content-length": "101" }), status: 413, kind: size, detail: /100 bytes/ },
  ],
  ["no body", { call: { body: null }, status: 400, kind: "body-not-json", detail: /empty.*at least \{\}/ }],
  [
    "a body that is not JSON",
    { call: { body: "{date: secret-value}" }, status: 400, kind: "body-not-json", detail: /not valid JSON/ },
  ],
  [
    "a body that is not UTF-8",
    {
      call: { body: new Uint8Array([0x22, 0xff, 0x22]) },
      status: 400,
      kind: "body-not-json",
      detail: /UTF-8/,
    },
  ],
  [
    "an array as the body",
    { call: { body: '["secret-value"]' }, status: 400, kind: "body-not-json", detail: /an array/ },
  ],
  [
    "an unknown uid",
    { call: at("v1/templates/receipt"), status: 404, kind: "unknown-template", detail: /uid "receipt"/ },
  ],
];

describe("an error response", () => {
  it.each(refusals)("is sent for a request with %s", async (_wrong, { call, status, kind, detail }) => {
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
    [405, { call: { method: "PATCH" }, header: "allow", value: "POST" }],
    [401, { call: { headers: {} }, header: "www-authenticate", value: "API-Key" }],
    [415, { call: { headers: withoutType }, header: "accept", value: "application/json" }],
    [
      415,
      {
        call: { headers: { ...json, "content-encoding": "br" } },
        header: "accept-encoding",
        value: "identity",
      },
    ],
  ] as const)(
    "lists the accepted values in a header (status: %i)",
    async (status, { call, header: name, value }) => {
      const response = await endpoint(request(call));
      expect({ status: response.status, header: response.headers.get(name) }).toEqual({
        status,
        header: value,
      });
    },
  );

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
