import { describe, expect, it, vi } from "vitest";
import * as attempt from "../../src/call/attempt-errors.ts";
import { ConfigurationError, type ConnectionError } from "../../src/errors/errors.ts";
import type { Explanation } from "../../src/transport/transport.ts";
import { call, headOf, key, word } from "../support/facts.ts";

const template = 'template "inv \\"7\\""';
const at = `https://pdf.example.com for ${template}`;
const answered = `Got 200 from ${at}`;
const document = `The document from ${at}`;
const check = "Check `baseUrl` and the network.";
const again = "Generate it again.";
const mayBeRendered = "The document may have been rendered.";

describe("The error for a request without a response", () => {
  const reset = new Error("fetch failed", { cause: new Error("read ECONNRESET") });
  const notConnected = (cause: unknown, isUnsent = true, explained?: Explanation) =>
    attempt.notConnected(cause, isUnsent, call, explained) as ConnectionError;

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
    [{ unsent: true, reason: `proxy of ${word}`, advice: "Fix it." }, "(proxy of [redacted]). Fix it. Tried"],
    [{ unsent: true, advice: "Fix it." }, "(read ECONNRESET). Fix it. Tried 3 times."],
  ])("contains the transport's explanation, if any: %j", (explained, message) => {
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
    ["is the original error if Next.js threw an error with a `digest`", { digest: "NEXT_PRERENDER" }, true],
    ["is a ConnectionError if the cause has a `digest` that is not a string", { digest: 7 }, false],
    ["is a ConnectionError if reading `digest` throws", Object.defineProperty({}, "digest", { get }), false],
  ])("%s", (_, cause, isItself) => {
    expect(attempt.isPassedOn(cause)).toBe(isItself);
    expect(Object.is(notConnected(cause), cause)).toBe(isItself);
  });
});

describe("The error for a successful response that is not a PDF", () => {
  const checkUrl =
    ". Check that `baseUrl` points to the service, not to a login page or a proxy. Tried 3 times.";

  it.each<[string | undefined, string, string, string]>([
    [undefined, "", "", ' with no content type, not a PDF: ""'],
    ["text/html", "<html>\n in", "<html> in", ' with "text/html", not a PDF: "<html> in"'],
    [`a/${word}`, `of ${word}`, "of [redacted]", ' with "a/[redacted]", not a PDF: "of [redacted]"'],
    [undefined, "x ".repeat(99), "x ".repeat(60), ` with no content type, not a PDF: "${"x ".repeat(60)}"`],
  ])("quotes the content type and the body but no secrets: %j, %j", (type, text, excerpt, shown) => {
    const error = attempt.notAPdf(headOf(200, type ? { "content-type": type } : {}), text, call);
    expect(error.message).toBe(`${answered}${shown}${checkUrl}`);
    expect(error).toMatchObject({ attempts: 3, code: "invalid_pdf", status: 200, excerpt });
    expect(error.contentType).toBe(type?.replace(word, "[redacted]"));
  });

  it("names the unsupported encoding but contains no secrets", () => {
    const error = attempt.undecoded(headOf(200, {}, { undecoded: `x-${word}` }), call);
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
    const error = attempt.cutOff(headOf(200), { receivedBytes, promisedBytes }, call, cause);
    expect(error.message).toBe(`${document} was truncated after ${amount}. ${again} Tried 3 times.`);
    expect(error).toMatchObject({ attempts: 3, status: 200, receivedBytes });
    expect(error.promisedBytes).toBe(promisedBytes);
    expect("cause" in error).toBe(cause !== undefined);
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
    const error = attempt.timedOut(phase, 70, { ...received, promisedBytes }, headOf(200), call);
    const message = `${text} Tried 3 times.`;
    expect(error).toMatchObject({ message, attempts: 3, phase, limitMs: 70, status: 200 });
  });

  it("has no status if there was no response", () => {
    const error = attempt.timedOut("firstByte", 70, received, undefined, call);
    expect(error).toMatchObject({ attempts: 3, phase: "firstByte", limitMs: 70 });
    expect(error).not.toHaveProperty("status");
  });

  it("contains the phase and the status if the body of an error response stalls", () => {
    const message = "The rest of the response did not arrive within 70 ms.";
    const facts = { message, attempts: 3, phase: "stall", limitMs: 70, status: 500 };
    expect(attempt.refusalOver(70, headOf(500), call)).toMatchObject(facts);
  });

  const nothingSent = `Nothing was sent to ${at} ${limit("total")}: the \`apiKey\` function or the template's schema did not finish.`;
  const notWhole = `Got no complete document from ${at} ${limit("total")}. Raise the limit if rendering takes longer.`;
  it.each([
    [0, nothingSent],
    [1, notWhole],
    [2, `${notWhole} Tried 2 times.`],
  ])("contains the number of attempts if `timeouts.total` was exceeded: %d", (attempts, message) => {
    const error = attempt.totalOver(70, attempts, call, undefined);
    expect(error).toMatchObject({ message, attempts, phase: "total", limitMs: 70 });
    expect(error).not.toHaveProperty("cause");
    const cause = new Error("before");
    expect(attempt.totalOver(70, attempts, call, cause).cause).toBe(cause);
  });
});
