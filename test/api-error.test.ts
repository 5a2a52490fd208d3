import { describe, expect, it } from "vitest";
import { apiError, retryAfterOf } from "../src/call/api-error.ts";
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from "../src/errors/errors.ts";
import { Redactor } from "../src/errors/redact.ts";
import { call, headOf, key, word } from "./support/facts.ts";

const messageOf = (...given: Parameters<typeof headOf>) => apiError(headOf(...given), "", call).message;
const answered = (what: number | string) =>
  `The service at https://pdf.example.com answered ${what} for template "inv \\"7\\"". `;
const staysHere = "Redirects are not followed, so that what was sent stays where it was sent.";
const pointThere = " Point `baseUrl` at where the service really lives.";
const tried = " Tried 3 times.";

describe("what an answer that is no success says to do", () => {
  const compare =
    "Compare the values with the placeholders of the template; the whole answer of the service is in `body`.";
  const later = "The service failed: try again later.";
  const see = "What the service said is in `body`.";

  it.each([
    [
      401,
      "No API key was sent: the server at `baseUrl` wants another proof of who you are, such as a session.",
    ],
    [403, "The server at `baseUrl` does not allow it to you; its whole answer is in `body`."],
  ])("speaks of no key to who has none: %i", (status, advice) => {
    const keyless = { ...call, request: { headers: ["authorization", "Bearer of-a-session"] } };
    expect(apiError(headOf(status), "", keyless).message).toContain(advice);
  });

  it.each([
    [199, see],
    [299, see],
    [300, staysHere + pointThere],
    [399, staysHere + pointThere],
    [400, compare],
    [401, "Check the API key: the dashboard shows it under Settings » API keys."],
    [402, see],
    [403, "This API key may not do that: check which account it belongs to."],
    [
      404,
      'Either the uid "inv \\"7\\"" or the path of `baseUrl`, "/prefix", is wrong: check both. The client itself adds /api/v1 to the path.',
    ],
    [413, "The values are larger than the service, or a proxy before it, takes: send less."],
    [422, compare],
    [429, "Too many requests: send fewer at a time, or try again later."],
    [499, see],
    [500, later],
    [599, later],
  ])("%d", (status, advice) => {
    expect(messageOf(status)).toBe(`${answered(status)}${advice} Tried 3 times.`);
  });

  it("500, with an id", () => {
    const message = messageOf(500, { "x-request-id": "r-7" });
    expect(message).toContain(" try again later, and quote the request id if it persists. Tried 3 times.");
  });

  it("429, after a while", () => {
    expect(messageOf(429, { "retry-after": "90" })).toContain("or try again in 90 s. Tried 3 times.");
  });

  it.each([
    [`https://login.example.com/in?to=${word}#${key}`, "https://login.example.com/in"],
    ["https://me:secret@login.example.com/in", "https://login.example.com/in"],
    ["/in#a?b", "/in"],
    ["/in\n?b", "/in"],
  ])("a redirect to %j, without what may be secret", (location, told) => {
    expect(messageOf(302, { location: encodeURI(location).replaceAll("%0A", "") })).toBe(
      `${answered(302)}${staysHere} It points to ${JSON.stringify(told)}.${pointThere}${tried}`,
    );
  });

  it("a redirect that a page may not look into", () => {
    expect(messageOf(0, {}, { opaqueRedirect: true })).toBe(
      answered("a redirect") + staysHere + pointThere + tried,
    );
  });
});

describe("what the service said", () => {
  it("is quoted, at most 500 characters of it, without secrets", () => {
    const said = `${word} owes ${"£ ".repeat(400)}`;
    const error = apiError(headOf(418), JSON.stringify({ message: said }), call);
    expect(error.detail).toBe(`[redacted] owes ${"£ ".repeat(400)}`.slice(0, 500));
    expect(error.message).toContain(`answered 418 for template "inv \\"7\\"", saying "[redacted] owes £`);
  });

  it("is kept up to 64 KiB, without the key, and parsed", () => {
    const long = apiError(headOf(500), "a".repeat(70_000), call);
    expect([long.rawBody.length, long.body]).toEqual([65_536, long.rawBody]);
    const echo = apiError(headOf(500), `{"key":"${key}","name":"${word}"}`, call);
    expect(echo.body).toEqual({ key: "[redacted]", name: word });
  });

  it.each([
    ["in an escaped text", String.raw`{"k":"sk\u002dlive-\u00312345\u0036"}`, { k: "[redacted]" }],
    ["in the name of a property", `{"${key}":{"${key} a":1}}`, { "[redacted]": { "[redacted] a": 1 } }],
    ["as a property that JSON sets", `{"__proto__":"${key}"}`, JSON.parse('{"__proto__":"[redacted]"}')],
    ["in JSON within JSON", JSON.stringify({ k: JSON.stringify({ key }) }), { k: '{"key":"[redacted]"}' }],
    ["where the text ends", `{"k":"${key.slice(0, 10)}`, '{"k":"[redacted]'],
  ])("holds no key in its body: %s", (_, body, safe) => {
    expect(apiError(headOf(422), body, call).body).toEqual(safe);
  });

  it("holds no key that is a number, and quotes the message", () => {
    const digits = "12345678901234567890";
    const numeric = { ...call, secrets: new Redactor(digits, "{}") };
    const error = apiError(headOf(401), `{"message":"Unknown key","key":${digits},"count":1234}`, numeric);
    expect(error.body).toEqual({ message: "Unknown key", key: "[redacted]", count: 1234 });
    expect(error.detail).toBe("Unknown key");
    expect(apiError(headOf(401), `{ "key" : ${digits} }`, numeric).body).toEqual({ key: "[redacted]" });
  });

  it("holds no key in a body that is nested deeper than a stack", () => {
    const depth = 32_000;
    let { body } = apiError(headOf(422), `${"[".repeat(depth)}"${key}"${"]".repeat(depth)}`, call);
    while (Array.isArray(body)) [body] = body;
    expect(body).toBe("[redacted]");
  });

  it.each([
    ['"text"', undefined],
    ["7", undefined],
    ["null", undefined],
    ['{"error":null,"detail":"d"}', "d"],
    ['{"error":"e","detail":"d"}', "e"],
    ['{"message":"m","error":"e"}', "m"],
    ['{"error":{"message":"n"},"detail":"d"}', "n"],
    ['{"error":{"message":7},"title":"t"}', "t"],
    ['{"message":"","error":"e"}', "e"],
    ['{"message":""}', undefined],
  ])("is found in %s", (body, detail) => {
    expect(apiError(headOf(400), body, call).detail).toBe(detail);
  });
});

describe("an error of an answer", () => {
  it("has the facts of the answer, without secrets", () => {
    const headers = { "request-id": `r ${word}`, "x-echo": key, "retry-after": "7" };
    const error = apiError(headOf(503, headers), "", call);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 503, attempts: 3, requestId: "r [redacted]", retryAfterMs: 7_000 });
    expect(error.headers?.get("x-echo")).toBe("[redacted]");
    expect(error).not.toHaveProperty("cause");
  });

  it("has the id that is more common, of two", () => {
    const headers = { "request-id": "second", "x-request-id": "first" };
    expect(apiError(headOf(500, headers), "", call).requestId).toBe("first");
    expect(apiError(headOf(500, {}), "", call).requestId).toBeUndefined();
  });

  it("has what broke its body off as cause: one of ours as it is, another without secrets", () => {
    const ours = new TimeoutError("over", { phase: "stall", limitMs: 1 });
    expect(apiError(headOf(418), "", call, ours).cause).toBe(ours);
    const theirs = new Error(`broke: ${key}`);
    const { cause } = apiError(headOf(418), "", call, theirs);
    expect(cause).toMatchObject({ message: "broke: [redacted]" });
  });

  it.each<[typeof ApiError, number[]]>([
    [ApiError, [199, 302, 402, 405, 418, 499]],
    [BadRequestError, [400, 422]],
    [AuthenticationError, [401]],
    [PermissionError, [403]],
    [NotFoundError, [404]],
    [RateLimitError, [429]],
    [ServerError, [500, 501, 503, 599]],
  ])("is of the class of its status: %o", (ErrorClass, statuses) => {
    for (const status of statuses) expect(apiError(headOf(status), "", call).constructor).toBe(ErrorClass);
  });
});

it("reads Retry-After against the clock", () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  expect(retryAfterOf(headOf(503, { "retry-after": inAMinute }))).toBeGreaterThan(30_000);
  expect(retryAfterOf(headOf(503, { "retry-after": inAMinute }))).toBeLessThanOrEqual(60_000);
  expect(retryAfterOf(headOf(503))).toBeUndefined();
});
