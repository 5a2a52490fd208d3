import { gzipSync } from "node:zlib";
import { answer, type Fault, fault, pdfHead } from "../../../src/service/faults/faults.ts";
import { faults } from "../../../src/testing/faults.ts";
import { type Gets, group, type SecondTry } from "../row.ts";
import { drip, end, lines, type Script, stall, write } from "../steps.ts";

/** These header lines unchanged, and the document. */
const under =
  (headers: (length: number) => readonly string[]): Script =>
  (document) => [lines("HTTP/1.1 200 OK", ...headers(document.length)), write(document)];

/** A length, one more header line, and the document. */
const withLength = (line: (length: number) => string) =>
  under((length) => [`content-length: ${length}`, line(length)]);

/** These lines, and then a correct response. */
const after =
  (...before: readonly string[]): Script =>
  (document) => [lines(...before), pdfHead(document.length), write(document)];

const manyHeaders = Array.from({ length: 100 }, (_, index) => `x-${index}: ${"x".repeat(1_000)}`);

export const headers = group("Invalid headers", "ConnectionError", "heals", [
  ["a header line without a colon", withLength(() => "this is no header")],
  ["a NUL in a header", withLength(() => "x-note: a\0b")],
  ["100 kB of headers", withLength(() => manyHeaders.join("\r\n"))],
  ["an interim response with 100 kB of headers", after("HTTP/1.1 103 Early Hints", ...manyHeaders)],
  ["a length that is not a number", under(() => ["content-length: many"])],
  ["a negative length", under(() => ["content-length: -1"])],
  ["two different lengths", withLength((length) => `content-length: ${length - 1}`)],
  ["a length and chunked encoding", withLength(() => "transfer-encoding: chunked")],
  [
    "an unknown version of HTTP",
    (document) => [lines("HTTP/7.3 200 OK", `content-length: ${document.length}`), write(document)],
  ],
]);

export const interim = group("Data before the response", "whole", "not needed", [
  ["102 Processing", after("HTTP/1.1 102 Processing")],
  ["103 Early Hints, twice", after("HTTP/1.1 103 Early Hints", "link: </a>", "", "HTTP/1.1 103 Early Hints")],
  [
    "an unexpected 100 Continue",
    after("HTTP/1.1 100 Continue"),
    {
      fetch: "ConnectionError",
      secondTryByFetch: "heals",
      note: "the undici in `fetch` fails here",
    },
  ],
  [
    "101 Switching Protocols",
    after("HTTP/1.1 101 Switching Protocols", "upgrade: h2c", "connection: upgrade"),
    { gets: "ConnectionError", secondTry: "heals" },
  ],
  ["a response before the request has arrived", (document) => answer(200, document), { at: "connection" }],
  [
    "413 during the request, which is read completely",
    () => [...answer(413, '{"title":"Too large"}', { connection: "close" }), end],
    { at: "headers", gets: "ApiError 413", secondTry: "not tried", largeRequest: true },
  ],
]);

const json = { "content-type": "application/json" };

/** The statuses with a published fault. The other statuses get a plain response. */
const published: { readonly [status: number]: Fault | undefined } = {
  401: faults.unauthorized(),
  429: faults.rateLimited(),
  500: faults.serverError(),
  503: faults.serverError({ status: 503 }),
};

function problem(status: number): Fault {
  const plain = fault(String(status), () => answer(status, `{"title":"Status ${status}"}`, json));
  return { ...(published[status] ?? plain), name: String(status) } as Fault;
}

const refused: Readonly<Record<string, readonly number[]>> = {
  ApiError: [304, 413, 418],
  BadRequestError: [400, 422],
  AuthenticationError: [401],
  PermissionError: [403],
  NotFoundError: [404],
  ServerError: [501],
};

const transient: Readonly<Record<string, readonly number[]>> = {
  ApiError: [408],
  RateLimitError: [429],
  ServerError: [500, 502, 503, 504],
};

/** A row for each status, in ascending order. */
function errorsOf(statuses: Readonly<Record<string, readonly number[]>>, secondTry: SecondTry) {
  return Object.entries(statuses)
    .flatMap(([name, all]) => all.map((status) => [status, `${name} ${status}` as Gets] as const))
    .sort(([one], [other]) => one - other)
    .map(([status, gets]) => [problem(status), { gets, secondTry }] as const);
}

const location = { location: "http://127.0.0.1:1/elsewhere" };

export const statuses = group("Error responses", "ServerError 999", "not tried", [
  ...[301, 302, 303, 307, 308].map((status) => {
    const row = [`${status} to another address`, () => answer(status, "", location)] as const;
    return [...row, { gets: `ApiError ${status}` }] as const;
  }),
  ...errorsOf(refused, "not tried"),
  [
    problem(407),
    {
      gets: "ApiError 407",
      fetch: "ConnectionError",
      secondTryByFetch: "heals",
      note: "`fetch` treats it as the response of a proxy",
    },
  ],
  [
    problem(421),
    {
      gets: "ApiError 421",
      requestsByFetch: 2,
      secondTryByFetch: "unseen",
      note: "`fetch` retries automatically on another connection",
    },
  ],
  ...errorsOf(transient, "heals"),
  [problem(999)],
]);

/** A row for a 429 with a `Retry-After`. */
const limited = (what: string, retryAfter: () => string, more: object = {}) =>
  [
    `429 with \`Retry-After\`: ${what}`,
    () => answer(429, "{}", { "retry-after": retryAfter() }),
    more,
  ] as const;

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();

const tooLong = "the delay is too long, so the error is immediate";
export const retryAfter = group("Retry-After", "RateLimitError 429", "heals", [
  limited("a tenth of a second", () => "0.1"),
  limited("a date", () => inSeconds(1)),
  limited("a date in the past", () => inSeconds(-60)),
  limited("not a number", () => "soon"),
  limited("a negative number", () => "-5"),
  limited("three years", () => "94608000", { secondTry: "not tried", note: tooLong }),
]);

const html = "<!doctype html><title>502 Bad Gateway</title><center>nginx</center>";
const overloaded = '{"detail":"overloaded"}';
const soon = { timeouts: { stall: 200 } };
const promised = { "content-length": "5000" };

/** A body in gzip that is damaged in its middle. */
function damagedGzip(): Buffer {
  const packed = gzipSync(overloaded.repeat(1_000));
  return packed.fill(0xff, packed.length >> 1);
}

export const errorBodies = group("Error responses with a broken body", "ServerError 503", "heals", [
  ["502 with an HTML page", () => answer(502, html), { gets: "ServerError 502" }],
  ["503 with broken JSON", () => answer(503, '{"detail": "half', json)],
  ["500 with 10 MB", () => answer(500, Buffer.alloc(10_000_000, "x")), { gets: "ServerError 500" }],
  ["503 with a body that stalls", () => [...answer(503, overloaded, promised), stall], soon],
  [
    "503 with an endless body, byte by byte",
    () => [{ do: "head", status: 503, headers: promised }, ...drip(Buffer.alloc(5_000, "x"), 1, 20)],
    soon,
  ],
  ["503 with a truncated body", () => [...answer(503, overloaded, promised), end]],
  [
    "503 with a body that is not gzip",
    () => answer(503, overloaded, { "content-encoding": "gzip", ...json }),
  ],
  ["503 with damaged gzip", () => answer(503, damagedGzip(), { "content-encoding": "gzip" })],
  [
    "403 in an unknown content coding",
    () => answer(403, "\u0001\u0002\u0003", { "content-encoding": "compress" }),
    { gets: "PermissionError 403", secondTry: "not tried" },
  ],
]);
