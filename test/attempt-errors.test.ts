import { describe, expect, it, vi } from "vitest";
import {
  cutOff,
  isPassedOn,
  notAPdf,
  notConnected,
  refusalOver,
  timedOut,
  totalOver,
  undecoded,
} from "../src/call/attempt-errors.ts";
import { ConfigurationError, type ConnectionError } from "../src/errors/errors.ts";
import type { Explanation } from "../src/transport/transport.ts";
import { call, headOf, key, word } from "./support/facts.ts";

const at = 'the service at https://pdf.example.com for template "inv \\"7\\""';
const answered = 'The service at https://pdf.example.com answered 200 for template "inv \\"7\\""';
const facts = { attempts: 3 };

describe("no answer", () => {
  const told = (cause: unknown, sent: boolean | undefined, explained?: Explanation) =>
    notConnected(cause, sent, call, explained) as ConnectionError;
  const reset = new Error("fetch failed", { cause: new Error("read ECONNRESET") });
  const check =
    "Check `baseUrl`, and that the service can be reached from here; then try again. Tried 3 times.";

  it("to what did not leave says so", () => {
    const error = told(reset, false);
    expect(error.message).toBe(`Could not reach ${at} (read ECONNRESET). ${check}`);
    expect(error).toMatchObject({ ...facts, code: "connection_failed", cause: reset });
  });

  it.each([true, undefined])("to what may have left (%s) says what may have happened", (sent) => {
    expect(told(reset, sent).message).toBe(
      `No answer came from ${at} (read ECONNRESET); the document may have been rendered all the same. ${check}`,
    );
  });

  it.each<[unknown, string]>([
    ["words", "words"],
    [7, "7"],
    [undefined, "for no reason given"],
    [Object.assign(new Error(""), { code: "E_CODE" }), "E_CODE"],
    [Object.assign(new RangeError(""), { code: 7 }), "RangeError"],
    [new Error("outer", { cause: "inner words" }), "outer"],
    [new Error(`for ${word}`), "for [redacted]"],
  ])("for the reason %o", (cause, reason) => {
    expect(told(cause, false).message).toBe(`Could not reach ${at} (${reason}). ${check}`);
  });

  it("is told in the words of the transport, where it has any", () => {
    const unsent = true;
    expect(told(reset, false, { unsent, reason: `proxy of ${word}`, advice: "Mend it." }).message).toBe(
      `Could not reach ${at} (proxy of [redacted]). Mend it. Tried 3 times.`,
    );
    expect(told(reset, false, { unsent, advice: "Mend it." }).message).toContain(
      "(read ECONNRESET). Mend it.",
    );
  });

  it("is no failure of the connection where the settings are wrong", () => {
    const wrong = new ConfigurationError("wrong");
    expect(told(wrong, false)).toBe(wrong);
  });
});

describe("the advice to check the base URL", () => {
  const cors =
    " A page of https://app.example.com needs the server's leave there (CORS): with createHandler, list it in `origins`.";

  it.each([
    ["names the origin of a page that calls another origin", "https://app.example.com/orders", cors],
    ["names no origin to a page of the service's own", "https://pdf.example.com/orders", ""],
  ])("%s", (_, baseURI, expected) => {
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("document", { baseURI });
    const { message } = notConnected("refused", false, call) as ConnectionError;
    vi.unstubAllGlobals();
    expect(message).toBe(
      `Could not reach ${at} (refused). Check \`baseUrl\`, and that the service can be reached from here; then try again.${expected} Tried 3 times.`,
    );
  });
});

describe("a rejection that reaches the caller unchanged", () => {
  const unreadable = {
    get digest() {
      throw new TypeError("unreadable");
    },
  };

  it.each<[string, unknown, boolean]>([
    ["a wrong setting", new ConfigurationError("wrong"), true],
    ["an error with a digest, as Next.js throws it", { digest: "NEXT_PRERENDER" }, true],
    ["not an error with a digest of another type", { digest: 7 }, false],
    ["not any other error", new TypeError("fetch failed"), false],
    ["not an object that cannot be read", unreadable, false],
    ["not null", null, false],
  ])("is %s", (_, cause, expected) => {
    expect(isPassedOn(cause)).toBe(expected);
  });
});

describe("a success that is no PDF", () => {
  const rest =
    ": this is no PDF. Check that `baseUrl` leads to the service and not to a login page or a proxy. Tried 3 times.";

  it.each([
    [{}, "", " without a content type and an empty body"],
    [{ "content-type": "text/html" }, "<html>\n in", ' with "text/html" that begins "<html> in"'],
    [{ "content-type": `a/${word}` }, `of ${word}`, ' with "a/[redacted]" that begins "of [redacted]"'],
    [{}, "x ".repeat(100), ` without a content type that begins "${"x ".repeat(60)}"`],
  ])("%j, %j", (headers, text, told) => {
    const error = notAPdf(headOf(200, headers), text, call);
    expect(error.message).toBe(`${answered}${told}${rest}`);
    expect(error).toMatchObject({ ...facts, code: "invalid_pdf", status: 200 });
    expect(error.message).toContain(error.excerpt);
  });

  it("is told with its type, where it has one", () => {
    expect(notAPdf(headOf(200, { "content-type": "text/html" }), "", call).contentType).toBe("text/html");
    expect(notAPdf(headOf(200), "", call).contentType).toBeUndefined();
  });

  it("is told where its encoding cannot be undone", () => {
    const error = undecoded(headOf(200, {}, { undecoded: `x-${word}` }), call);
    expect(error.message).toBe(
      `${answered}, encoded as "x-[redacted]", which was not asked for and cannot be undone. Switch that encoding off at the service or the proxy before it. Tried 3 times.`,
    );
    expect(error).toMatchObject({ ...facts, status: 200, excerpt: "" });
  });
});

describe("a document that was cut off", () => {
  const begin = 'The document for template "inv \\"7\\"" from https://pdf.example.com was cut off: ';
  const end = ". Do not use what arrived; generate it again. Tried 3 times.";
  const broke = new Error(`other side closed on ${key}`);

  it.each<[number, number | undefined, unknown, string]>([
    [5, 9, undefined, "5 of 9 bytes arrived"],
    [5, 9, broke, "5 of 9 bytes arrived (other side closed on [redacted])"],
    [9, 9, undefined, "9 bytes arrived, without the end mark of a PDF"],
    [9, undefined, undefined, "9 bytes arrived, without the end mark of a PDF"],
    [9, undefined, broke, "9 bytes arrived, and then the connection broke (other side closed on [redacted])"],
  ])("after %s bytes of %s", (receivedBytes, promisedBytes, cause, told) => {
    const error = cutOff(headOf(200), { receivedBytes, promisedBytes }, call, cause);
    expect(error.message).toBe(begin + told + end);
    expect(error).toMatchObject({ ...facts, status: 200, receivedBytes });
    expect(error.promisedBytes).toBe(promisedBytes);
    expect("cause" in error).toBe(cause !== undefined);
  });
});

describe("a limit that was reached", () => {
  const received = { receivedBytes: 5, promisedBytes: 9 };
  const template = 'template "inv \\"7\\""';

  it.each([
    [
      "connect",
      9,
      `Could not connect to the service at https://pdf.example.com for ${template} within 70 ms, \`timeouts.connect\`. Check \`baseUrl\`, and that the service can be reached from here; then try again.`,
    ],
    [
      "firstByte",
      9,
      `The service at https://pdf.example.com sent no byte of a document for ${template} within 70 ms, \`timeouts.firstByte\`; it may have been rendered all the same. Raise the limit if rendering takes that long; else try again later.`,
    ],
    [
      "stall",
      9,
      `The document for ${template} from https://pdf.example.com stopped arriving after 5 of 9 bytes: no more came for 70 ms, \`timeouts.stall\`. Do not use what arrived; generate it again.`,
    ],
    [
      "stall",
      undefined,
      `The document for ${template} from https://pdf.example.com stopped arriving after 5 bytes: no more came for 70 ms, \`timeouts.stall\`. Do not use what arrived; generate it again.`,
    ],
    [
      "unread",
      9,
      `The document for ${template} was not read within 70 ms, \`timeouts.unread\`, so its connection was given up. Read it as soon as it is there, or raise the limit.`,
    ],
  ] as const)("%s, of %s bytes", (phase, promisedBytes, told) => {
    const error = timedOut(phase, 70, { ...received, promisedBytes }, headOf(200), call);
    expect(error.message).toBe(`${told} Tried 3 times.`);
    expect(error).toMatchObject({ ...facts, phase, limitMs: 70, status: 200 });
  });

  it("on connecting at the first attempt says that nothing was sent", () => {
    const first = timedOut("connect", 70, received, undefined, { ...call, attempts: 1, note: "" });
    expect(first.message).toContain(" within 70 ms, `timeouts.connect`. Nothing was sent. Check `baseUrl`");
  });

  it("before any answer has no facts of one", () => {
    const error = timedOut("firstByte", 70, received, undefined, call);
    expect(error).toMatchObject({ ...facts, phase: "firstByte", limitMs: 70 });
    expect(error).not.toHaveProperty("status");
  });

  it("within the body of an error", () => {
    const error = refusalOver(70, headOf(500), call);
    expect(error.message).toBe("The rest of the answer did not come within 70 ms.");
    expect(error).toMatchObject({ ...facts, phase: "stall", limitMs: 70, status: 500 });
  });

  it("over everything, before anything was sent, says what did not end", () => {
    expect(totalOver(70, 0, call, undefined).message).toBe(
      `Nothing was sent for ${template} within 70 ms, \`timeouts.total\`: the function given as \`apiKey\`, or the template's schema, did not come to an end.`,
    );
  });

  it.each([
    [1, ""],
    [2, " Tried 2 times."],
  ])("over everything, after %d attempts", (attempts, tried) => {
    const error = totalOver(70, attempts, call, undefined);
    expect(error.message).toBe(
      `No whole document for ${template} came from https://pdf.example.com within 70 ms, \`timeouts.total\`. Raise it if that is not long enough; else try again later.${tried}`,
    );
    expect(error).toMatchObject({ attempts, phase: "total", limitMs: 70 });
    expect(error).not.toHaveProperty("cause");
    const cause = new Error("before");
    expect(totalOver(70, attempts, call, cause).cause).toBe(cause);
  });
});
