import { describe, expect, it } from "vitest";
import { apiError, retryAfterOf } from "../../src/call/api-error.ts";
import * as errors from "../../src/errors/errors.ts";
import type { ResponseHead } from "../../src/transport/transport.ts";
import { headOf, key, note, request, requestWith, word } from "../support/facts.ts";

const errorOf = (head: ResponseHead, body = "", cause?: unknown) =>
  apiError(head, body, request, note, cause);
const messageOf = (...given: Parameters<typeof headOf>) => errorOf(headOf(...given)).message;
const answered = (what: number | string) =>
  `Got ${what} from https://pdf.example.com for template "inv \\"7\\""`;
const compare = "Compare the values with the template's placeholders.";
const point = "Redirects are not followed: point `baseUrl` at the service itself";
const later = "Try again later.";
const see = "The full response is in `body`.";
const slower = "Send fewer requests at a time.";
const checkKey = "Check the API key: the dashboard shows it under Settings » API keys.";
const mayNot = "Check which account the API key belongs to.";
const tooLarge = "Send less data: the service or a proxy limits the request size.";
const path = 'whose path is "/prefix" (the client adds /api/v1).';
const notFound = `Check \`baseUrl\`, ${path}`;

describe("The error for a response", () => {
  it.each<[number, typeof errors.ApiError, string]>([
    [199, errors.ApiError, see],
    [300, errors.ApiError, `${point}.`],
    [400, errors.BadRequestError, compare],
    [401, errors.AuthenticationError, checkKey],
    [403, errors.PermissionError, mayNot],
    [404, errors.NotFoundError, notFound],
    [405, errors.ApiError, notFound],
    [413, errors.ApiError, tooLarge],
    [422, errors.BadRequestError, compare],
    [429, errors.RateLimitError, slower],
    [500, errors.ServerError, later],
    [501, errors.ServerError, notFound],
    [505, errors.ServerError, notFound],
    [599, errors.ServerError, later],
  ])("has a class and advice that match the status: %d", (status, ErrorClass, advice) => {
    const error = errorOf(headOf(status));
    expect(error.constructor).toBe(ErrorClass);
    expect(error.message).toBe(`${answered(status)}. ${advice} Tried 3 times.`);
  });

  it.each([
    [401, "No API key was sent: the server at `baseUrl` may require a session."],
    [403, see],
  ])("does not advise checking the API key if no key was sent (status: %d)", (status, advice) => {
    const keyless = requestWith(undefined, ["authorization", "Bearer of-a-session"]);
    expect(apiError(headOf(status), "", keyless, note).message).toContain(advice);
  });

  it("advises checking the uid first if a 404 response contains a message", () => {
    const { message } = errorOf(headOf(404), '{"message":"no such template"}');
    expect(message).toContain(`saying "no such template". Check the uid and \`baseUrl\`, ${path}`);
    expect(errorOf(headOf(405), '{"message":"no POST"}').message).toContain(notFound);
  });

  it("suggests fixing a template that the emulator reports as broken", () => {
    const body = { type: "urn:template-pdf:problem:template-broken", detail: "letter.json:3: no such font" };
    const { message } = errorOf(headOf(500), JSON.stringify(body));
    expect(message).toContain('saying "letter.json:3: no such font". Fix the template. Tried');
  });

  it("omits the API path if the response already contains the path", () => {
    const { message } = errorOf(headOf(404), '{"detail":"Call POST …/api/v1/templates/:uid"}');
    expect(message).toContain('Check the uid and `baseUrl`, whose path is "/prefix".');
  });

  it("mentions the delay from Retry-After", () => {
    const slower = "Try again in 90 s, or send fewer requests at a time. Tried 3 times.";
    expect(messageOf(429, { "retry-after": "90" })).toContain(slower);
  });

  it.each([
    [`https://login.example.com/in?to=${word}#${key}`, "https://login.example.com/in"],
    ["https://me:secret@login.example.com/in", "https://login.example.com/in"],
    ["/in#a?b", "/in"],
    [`/of/${word}`, "/of/[redacted]"],
  ])("shows a redirect's target but no secrets: %j", (location, shown) => {
    const target = `not at ${JSON.stringify(shown)}`;
    expect(messageOf(302, { location })).toBe(`${answered(302)}. ${point}, ${target}. Tried 3 times.`);
  });

  it("reports a redirect even if the browser hides its status and target", () => {
    const message = messageOf(0, {}, { opaqueRedirect: true });
    expect(message).toBe(`${answered("a redirect")}. ${point}. Tried 3 times.`);
  });

  it("contains the response details but no secrets", () => {
    const headers = { "request-id": `r ${word}`, "x-echo": key, "retry-after": "7" };
    const error = errorOf(headOf(503, headers));
    expect(error).toMatchObject({ status: 503, attempts: 3, requestId: "r [redacted]", retryAfterMs: 7_000 });
    expect(error.headers?.get("x-echo")).toBe("[redacted]");
    expect(error).not.toHaveProperty("cause");
    const both = { "request-id": "second", "x-request-id": "first" };
    expect(errorOf(headOf(500, both)).requestId).toBe("first");
    expect(errorOf(headOf(500)).requestId).toBeUndefined();
  });

  it("has a cause that contains no secrets if the response body was interrupted", () => {
    const ours = new errors.TimeoutError("over", { phase: "stall", limitMs: 1 });
    expect(errorOf(headOf(418), "", ours).cause).toBe(ours);
    const { cause } = errorOf(headOf(418), "", new Error(`broke: ${key}`));
    expect(cause).toMatchObject({ message: "broke: [redacted]" });
  });
});

describe("The body of an error response", () => {
  it("is truncated after 64 KiB", () => {
    const long = errorOf(headOf(500), "a".repeat(70_000));
    expect({ rawBodyLength: long.rawBody.length, body: long.body }).toEqual({
      rawBodyLength: 65_536,
      body: long.rawBody,
    });
  });

  const digits = "12345678901234567890";
  const count = { key: "[redacted]", count: 1234 };
  it.each<[string, string, string, unknown]>([
    ["in a string", key, `{"key":"${key}","name":"${word}"}`, { key: "[redacted]", name: word }],
    ["in an escaped string", key, String.raw`{"k":"sk\u002dlive-\u00312345\u0036"}`, { k: "[redacted]" }],
    ["in a property name", key, `{"${key}":{"${key} a":1}}`, { "[redacted]": { "[redacted] a": 1 } }],
    ["in a `__proto__` property", key, `{"__proto__":"${key}"}`, JSON.parse('{"__proto__":"[redacted]"}')],
    ["in nested JSON", key, JSON.stringify({ k: JSON.stringify({ key }) }), { k: '{"key":"[redacted]"}' }],
    ["as a number", digits, `{"key":${digits},"count":1234}`, count],
    ["as a number between spaces", digits, `{ "key" : ${digits} }`, { key: "[redacted]" }],
  ])("does not contain the API key if the service sent the key %s", (_, secret, body, expected) => {
    expect(apiError(headOf(422), body, requestWith(secret), note).body).toEqual(expected);
  });

  it("does not contain the API key even if the key is nested very deeply", () => {
    const depth = 32_000;
    let { body } = errorOf(headOf(422), `${"[".repeat(depth)}"${key}"${"]".repeat(depth)}`);
    while (Array.isArray(body)) [body] = body;
    expect(body).toBe("[redacted]");
  });

  it("is quoted in the error up to 500 characters, with secrets redacted", () => {
    const text = `${word} owes ${"£ ".repeat(400)}`;
    const error = errorOf(headOf(418), JSON.stringify({ message: text }));
    expect(error.detail).toBe(`[redacted] owes ${"£ ".repeat(400)}`.slice(0, 500));
    expect(error.message).toContain(`${answered(418)}, saying "[redacted] owes £`);
  });

  it.each([
    ["null", undefined],
    ['{"error":null,"detail":"d"}', "d"],
    ['{"message":"m","error":"e"}', "m"],
    ['{"error":{"message":"n"},"detail":"d"}', "n"],
    ['{"error":{"message":7},"title":"t"}', "t"],
    ['{"message":"","error":"e"}', "e"],
  ])("is searched for a message in `message`, `error`, `detail` and `title`: %s", (body, detail) => {
    expect(errorOf(headOf(400), body).detail).toBe(detail);
  });
});

it("A date in Retry-After is converted to a delay from now", () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  const waitMs = retryAfterOf(headOf(503, { "retry-after": inAMinute }));
  expect(waitMs).toBeGreaterThan(30_000);
  expect(waitMs).toBeLessThanOrEqual(60_000);
  expect(retryAfterOf(headOf(503))).toBeUndefined();
});
