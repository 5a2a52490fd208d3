import { describe, expect, it } from "vitest";
import { apiError } from "../../src/call/api-error.ts";
import { notAPdf } from "../../src/call/attempt-failures.ts";
import { SentRequest } from "../../src/call/sent-request.ts";
import { serverAdvice } from "../../src/request/advice.ts";
import { headOf, key, word } from "../support/facts.ts";

interface Sent {
  readonly baseUrl?: string;
  readonly uid?: string;
  /** A custom `authorization` header, or `null` for none. */
  readonly authorization?: string | null;
}

function requestOf({
  baseUrl = "https://pdf.example.com/v1",
  uid = "inv",
  authorization,
}: Sent): SentRequest {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/$/, "");
  const sent = authorization === undefined ? `API-Key ${key}` : authorization;
  return new SentRequest(
    {
      uid,
      path: `${prefix}/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`,
      headers: [...(sent === null ? [] : ["authorization", sent]), "content-type", "application/json"],
      json: JSON.stringify({ name: word }),
      attempts: 1,
    },
    {
      endpoint: { origin, pathBeforeUid: `${prefix}/api/v1/templates/`, basePath: prefix || "/" },
      advice: serverAdvice(),
    },
    sent ?? undefined,
  );
}

interface Answered extends Sent {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Returns the sentences after the first one. */
function adviceOn({ status, headers, body = "", ...sent }: Answered): string {
  const request = requestOf(sent);
  const isSuccess = status >= 200 && status < 300;
  const error = isSuccess
    ? (notAPdf(headOf(status, headers), body, request).error("") as Error)
    : apiError(headOf(status, headers), body, request, "");
  expect(error.message).not.toContain(key);
  expect(error.message).not.toContain(word);
  return error.message.replace(/^.*?for template "[^"]*"(?: with .*?: ".*?")?(?: with [^.]*)?\. /, "");
}

const html = (title: string) => `<html>\r\n<head><title>${title}</title></head><body>…</body></html>`;
const onTheWay = "check `baseUrl`, and any proxy or firewall on the way.";
const path = 'check `baseUrl`, whose path is "/v1" (the client adds /api/v1)';
const nginx = { server: "nginx/1.22.1", "content-type": "text/html" };
const pageOf = (sender: string, rest: string) =>
  `This seems to be ${sender}, not a response of the service: ${rest}`;

describe("the advice if somebody else answered", () => {
  it.each<[what: string, answer: Answered, advice: string]>([
    [
      "a page of nginx",
      { status: 403, headers: nginx, body: html("403 Forbidden") },
      pageOf('the page "403 Forbidden" of nginx/1.22.1', onTheWay),
    ],
    [
      "a page without a title or a server",
      { status: 400, body: "<html><body>No</body></html>" },
      pageOf("a page of another server", onTheWay),
    ],
    [
      "a page of HAProxy, which has only a heading",
      {
        status: 401,
        headers: { "content-type": "text/html" },
        body: "<html><body><h1>401 Unauthorized</h1>",
      },
      pageOf('the page "401 Unauthorized" of another server', onTheWay),
    ],
    [
      "an XML document of an object store",
      { status: 403, body: '<?xml version="1.0"?>\n<Error><Code>x</Code><Message>Access Denied</Message>' },
      pageOf('the page "Access Denied" of another server', onTheWay),
    ],
    [
      "a page that a cache returned",
      { status: 422, headers: { via: "1.1 varnish" }, body: `\ufeff${html(" Blocked\n by &amp; for ")}` },
      pageOf('the page "Blocked by & for" of another server (via 1.1 varnish)', onTheWay),
    ],
    [
      "a page that repeats secrets",
      { status: 400, headers: { server: `s ${word}` }, body: html(`${key} ${word}`) },
      pageOf('the page "[redacted] [redacted]" of s [redacted]', onTheWay),
    ],
    [
      "Cloudflare's short text",
      { status: 403, headers: { server: "cloudflare" }, body: "error code: 1020" },
      pageOf('"error code: 1020" of cloudflare', onTheWay),
    ],
    [
      "Envoy's short text",
      { status: 403, headers: { server: "envoy" }, body: "RBAC: access denied" },
      pageOf('"RBAC: access denied" of envoy', onTheWay),
    ],
    [
      "an unknown path of nginx",
      { status: 404, headers: nginx, body: html("404 Not Found") },
      pageOf('the page "404 Not Found" of nginx/1.22.1', `${path}.`),
    ],
    [
      "a limit of nginx",
      { status: 413, headers: nginx, body: html("413 Request Entity Too Large") },
      pageOf(
        'the page "413 Request Entity Too Large" of nginx/1.22.1',
        "send less data: the service or a proxy limits the request size.",
      ),
    ],
    [
      "a gateway without a service",
      { status: 502, headers: nginx, body: html("502 Bad Gateway") },
      pageOf('the page "502 Bad Gateway" of nginx/1.22.1', "try again later."),
    ],
    [
      "a gateway that asks for a delay",
      { status: 503, headers: { ...nginx, "retry-after": "7" }, body: html("503") },
      pageOf('the page "503" of nginx/1.22.1', "try again in 7 s."),
    ],
    [
      "a sign-in page with status 200",
      { status: 200, headers: nginx, body: html("Sign in") },
      pageOf('the page "Sign in" of nginx/1.22.1', onTheWay),
    ],
    [
      "Basic authentication of a proxy",
      { status: 401, headers: { ...nginx, "www-authenticate": 'Basic realm="Staff only", charset="UTF-8"' } },
      `nginx/1.22.1 requires Basic authentication ("Staff only"), not an API key: ${onTheWay}`,
    ],
    [
      "Negotiate authentication of an unknown server",
      { status: 401, headers: { "www-authenticate": "Negotiate" } },
      `Another server requires Negotiate authentication, not an API key: ${onTheWay}`,
    ],
    [
      "a challenge that repeats secrets",
      { status: 401, headers: { "www-authenticate": `${key} realm="${word}"`, server: key, via: word } },
      `[redacted] (via [redacted]) requires [redacted] authentication ("[redacted]"), not an API key: ${onTheWay}`,
    ],
    [
      "the service's own authentication",
      { status: 401, headers: { "www-authenticate": 'API-Key realm="x"' } },
      "Check the API key: the dashboard shows it under Settings » API keys.",
    ],
    [
      "credentials of the caller that are wrong",
      { status: 401, headers: { "www-authenticate": "Basic" }, authorization: `Basic ${btoa("user:wrong")}` },
      "Another server requires Basic authentication: check the `authorization` in `headers`.",
    ],
    [
      "no key and no credentials",
      { status: 401, authorization: null },
      "No API key was sent: the server at `baseUrl` may require a session.",
    ],
    [
      "nginx's port for https://",
      {
        status: 400,
        baseUrl: "http://127.0.0.1",
        body: html("400 The plain HTTP request was sent to HTTPS port"),
      },
      "This port uses TLS: begin `baseUrl` with https://.",
    ],
    [
      "Apache's port for https://",
      {
        status: 400,
        baseUrl: "http://127.0.0.1",
        body: `${html("400 Bad Request")}Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />`,
      },
      "This port uses TLS: begin `baseUrl` with https://.",
    ],
    [
      "Caddy's port for https://",
      { status: 400, baseUrl: "http://127.0.0.1", body: "Client sent an HTTP request to an HTTPS server.\n" },
      "This port uses TLS: begin `baseUrl` with https://.",
    ],
    [
      "a server that requires a client certificate",
      { status: 400, headers: nginx, body: html("400 No required SSL certificate was sent") },
      "nginx/1.22.1 requires a client certificate: pass undici's new Agent({ connect: { cert, key } }) as `dispatcher`.",
    ],
    [
      "a forward proxy that a `fetch` uses",
      { status: 407, headers: { "proxy-authenticate": "Basic" } },
      "A proxy requires a user name and a password: pass them to the agent that you use as `dispatcher` or in `fetch`.",
    ],
    [
      "the sign-in of a network",
      { status: 511, body: html("Welcome") },
      "The network requires a sign-in: open any web page on this machine, and sign in.",
    ],
    [
      "an empty document",
      { status: 200, headers: { "content-type": "application/pdf" } },
      "Check `baseUrl`, and whether the service or a proxy drops the body.",
    ],
    ["a delay of the service", { status: 503, headers: { "retry-after": "7" } }, "Try again in 7 s."],
    ["a delay that is over", { status: 503, headers: { "retry-after": "0" } }, "Try again later."],
  ])("fits %s", (_, answer, advice) => {
    expect(adviceOn(answer)).toBe(advice);
  });

  it.each<[location: string, baseUrl: string, suggested: string | undefined]>([
    [
      "https://pdf.example.com/api/v1/templates/inv/generate-sync",
      "http://pdf.example.com",
      "https://pdf.example.com",
    ],
    ["https://b.test/v2/api/v1/templates/inv/generate-sync?x=1", "https://a.test/v1", "https://b.test/v2"],
    ["/v2/api/v1/templates/inv/generate-sync", "https://a.test/v1", "https://a.test/v2"],
    ["//b.test/api/v1/templates/inv/generate-sync", "https://a.test", "https://b.test"],
    [
      `https://me:secret@${word}.test/api/v1/templates/inv/generate-sync`,
      "https://a.test",
      "https://[redacted].test",
    ],
    // The same base URL, http:// instead of https://, another scheme, and another path.
    ["/api/v1/templates/inv/generate-sync", "https://a.test", undefined],
    ["http://b.test/api/v1/templates/inv/generate-sync", "https://a.test", undefined],
    ["ftp://b.test/api/v1/templates/inv/generate-sync", "https://a.test", undefined],
    ["/login?next=/api/v1/templates/inv/generate-sync", "https://a.test", undefined],
    ["/api/v1/templates/other/generate-sync", "https://a.test", undefined],
    ["https://[", "https://a.test", undefined],
  ])(
    "suggests the base URL of a redirect that keeps the path: %s from %s",
    (location, baseUrl, suggested) => {
      const advice = adviceOn({ status: 308, headers: { location }, baseUrl });
      expect(advice.startsWith("Redirects are not followed: ")).toBe(true);
      const [, found] = /Set `baseUrl` to "(.*)"\.$/.exec(advice) ?? [];
      expect(found).toBe(suggested);
      expect(advice).not.toMatch(/secret|[?]x/);
    },
  );

  it.each([
    [
      404,
      "",
      "a/b",
      'Check `baseUrl`, whose path is "/v1" (the client adds /api/v1), and whether the server allows %2F in paths, which the uid needs.',
    ],
    [404, "", "a\\b", "%5C in paths"],
    [404, '{"message":"no such template"}', "a/b", "Check the uid and `baseUrl`, whose"],
    [400, html("HTTP Status 400 – Bad Request"), "a/b", "%2F in paths"],
  ])("guesses that %d means a slash in the uid that the server does not allow", (status, body, uid, part) => {
    expect(adviceOn({ status, body, uid })).toContain(part);
    expect(adviceOn({ status, body, uid: "ab" })).not.toContain("in paths");
  });
});
