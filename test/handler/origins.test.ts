import { TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { callOf, handlerBefore, handlerOf, problemOf, untouchedClient } from "./handling.ts";

const app = "https://app.test";
const listed = "https://other.test";

/** Each row has the headers that a browser or another client sends. */
describe("a call to a handler", () => {
  it.each<
    [
      who: string,
      row: {
        readonly isAllowed: boolean;
        readonly site: string | undefined;
        readonly origin: string | undefined;
        readonly host?: string;
      },
    ]
  >([
    ["is allowed from the same origin", { isAllowed: true, site: "same-origin", origin: app }],
    [
      "is allowed from the same origin with a null Origin header",
      { isAllowed: true, site: "same-origin", origin: "null" },
    ],
    ["is allowed if the user typed the URL", { isAllowed: true, site: "none", origin: undefined }],
    [
      "is not allowed from a different origin",
      { isAllowed: false, site: "cross-site", origin: "https://evil.test" },
    ],
    [
      "is not allowed from a different origin on the same site",
      { isAllowed: false, site: "same-site", origin: "https://blog.app.test" },
    ],
    [
      "is not allowed if it is cross-site, even if `Host` matches",
      { isAllowed: false, site: "cross-site", origin: app, host: "app.test" },
    ],
    ["is allowed from a listed origin", { isAllowed: true, site: "cross-site", origin: listed }],
    [
      "is allowed from the same origin in an old browser",
      { isAllowed: true, site: undefined, origin: app, host: "app.test" },
    ],
    [
      "is allowed from the same origin with the default port in `Host`",
      { isAllowed: true, site: undefined, origin: app, host: "app.test:443" },
    ],
    [
      "is not allowed from a different port",
      { isAllowed: false, site: undefined, origin: "https://app.test:8443", host: "app.test" },
    ],
    [
      "is not allowed from an old browser with a null Origin header",
      { isAllowed: false, site: undefined, origin: "null", host: "app.test" },
    ],
    [
      "is not allowed from an old browser with a malformed Host",
      { isAllowed: false, site: undefined, origin: app, host: "app.test:x" },
    ],
    [
      "is allowed from a client that is not a browser",
      { isAllowed: true, site: undefined, origin: undefined, host: "app.test" },
    ],
    [
      "is not allowed if its origin has a listed prefix",
      { isAllowed: false, site: undefined, origin: `${listed}.evil.test`, host: "app.test" },
    ],
  ])("%s", async (_, { isAllowed, site, origin, host }) => {
    const headers = {
      ...(site && { "sec-fetch-site": site }),
      ...(origin && { origin }),
      ...(host && { host }),
    };
    const { handler, service } = await handlerBefore(undefined, { origins: [listed] });
    const response = await handler(callOf({ headers }));
    expect(response.status).toBe(isAllowed ? 200 : 403);
    expect(service.requests).toHaveLength(isAllowed ? 1 : 0);
    if (!isAllowed) expect((await problemOf(response)).kind).toBe("origin-not-allowed");
    const isListed = origin === listed;
    expect(response.headers.get("access-control-allow-origin")).toBe(isListed ? listed : null);
    expect(response.headers.get("access-control-allow-credentials")).toBe(isListed ? "true" : null);
    expect(response.headers.get("access-control-expose-headers")).toBe(
      isListed ? "content-disposition, retry-after, x-request-id" : null,
    );
    expect(response.headers.get("vary")).toBe("origin");
  });

  it("is not allowed from other origins by default", async () => {
    const { handler } = await handlerBefore();
    const headers = { "sec-fetch-site": "cross-site", origin: listed };
    expect((await handler(callOf({ headers }))).status).toBe(403);
    const { headers: own } = await handler(callOf());
    expect([...own.keys()].filter((name) => /^access-control|^vary/.test(name))).toEqual([]);
  });
});

describe("a page from a listed origin", () => {
  it.each([
    ["an immutable Response that `authorize` returns", Response.redirect("https://app.test/login")],
    ["a problem response", false],
  ])("can read %s", async (_, verdict) => {
    const authorize = () => verdict;
    const { handler } = handlerOf({ client: untouchedClient(), origins: [listed], authorize });
    const headers = { "sec-fetch-site": "cross-site", origin: listed };
    const response = await handler(callOf({ headers }));
    expect(response.headers.get("access-control-allow-origin")).toBe(listed);
  });
});

describe("an OPTIONS request", () => {
  const client = new TemplatePdf({ baseUrl: "https://upstream.test", apiKey: null });
  const { handler } = handlerOf({ client, origins: [listed] });
  const respond = (origin: string, requested?: string, path?: string) => {
    const method = { "sec-fetch-site": "cross-site", "access-control-request-method": "POST" };
    const headers = { origin, ...method, ...(requested && { "access-control-request-headers": requested }) };
    return handler(callOf({ method: "OPTIONS", body: null, headers, ...(path && { path }) }));
  };

  it("is granted the requested headers if it comes from a listed origin", async () => {
    const response = await respond(listed, "authorization, content-type,x-csrf");
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toEqual({
      "access-control-allow-credentials": "true",
      "access-control-allow-headers": "authorization, content-type,x-csrf",
      "access-control-allow-methods": "POST",
      "access-control-allow-origin": listed,
      "access-control-expose-headers": expect.any(String),
      "access-control-max-age": "7200",
      vary: "origin",
    });
  });

  it.each([undefined, "*/*; evil", ","])(
    "is granted only content-type if it requests %j",
    async (requested) => {
      const { headers } = await respond(listed, requested);
      expect(headers.get("access-control-allow-headers")).toBe("content-type");
    },
  );

  it("is rejected if it comes from an unlisted origin", async () => {
    const response = await respond("https://evil.test");
    expect({
      status: response.status,
      allowOrigin: response.headers.get("access-control-allow-origin"),
    }).toEqual({ status: 403, allowOrigin: null });
    expect((await problemOf(response)).kind).toBe("origin-not-allowed");
  });

  it("is rejected if its path is unknown or it has no preflight headers", async () => {
    expect((await respond(listed, "", "/else")).status).toBe(404);
    expect((await handler(callOf({ method: "OPTIONS", body: null }))).status).toBe(405);
  });
});
