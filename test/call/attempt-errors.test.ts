import { describe, expect, it, vi } from "vitest";
import * as attempt from "../../src/call/attempt-errors.ts";
import { ConfigurationError, type ConnectionError } from "../../src/errors/errors.ts";
import type { Explanation } from "../../src/transport/transport.ts";
import { call, headOf, key, word } from "../support/facts.ts";

const template = 'template "inv \\"7\\""';
const service = "The service at https://pdf.example.com";
const at = `the service at https://pdf.example.com for ${template}`;
const answered = `${service} answered 200 for ${template}`;
const document = `The document for ${template}`;
const check = "Check `baseUrl`, and that the service can be reached from here; then try again.";
const again = "Do not use what arrived; generate it again.";

describe("The error for a request without a response", () => {
  const reset = new Error("fetch failed", { cause: new Error("read ECONNRESET") });
  const notConnected = (cause: unknown, sent?: boolean, explained?: Explanation) =>
    attempt.notConnected(cause, sent, call, explained) as ConnectionError;

  it.each([
    [false, `Could not reach ${at} (read ECONNRESET). ${check} Tried 3 times.`],
    [
      true,
      `No answer came from ${at} (read ECONNRESET); the document may have been rendered all the same. ${check} Tried 3 times.`,
    ],
    [
      undefined,
      `No answer came from ${at} (read ECONNRESET); the document may have been rendered all the same. ${check} Tried 3 times.`,
    ],
  ])("says whether the document may have been rendered: %s", (sent, message) => {
    const error = notConnected(reset, sent);
    expect(error).toMatchObject({ message, attempts: 3, code: "connection_failed", cause: reset });
  });

  it.each<[unknown, string]>([
    ["words", "words"],
    [7, "7"],
    [undefined, "for no reason given"],
    [Object.assign(new Error(""), { code: "E_CODE" }), "E_CODE"],
    [Object.assign(new RangeError(""), { code: 7 }), "RangeError"],
    [new Error("outer", { cause: "inner words" }), "outer"],
    [new Error(`for ${word}`), "for [redacted]"],
  ])("names the innermost reason without secrets: %o", (cause, reason) => {
    expect(notConnected(cause, false).message).toBe(
      `Could not reach ${at} (${reason}). ${check} Tried 3 times.`,
    );
  });

  it.each<[Explanation, string]>([
    [{ unsent: true, reason: `proxy of ${word}`, advice: "Fix it." }, "(proxy of [redacted]). Fix it. Tried"],
    [{ unsent: true, advice: "Fix it." }, "(read ECONNRESET). Fix it. Tried 3 times."],
  ])("prefers the explanation of the transport: %j", (explained, message) => {
    expect(notConnected(reset, false, explained).message).toContain(message);
  });

  it.each([
    [
      "https://app.example.com/orders",
      " A page of https://app.example.com needs the server's leave there (CORS): with createHandler, list it in `origins`.",
    ],
    ["https://pdf.example.com/orders", ""],
  ])("mentions CORS to a page of another origin only: %s", (baseURI, advice) => {
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("document", { baseURI });
    const { message } = notConnected("refused", false);
    vi.unstubAllGlobals();
    expect(message).toBe(`Could not reach ${at} (refused). ${check}${advice} Tried 3 times.`);
  });

  const get = () => {
    throw new TypeError("unreadable");
  };
  it.each<[string, unknown, boolean]>([
    ["a configuration error", new ConfigurationError("wrong"), true],
    ["an error of Next.js with a digest", { digest: "NEXT_PRERENDER" }, true],
    ["an error with a digest of another type", { digest: 7 }, false],
    ["any other error", new TypeError("fetch failed"), false],
    ["an object that throws when it is read", Object.defineProperty({}, "digest", { get }), false],
    ["null", null, false],
  ])("is the rejection itself for a wrong setting or a framework: %s", (_, cause, isItself) => {
    expect(attempt.isPassedOn(cause)).toBe(isItself);
    expect(Object.is(notConnected(cause, false), cause)).toBe(isItself);
  });
});

describe("The error for a success that is not a PDF", () => {
  const checkUrl =
    ": this is no PDF. Check that `baseUrl` leads to the service and not to a login page or a proxy. Tried 3 times.";

  it.each<[string | undefined, string, string, string]>([
    [undefined, "", "", " without a content type and an empty body"],
    ["text/html", "<html>\n in", "<html> in", ' with "text/html" that begins "<html> in"'],
    [`a/${word}`, `of ${word}`, "of [redacted]", ' with "a/[redacted]" that begins "of [redacted]"'],
    [undefined, "x ".repeat(99), "x ".repeat(60), ` without a content type that begins "${"x ".repeat(60)}"`],
  ])("quotes the type and the beginning without secrets: %j, %.9j", (type, text, excerpt, shown) => {
    const error = attempt.notAPdf(headOf(200, type ? { "content-type": type } : {}), text, call);
    expect(error.message).toBe(`${answered}${shown}${checkUrl}`);
    expect(error).toMatchObject({ attempts: 3, code: "invalid_pdf", status: 200, excerpt });
    expect(error.contentType).toBe(type?.replace(word, "[redacted]"));
  });

  it("names an encoding that cannot be decoded", () => {
    const error = attempt.undecoded(headOf(200, {}, { undecoded: `x-${word}` }), call);
    expect(error.message).toBe(
      `${answered}, encoded as "x-[redacted]", which was not asked for and cannot be undone. Switch that encoding off at the service or the proxy before it. Tried 3 times.`,
    );
    expect(error).toMatchObject({ attempts: 3, status: 200, excerpt: "" });
  });
});

const broke = new Error(`other side closed on ${key}`);
it.each<[number, number | undefined, unknown, string]>([
  [5, 9, undefined, "5 of 9 bytes arrived"],
  [5, 9, broke, "5 of 9 bytes arrived (other side closed on [redacted])"],
  [9, 9, undefined, "9 bytes arrived, without the end mark of a PDF"],
  [9, undefined, undefined, "9 bytes arrived, without the end mark of a PDF"],
  [9, undefined, broke, "9 bytes arrived, and then the connection broke (other side closed on [redacted])"],
])(
  "The error for a truncated document counts its bytes: %s of %s",
  (receivedBytes, promisedBytes, cause, amount) => {
    const error = attempt.cutOff(headOf(200), { receivedBytes, promisedBytes }, call, cause);
    expect(error.message).toBe(
      `${document} from https://pdf.example.com was cut off: ${amount}. ${again} Tried 3 times.`,
    );
    expect(error).toMatchObject({ attempts: 3, status: 200, receivedBytes });
    expect(error.promisedBytes).toBe(promisedBytes);
    expect("cause" in error).toBe(cause !== undefined);
  },
);

describe("The error for a timeout", () => {
  const received = { receivedBytes: 5, promisedBytes: 9 };
  const limit = (phase: string) => `70 ms, \`timeouts.${phase}\``;

  it.each([
    [
      "connect",
      9,
      `Could not connect to the service at https://pdf.example.com for ${template} within ${limit("connect")}. ${check}`,
    ],
    [
      "firstByte",
      9,
      `${service} sent no byte of a document for ${template} within ${limit("firstByte")}; it may have been rendered all the same. Raise the limit if rendering takes that long; else try again later.`,
    ],
    [
      "stall",
      9,
      `${document} from https://pdf.example.com stopped arriving after 5 of 9 bytes: no more came for ${limit("stall")}. ${again}`,
    ],
    [
      "stall",
      undefined,
      `${document} from https://pdf.example.com stopped arriving after 5 bytes: no more came for ${limit("stall")}. ${again}`,
    ],
    [
      "unread",
      9,
      `${document} was not read within ${limit("unread")}, so its connection was given up. Read it as soon as it is there, or raise the limit.`,
    ],
  ] as const)("names the limit: %s, of %s bytes", (phase, promisedBytes, text) => {
    const error = attempt.timedOut(phase, 70, { ...received, promisedBytes }, headOf(200), call);
    const message = `${text} Tried 3 times.`;
    expect(error).toMatchObject({ message, attempts: 3, phase, limitMs: 70, status: 200 });
  });

  it("says that nothing was sent if the first attempt does not connect", () => {
    const first = attempt.timedOut("connect", 70, received, undefined, { ...call, attempts: 1, note: "" });
    expect(first.message).toContain(`${limit("connect")}. Nothing was sent. Check \`baseUrl\``);
  });

  it("has no status if there was no response", () => {
    const error = attempt.timedOut("firstByte", 70, received, undefined, call);
    expect(error).toMatchObject({ attempts: 3, phase: "firstByte", limitMs: 70 });
    expect(error).not.toHaveProperty("status");
  });

  it("is the cause of an error response whose body stalls", () => {
    const message = "The rest of the answer did not come within 70 ms.";
    const facts = { message, attempts: 3, phase: "stall", limitMs: 70, status: 500 };
    expect(attempt.refusalOver(70, headOf(500), call)).toMatchObject(facts);
  });

  const nothingSent = `Nothing was sent for ${template} within ${limit("total")}: the function given as \`apiKey\`, or the template's schema, did not come to an end.`;
  const notWhole = `No whole document for ${template} came from https://pdf.example.com within ${limit("total")}. Raise it if that is not long enough; else try again later.`;
  it.each([
    [0, nothingSent],
    [1, notWhole],
    [2, `${notWhole} Tried 2 times.`],
  ])("of the whole call counts the attempts: %d", (attempts, message) => {
    const error = attempt.totalOver(70, attempts, call, undefined);
    expect(error).toMatchObject({ message, attempts, phase: "total", limitMs: 70 });
    expect(error).not.toHaveProperty("cause");
    const cause = new Error("before");
    expect(attempt.totalOver(70, attempts, call, cause).cause).toBe(cause);
  });
});
