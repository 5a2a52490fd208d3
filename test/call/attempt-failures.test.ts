import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { templateBroken } from "../../src/call/api-error.ts";
import type { AttemptFailure } from "../../src/call/attempt-failures.ts";
import * as failures from "../../src/call/attempt-failures.ts";
import {
  ConfigurationError,
  type ConnectionError,
  type InvalidPdfError,
  type TruncatedPdfError,
} from "../../src/errors/errors.ts";
import type { Explanation } from "../../src/transport/transport.ts";
import { headOf, key, note, request, word } from "../support/facts.ts";

const template = 'template "inv \\"7\\""';
const at = `https://pdf.example.com for ${template}`;
const answered = `Got 200 from ${at}`;
const document = `The document from ${at}`;
const check = "Check `baseUrl` and the network.";
const again = "Generate it again.";
const mayBeRendered = "The document may have been rendered.";

describe("A failed attempt", () => {
  const reset = new Error("reset");
  const complete = { receivedBytes: 9, promisedBytes: 9 };
  const refused = (status: number, body = "", headers = {}) =>
    failures.refusal(headOf(status, headers), body, request, undefined);

  it.each<[string, AttemptFailure["repeat"], AttemptFailure]>([
    ["was not sent", "safe", failures.noResponse(reset, undefined, true, request)],
    [
      "was not sent, as the transport knows",
      "safe",
      failures.noResponse(reset, { isUnsent: true }, false, request),
    ],
    ["was sent and got no response", "ambiguous", failures.noResponse(reset, undefined, false, request)],
    [
      "will always get no response",
      "never",
      failures.noResponse(reset, { isUnsent: true, isLasting: true }, true, request),
    ],
    [
      "was not sent because of a setting",
      "never",
      failures.noResponse(new ConfigurationError("x"), undefined, true, request),
    ],
    ["was not connected in time", "safe", failures.timedOut("connect", 1, complete, undefined, request)],
    [
      "was not answered in time",
      "ambiguous",
      failures.timedOut("firstByte", 1, complete, undefined, request),
    ],
    ["got 503", "ambiguous", refused(503)],
    ["got 404", "never", refused(404)],
    [
      "got 500 from the emulator for a broken template",
      "never",
      refused(500, `{"type":"${templateBroken}"}`),
    ],
    [
      "got 500 from the emulator for another reason",
      "ambiguous",
      refused(500, '{"type":"urn:template-pdf:problem:server-fault"}'),
    ],
    ["got a web page", "never", failures.notAPdf(headOf(200), "<html>", request)],
    ["got an unknown encoding", "never", failures.undecoded(headOf(200), request)],
    ["got a truncated document", "ambiguous", failures.truncated(headOf(200), complete, request)],
  ])("whose request %s can be retried: %s", (_, repeat, failure) => {
    expect(failure.repeat).toBe(repeat);
  });

  it("asks for the delay that the service requests", () => {
    expect(refused(503, "", { "retry-after": "7" }).retryAfterMs).toBe(7_000);
    expect(refused(503).retryAfterMs).toBeUndefined();
  });
});

describe("The error for a request without a response", () => {
  const reset = new Error("fetch failed", { cause: new Error("read ECONNRESET") });
  const notConnected = (cause: unknown, isUnsent = true, explained?: Explanation) =>
    failures.noResponse(cause, explained, isUnsent, request).error(note) as ConnectionError;

  it.each([
    [true, `Could not reach ${at} (read ECONNRESET). ${check} Tried 3 times.`],
    [false, `Got no response from ${at} (read ECONNRESET). ${mayBeRendered} ${check} Tried 3 times.`],
  ])("reports whether the document may have been rendered (request unsent: %s)", (isUnsent, message) => {
    const error = notConnected(reset, isUnsent);
    expect(error).toMatchObject({ message, attempts: 3, code: "connection_failed", cause: reset });
  });

  it.each<[unknown, string]>([
    ["words", "words"],
    [undefined, "for an unspecified reason"],
    [Object.assign(new Error(""), { code: "E_CODE" }), "E_CODE"],
    [Object.assign(new RangeError(""), { code: 7 }), "RangeError"],
    [new Error(`for ${word}`), "for [redacted]"],
  ])("quotes the innermost cause but no secrets: %o", (cause, reason) => {
    expect(notConnected(cause).message).toBe(`Could not reach ${at} (${reason}). ${check} Tried 3 times.`);
  });

  it.each<[Explanation, string]>([
    [{ isUnsent: true, reason: `proxy of ${word}`, advice: "Fix it." }, `(proxy of ${word}). Fix it. Tried`],
    [
      { isUnsent: true, reason: `proxy of ${key}`, advice: "Fix it." },
      "(proxy of [redacted]). Fix it. Tried",
    ],
    [{ isUnsent: true, advice: "Fix it." }, "(read ECONNRESET). Fix it. Tried 3 times."],
    [{ isUnsent: true, advice: `Fix ${key}.` }, "(read ECONNRESET). Fix [redacted]. Tried 3 times."],
  ])("contains the transport's explanation without the key, if there is one: %j", (explained, message) => {
    expect(notConnected(reset, true, explained).message).toContain(message);
  });

  it.each([
    [
      "https://app.example.com/orders",
      " The server must allow https://app.example.com (CORS; see `origins` of createHandler).",
    ],
    ["https://pdf.example.com/orders", ""],
  ])("mentions CORS only if the page's origin differs from the service's: %s", (baseURI, advice) => {
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("document", { baseURI });
    const { message } = notConnected("refused");
    vi.unstubAllGlobals();
    expect(message).toBe(`Could not reach ${at} (refused). ${check}${advice} Tried 3 times.`);
  });

  const get = () => {
    throw new TypeError("unreadable");
  };
  it.each<[string, unknown, boolean]>([
    ["is the original error if a setting is invalid", new ConfigurationError("wrong"), true],
    ["is the original error if Next.js stops a page", { digest: "NEXT_PRERENDER_INTERRUPTED" }, true],
    ["is the original error if Next.js redirects", { digest: "NEXT_REDIRECT;replace;/login;307;" }, true],
    ["is the original error if a page is dynamic", { digest: "DYNAMIC_SERVER_USAGE" }, true],
    ["is the original error if a page is complete", { digest: "HANGING_PROMISE_REJECTION" }, true],
    ["is the original error if browsers render", { digest: "BAILOUT_TO_CLIENT_SIDE_RENDERING" }, true],
    ["is a ConnectionError if the `digest` is not one of Next.js", { digest: "x" }, false],
    ["is a ConnectionError if the `digest` only begins like one", { digest: "DYNAMIC_SERVER_USAGES" }, false],
    ...["message", "stack", "digest", "cause"].map((name): [string, unknown, boolean] => [
      `is a ConnectionError if Next.js threw an error with the key in its ${name}`,
      Object.assign(new Error("stopped"), { digest: "NEXT_NOT_FOUND" }, { [name]: `NEXT_${key}` }),
      false,
    ]),
    ["is a ConnectionError if the cause has a `digest` that is not a string", { digest: 7 }, false],
    ["is a ConnectionError if reading `digest` throws", Object.defineProperty({}, "digest", { get }), false],
  ])("%s", (_, cause, isItself) => {
    expect(Object.is(notConnected(cause), cause)).toBe(isItself);
    expect(inspect(notConnected(cause), { depth: 9, showHidden: true })).not.toContain(key);
  });
});

describe("The error for a successful response that is not a PDF", () => {
  const checkUrl = "Check that `baseUrl` points to the service, not to a login page or a proxy.";
  const dropped = "Check `baseUrl`, and whether the service or a proxy drops the body.";
  const page =
    "This seems to be a page of another server, not a response of the service: check `baseUrl`, and any proxy or firewall on the way.";

  it.each<[string | undefined, string, string, string]>([
    [undefined, "", "", ` with no content type and an empty body. ${dropped}`],
    ["a/pdf", "", "", ` with "a/pdf" and an empty body. ${dropped}`],
    ["text/html", "<html>\n in", "<html> in", ` with "text/html", not a PDF: "<html> in". ${page}`],
    [
      `a/${word}`,
      `of ${word}`,
      "of [redacted]",
      ` with "a/[redacted]", not a PDF: "of [redacted]". ${checkUrl}`,
    ],
    [
      undefined,
      "x ".repeat(99),
      "x ".repeat(60),
      ` with no content type, not a PDF: "${"x ".repeat(60)}". ${checkUrl}`,
    ],
  ])("quotes the content type and the body but no secrets: %j, %j", (type, text, excerpt, shown) => {
    const failure = failures.notAPdf(headOf(200, type ? { "content-type": type } : {}), text, request);
    const error = failure.error(note) as InvalidPdfError;
    expect(error.message).toBe(`${answered}${shown}${note}`);
    expect(error).toMatchObject({ attempts: 3, code: "invalid_pdf", status: 200, excerpt });
    expect(error.contentType).toBe(type?.replace(word, "[redacted]"));
  });

  it.each([
    ["JVBERi0xLjQK", "in base64"],
    ['{"file":"data:application/pdf;base64,JVBERi0xLjQK"}', "in base64"],
    ["\\x255044462D312e34", "in hexadecimal"],
    ['{"type":"Buffer","data":[37,80,68,70,45,49]}', "as a list of numbers"],
    ["\ufeff%\0P\0D\0F\0-\x001\0", "in UTF-16"],
  ])("names the encoding of a PDF: %j is a PDF %s", (text, encoding) => {
    const error = failures.notAPdf(headOf(200), text, request).error(note) as InvalidPdfError;
    expect(error.message).toContain(
      `. This is a PDF ${encoding}: make the service or proxy send its bytes. Tried 3 times.`,
    );
  });

  it("says that a PDF was decoded as text, and where that usually happens", () => {
    const failure = failures.decodedAsText(headOf(200), `%PDF-1.7 ${word}`, request);
    const error = failure.error(note) as InvalidPdfError;
    expect(error).toMatchObject({ code: "invalid_pdf", status: 200, excerpt: "%PDF-1.7 [redacted]" });
    expect(error.message).toBe(
      `${answered} with a PDF that was decoded as text on its way, usually by an API Gateway without binary types, by \`response.text()\` or by a mock that returns a string. Pass on its bytes unchanged. Tried 3 times.`,
    );
    expect(failure.repeat).toBe("never");
  });

  it("names the unsupported encoding but contains no secrets", () => {
    const error = failures
      .undecoded(headOf(200, {}, { unsupportedCoding: `x-${word}` }), request)
      .error(note) as InvalidPdfError;
    expect(error.message).toBe(
      `${answered} in the unsupported encoding "x-[redacted]". Disable it in the service or proxy. Tried 3 times.`,
    );
    expect(error).toMatchObject({ attempts: 3, status: 200, excerpt: "" });
  });
});

const broke = new Error(`other side closed on ${key}`);
it.each<[number, number | undefined, unknown, string]>([
  [5, 9, undefined, "5 of 9 bytes"],
  [5, 9, broke, "5 of 9 bytes (other side closed on [redacted])"],
  [9, 9, undefined, "9 bytes, without the PDF end-of-file marker"],
  [9, undefined, broke, "9 bytes (other side closed on [redacted])"],
])(
  "The error for a truncated document contains the number of bytes (received: %s, promised: %s)",
  (receivedBytes, promisedBytes, cause, amount) => {
    const error = failures
      .truncated(headOf(200), { receivedBytes, promisedBytes }, request, cause)
      .error(note) as TruncatedPdfError;
    expect(error.message).toBe(`${document} was truncated after ${amount}. ${again} Tried 3 times.`);
    expect(error).toMatchObject({ attempts: 3, status: 200, receivedBytes });
    expect(error.promisedBytes).toBe(promisedBytes);
    expect("cause" in error, "has a cause").toBe(cause !== undefined);
  },
);

describe("The error for a timeout", () => {
  const received = { receivedBytes: 5, promisedBytes: 9 };
  const limit = (phase: string) => `within 70 ms (\`timeouts.${phase}\`)`;

  it.each([
    ["connect", 9, `Could not reach ${at} ${limit("connect")}. ${check}`],
    [
      "firstByte",
      9,
      `Got no response from ${at} ${limit("firstByte")}. ${mayBeRendered} Raise the limit if rendering takes longer.`,
    ],
    ["stall", 9, `${document} stalled after 5 of 9 bytes: no more data arrived ${limit("stall")}. ${again}`],
    ["unread", 9, `${document} was not read ${limit("unread")}. Read it sooner, or raise the limit.`],
  ] as const)("contains the limit that was exceeded: `timeouts.%s`", (phase, promisedBytes, text) => {
    const error = failures
      .timedOut(phase, 70, { ...received, promisedBytes }, headOf(200), request)
      .error(note);
    const message = `${text} Tried 3 times.`;
    expect(error).toMatchObject({ message, attempts: 3, phase, limitMs: 70, status: 200 });
  });

  it("has no status if there was no response", () => {
    const error = failures.timedOut("firstByte", 70, received, undefined, request).error(note);
    expect(error).toMatchObject({ attempts: 3, phase: "firstByte", limitMs: 70 });
    expect(error).not.toHaveProperty("status");
  });

  it("contains the phase and the status if the body of an error response stalls", () => {
    const message = "The rest of the response did not arrive within 70 ms.";
    const facts = { message, attempts: 3, phase: "stall", limitMs: 70, status: 500 };
    expect(failures.refusalOver(70, headOf(500), request)).toMatchObject(facts);
  });

  const nothingSent = `Nothing was sent to ${at} ${limit("total")}: the \`apiKey\` function or the template's schema did not finish.`;
  const notWhole = `Got no complete document from ${at} ${limit("total")}. Raise the limit if rendering takes longer.`;
  it.each([
    [0, nothingSent],
    [1, notWhole],
    [2, `${notWhole} Tried 2 times.`],
  ])("contains the number of attempts if `timeouts.total` was exceeded: %d", (attempts, message) => {
    const error = failures.totalOver(70, attempts, request, undefined);
    expect(error).toMatchObject({ message, attempts, phase: "total", limitMs: 70 });
    expect(error).not.toHaveProperty("cause");
    const cause = new Error("before");
    expect(failures.totalOver(70, attempts, request, cause).cause).toBe(cause);
  });
});
