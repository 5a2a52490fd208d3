import { gzipSync } from "node:zlib";
import { answer, type Fault, fault } from "../../../src/service/faults/fault-script.ts";
import { faults } from "../../../src/testing/faults.ts";
import { drip } from "../drip.ts";
import { type Gets, type Group, type Row, row, type SecondTry } from "../row.ts";

/** The published faults for what every program meets, and an answer of no special kind for the rest. */
const published: { readonly [status: number]: Fault | undefined } = {
  401: faults.unauthorized(),
  429: faults.rateLimited(),
  500: faults.serverError(),
  503: faults.serverError({ status: 503 }),
};

const json = { "content-type": "application/json" };

function problem(status: number): Fault {
  const plain = fault(String(status), () => answer(status, `{"title":"Status ${status}"}`, json));
  return { ...(published[status] ?? plain), name: String(status) } as Fault;
}

const redirect = (status: number): Row =>
  row(
    fault(`${status} to another address`, () =>
      answer(status, "", { location: "http://127.0.0.1:1/elsewhere" }),
    ),
    `ApiError ${status}`,
    "not tried",
  );

const limited = (
  name: string,
  retryAfter: () => string,
  secondTry: SecondTry = "heals",
  note?: string,
): Row =>
  row(
    fault(`429 with \`Retry-After\`: ${name}`, () => answer(429, "{}", { "retry-after": retryAfter() })),
    "RateLimitError 429",
    secondTry,
    note === undefined ? {} : { note },
  );

const refused: readonly (readonly [status: number, gets: Gets])[] = [
  [400, "BadRequestError 400"],
  [401, "AuthenticationError 401"],
  [403, "PermissionError 403"],
  [404, "NotFoundError 404"],
  [413, "ApiError 413"],
  [418, "ApiError 418"],
  [422, "BadRequestError 422"],
  [501, "ServerError 501"],
];

const passing: readonly (readonly [status: number, gets: Gets])[] = [
  [408, "ApiError 408"],
  [429, "RateLimitError 429"],
  [500, "ServerError 500"],
  [502, "ServerError 502"],
  [503, "ServerError 503"],
  [504, "ServerError 504"],
];

export const statuses: Group = {
  title: "An answer that is an error",
  rows: [
    ...[301, 302, 303, 307, 308].map(redirect),
    row(problem(304), "ApiError 304", "not tried"),
    ...refused.map(([status, gets]) => row(problem(status), gets, "not tried")),
    row(problem(407), "ApiError 407", "not tried", {
      fetch: "ConnectionError",
      secondTryByFetch: "heals",
      note: "`fetch` takes it for its own proxy's and gives no answer",
    }),
    row(problem(421), "ApiError 421", "not tried", {
      requestsByFetch: 2,
      secondTryByFetch: "unseen",
      note: "`fetch` asks again by itself, on another connection",
    }),
    ...passing.map(([status, gets]) => row(problem(status), gets, "heals")),
    row(problem(999), "ServerError 999", "not tried"),
  ],
};

export const waits: Group = {
  title: "When to try again",
  rows: [
    limited("a tenth of a second", () => "0.1"),
    limited("a date", () => new Date(Date.now() + 1_000).toUTCString()),
    limited("a date that has passed", () => new Date(Date.now() - 60_000).toUTCString()),
    limited("no number", () => "soon"),
    limited("below zero", () => "-5"),
    limited("three years", () => "94608000", "not tried", "too long to wait: the error says so at once"),
  ],
};

const html = "<!doctype html><title>502 Bad Gateway</title><center>nginx</center>";
const saying = (detail: string) => JSON.stringify({ detail });

export const errorBodies: Group = {
  title: "An error whose own body is broken",
  rows: [
    row(
      fault("502 with an HTML page", () => answer(502, html, { "content-type": "text/html" })),
      "ServerError 502",
      "heals",
    ),
    row(
      fault("503 with broken JSON", () =>
        answer(503, '{"detail": "half', { "content-type": "application/json" }),
      ),
      "ServerError 503",
      "heals",
    ),
    row(
      fault("500 with 10 MB", () => answer(500, Buffer.alloc(10_000_000, "x"))),
      "ServerError 500",
      "heals",
    ),
    row(
      fault("503 whose body stops in the middle", () => [
        ...answer(503, saying("overloaded"), { "content-length": "5000" }),
        { do: "stall" },
      ]),
      "ServerError 503",
      "heals",
      { timeouts: { stall: 200 } },
    ),
    row(
      fault("503 whose body comes byte by byte for ever", () => [
        { do: "head", status: 503, headers: { "content-length": "5000" } },
        ...drip(Buffer.alloc(5_000, "x"), 1, 20),
      ]),
      "ServerError 503",
      "heals",
      { timeouts: { stall: 200 } },
    ),
    row(
      fault("503 whose body is cut off", () => [
        ...answer(503, saying("overloaded"), { "content-length": "5000" }),
        { do: "end" },
      ]),
      "ServerError 503",
      "heals",
    ),
    row(
      fault("503 whose gzip is none", () =>
        answer(503, saying("overloaded"), { "content-encoding": "gzip", "content-type": "application/json" }),
      ),
      "ServerError 503",
      "heals",
    ),
    row(
      fault("503 whose gzip is damaged", () => {
        const packed = gzipSync(saying("overloaded, ".repeat(1_000)));
        return answer(503, packed.fill(0xff, packed.length >> 1), { "content-encoding": "gzip" });
      }),
      "ServerError 503",
      "heals",
    ),
    row(
      fault("403 in a coding that nobody knows", () =>
        answer(403, "\u0001\u0002\u0003", { "content-encoding": "compress" }),
      ),
      "PermissionError 403",
      "not tried",
    ),
  ],
};
