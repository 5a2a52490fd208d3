import { describe, expect, it } from "vitest";
import { callOf, handlerBefore, handlerOf, problemOf, untouchedClient } from "./handling.ts";

const app = "https://app.test";
const listed = "https://other.test";

/** What browsers and other callers send. */
const calls: [who: string, headers: Record<string, string>, passes: boolean][] = [
  ["a page of the same origin", { "sec-fetch-site": "same-origin", origin: app }, true],
  [
    "one behind a proxy that sends another Host",
    { "sec-fetch-site": "same-origin", origin: app, host: "inner" },
    true,
  ],
  ["one that hides its origin", { "sec-fetch-site": "same-origin", origin: "null" }, true],
  ["what its user typed", { "sec-fetch-site": "none" }, true],
  ["a page of another origin", { "sec-fetch-site": "cross-site", origin: "https://evil.test" }, false],
  [
    "a neighbour below the same site",
    { "sec-fetch-site": "same-site", origin: "https://blog.app.test" },
    false,
  ],
  [
    "a page that a browser calls cross-site, with a Host that fits",
    { "sec-fetch-site": "cross-site", origin: app, host: "app.test" },
    false,
  ],
  ["a page that hides its origin", { "sec-fetch-site": "cross-site", origin: "null" }, false],
  ["a listed origin", { "sec-fetch-site": "cross-site", origin: listed }, true],
  ["an old browser of the same origin", { origin: app, host: "app.test" }, true],
  ["one with the default port in its Host", { origin: app, host: "app.test:443" }, true],
  ["one on another port", { origin: "http://app.test:8080", host: "app.test:8080" }, true],
  ["an old browser of another port", { origin: "https://app.test:8443", host: "app.test" }, false],
  ["an old browser of another origin", { origin: "https://evil.test", host: "app.test" }, false],
  ["an old browser of a listed origin", { origin: listed, host: "app.test" }, true],
  ["an old browser that hides its origin", { origin: "null", host: "app.test" }, false],
  ["one with an origin that is none", { origin: "app.test", host: "app.test" }, false],
  ["one with a Host that is none", { origin: app, host: "app test" }, false],
  ["no browser at all", { host: "app.test" }, true],
  ["an origin that begins like a listed one", { origin: `${listed}.evil.test`, host: "app.test" }, false],
  ["a listed origin by another scheme", { origin: "http://other.test", host: "app.test" }, false],
];

describe("a call from", () => {
  it.each(calls)("%s", async (_, headers, passes) => {
    const { handler, service } = await handlerBefore(undefined, { origins: [listed] });
    const response = await handler(callOf({ headers }));
    expect([response.status, service.requests.length]).toEqual(passes ? [200, 1] : [403, 0]);
    if (!passes) expect((await problemOf(response)).kind).toBe("origin-not-allowed");
    const isListed = headers["origin"] === listed;
    expect(response.headers.get("access-control-allow-origin")).toBe(isListed ? listed : null);
    expect(response.headers.get("vary")).toBe("origin");
  });

  it("another origin passes nowhere by default, and no header speaks of origins", async () => {
    const { handler } = await handlerBefore();
    const headers = { "sec-fetch-site": "cross-site", origin: listed };
    expect((await handler(callOf({ headers }))).status).toBe(403);
    const { headers: own } = await handler(callOf());
    expect([...own.keys()].filter((name) => /^access-control|^vary/.test(name))).toEqual([]);
  });

  it("a strange origin is not even shown to authorize", async () => {
    const authorize = () => {
      throw new Error("asked");
    };
    const { handler, onError } = handlerOf({ client: untouchedClient(), authorize });
    await handler(callOf({ headers: { "sec-fetch-site": "cross-site" } }));
    expect(onError).not.toHaveBeenCalled();
  });
});

describe("a page of a listed origin", () => {
  const headers = { "sec-fetch-site": "cross-site", origin: listed };

  it("may read documents, with their names and ids", async () => {
    const { handler } = await handlerBefore(undefined, { origins: [listed] });
    const response = await handler(callOf({ headers }));
    expect(response.headers.get("access-control-allow-credentials")).toBe("true");
    expect(response.headers.get("access-control-expose-headers")).toBe(
      "content-disposition, retry-after, x-request-id",
    );
  });

  it.each([
    ["a problem", undefined],
    ["a Response of authorize that cannot be changed", Response.redirect("https://app.test/login")],
    [
      "a Response of authorize for another origin",
      new Response("", { headers: { "access-control-allow-origin": "*" } }),
    ],
  ])("may read %s", async (_, verdict) => {
    const { handler } = await handlerBefore(undefined, {
      origins: [listed],
      authorize: () => verdict ?? false,
    });
    const response = await handler(callOf({ headers }));
    expect(response.headers.get("access-control-allow-origin")).toBe(listed);
  });
});

describe("the question before a call", () => {
  const asking = (origin: string, asked?: string, path?: string) =>
    callOf({
      method: "OPTIONS",
      body: null,
      ...(path && { path }),
      headers: {
        origin,
        "sec-fetch-site": "cross-site",
        "access-control-request-method": "POST",
        ...(asked && { "access-control-request-headers": asked }),
      },
    });
  const handler = (request: Request) => {
    const authorize = () => {
      throw new Error("asked");
    };
    return handlerOf({ client: untouchedClient(), origins: [listed], authorize }).handler(request);
  };

  it("is answered for a listed origin, with the headers that it asks about", async () => {
    const response = await handler(asking(listed, "authorization, content-type,x-csrf"));
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

  it.each([[undefined], ["*/*; evil"], ["a b"], [","]])("names only content-type for %j", async (asked) => {
    const { headers } = await handler(asking(listed, asked));
    expect(headers.get("access-control-allow-headers")).toBe("content-type");
  });

  it("is refused to any other origin", async () => {
    const response = await handler(asking("https://evil.test"));
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    expect((await problemOf(response)).kind).toBe("origin-not-allowed");
  });

  it("is not answered at another path, nor where it is another question", async () => {
    expect((await handler(asking(listed, "", "/else"))).status).toBe(404);
    expect((await handler(callOf({ method: "OPTIONS", body: null }))).status).toBe(405);
    const call = callOf({ headers: { origin: listed, "access-control-request-method": "POST" } });
    expect((await handler(call)).status).toBe(500);
  });
});
