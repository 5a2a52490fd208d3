import { join } from "node:path";
import { inspect } from "node:util";
import type { ClientOptions, GeneratedPdf, PendingPdf } from "template-pdf";
import * as errors from "template-pdf";
import { describe, expect, it } from "vitest";
import { hasFullDevice } from "../support/platform.ts";
import {
  type Answer,
  pdfOf,
  type Received,
  rejectionOf,
  Service,
  transports,
  withLength,
} from "../support/service.ts";
import { plainKey, secretValues, trickyKey, values } from "./canaries.ts";
import { temporaryFolder } from "./every-form.ts";
import { collectOutput, leaksIn } from "./leaks.ts";
import { withoutBackOff } from "./timing.ts";

const pdf = pdfOf(200_000);

/** Everything that was sent, as one line that is valid in a header. */
const echoOf = ({ headers, body }: Received) =>
  `${headers.authorization} ${body.replace(/[^\x20-\x7e]/g, "?")} ${secretValues[1]}`;

/** Headers that repeat what was sent, with every name that the client reads and two that it does not. */
function echoing(received: Received): Record<string, string> {
  const echo = echoOf(received);
  const { authorization } = received.headers;
  const quoted = echo.replace(/["\\]/g, "\\$&");
  return {
    "x-request-id": echo,
    "request-id": echo,
    "content-disposition": `attachment; filename="${quoted}.pdf"; filename*=UTF-8''${encodeURIComponent(String(authorization))}.pdf`,
    "content-type": `text/html; echo="${quoted}"`,
    location: `https://user:${encodeURIComponent(String(authorization))}@elsewhere.test/${encodeURIComponent(echo)}?${echo}`,
    "retry-after": echo,
    "www-authenticate": `API-Key realm="${quoted}"`,
    "set-cookie": `key=${echo}`,
    "x-echo": echo,
  };
}

const bodies: readonly ((received: Received) => string)[] = [
  (received) =>
    JSON.stringify({
      message: echoOf(received),
      error: { message: received.body },
      detail: echoOf(received),
    }),
  (received) => `<html>${echoOf(received)}${received.body}`,
];

/** Responds with everything that was sent, in the status text, the headers and the body. */
function echo(status: number, body = bodies[0], more: Record<string, string> = {}): Answer {
  return (received) => {
    const { response } = received;
    response.writeHead(status, echoOf(received), { ...echoing(received), ...more });
    response.end(body?.(received));
  };
}

/** Starts a document with headers that repeat everything that was sent. */
function beginning(then: (received: Received) => unknown = () => {}): Answer {
  return (received) => {
    received.response.writeHead(200, { ...echoing(received), "content-length": pdf.length });
    received.response.write(pdf.subarray(0, 100_000), () => then(received));
  };
}

const silent: Answer = () => {};
const closing: Answer = ({ socket }) => socket.destroy();
const truncated = beginning(({ socket }) => socket.destroy());

/** The context of a failing call. */
interface Setting {
  readonly service: Service;
  readonly folder: string;
  /** The document, if the call awaited it. */
  document?: GeneratedPdf;
}

type Use = (pending: PendingPdf, setting: Setting) => Promise<unknown>;

const asBytes: Use = (pending) => pending.bytes();
const awaitThenRead: Use = async (pending, setting) => {
  setting.document = await pending;
  return setting.document.bytes();
};
const unread: Use = async (pending, setting) => {
  setting.document = await pending;
  await (await setting.service.request()).closed;
  return setting.document.bytes();
};
const twice: Use = async (pending, setting) => {
  setting.document = await pending;
  await setting.document.stream().cancel();
  return setting.document.bytes();
};
const savedAs =
  (path: string): Use =>
  (pending, { folder }) =>
    pending.saveTo(path.startsWith("/") ? path : join(folder, path));

/** Rejects the first attempt, and responds to the second with `answer`. */
function afterErrorResponse(answer: Answer): Answer {
  let count = 0;
  const errorResponse = echo(503, bodies[0], { "retry-after": "0" });
  return (received) => (count++ === 0 ? errorResponse : answer)(received);
}

type Row = [what: string, error: unknown, answer: () => Answer, options?: ClientOptions, use?: Use];

const fullDisk: Row = ["a full disk", errors.SaveError, () => completePdf, {}, savedAs("/dev/full")];

/** Every failure that a service can cause: its title, the expected error, and the response. */
const rows: readonly Row[] = [
  ["400", errors.BadRequestError, () => echo(400)],
  ["401", errors.AuthenticationError, () => echo(401)],
  ["403", errors.PermissionError, () => echo(403, bodies[1])],
  ["404", errors.NotFoundError, () => echo(404)],
  ["409", errors.ApiError, () => echo(409)],
  ["422", errors.BadRequestError, () => echo(422, bodies[1])],
  ["429, retried", errors.RateLimitError, () => echo(429)],
  ["500, retried", errors.ServerError, () => echo(500)],
  ["503, retried", errors.ServerError, () => echo(503, bodies[1], { "retry-after": "0" })],
  [
    "503 with a Retry-After over the limit",
    errors.ServerError,
    () => echo(503, bodies[0], { "retry-after": "9999" }),
  ],
  ["a redirect", errors.ApiError, () => echo(307)],
  [
    "an error response whose body stalls",
    errors.BadRequestError,
    () => stalledErrorResponse,
    { timeouts: { stall: 60 } },
  ],
  ["an error response whose body is truncated", errors.BadRequestError, () => truncatedErrorResponse],
  ["HTML with 200", errors.InvalidPdfError, () => echo(200, bodies[1])],
  ["JSON with 200", errors.InvalidPdfError, () => echo(200)],
  ["an unknown content-encoding", errors.InvalidPdfError, () => encoded],
  ["a truncated document, retried", errors.TruncatedPdfError, () => truncated],
  ["an awaited, truncated document", errors.TruncatedPdfError, () => truncated, {}, awaitThenRead],
  ["a document larger than maxBytes", errors.OversizedPdfError, () => beginning(), { maxBytes: 1_000 }],
  ["a closed connection, retried", errors.ConnectionError, () => closing],
  ["invalid headers", errors.ConnectionError, () => raw("HTTP/1.1 200 OK\r\n")],
  ["an invalid status line", errors.ConnectionError, () => raw("")],
  ["no first byte", errors.TimeoutError, () => silent, { timeouts: { firstByte: 60 } }],
  ["a stall", errors.TimeoutError, () => beginning(), { timeouts: { stall: 60 } }],
  [
    "a stall of an awaited document",
    errors.TimeoutError,
    () => beginning(),
    { timeouts: { stall: 60 } },
    awaitThenRead,
  ],
  [
    "a document that is not read",
    errors.TimeoutError,
    () => beginning(),
    { timeouts: { unread: 30 } },
    unread,
  ],
  [
    "a total timeout after an error response",
    errors.TimeoutError,
    () => afterErrorResponse(silent),
    { timeouts: { total: 400 } },
  ],
  ["an error response after a retried one", errors.BadRequestError, () => afterErrorResponse(echo(400))],
  ["a missing folder", errors.SaveError, () => beginning(), {}, savedAs("none/doc.pdf")],
  ...(hasFullDevice ? [fullDisk] : []),
  ["a saved document that is truncated", errors.TruncatedPdfError, () => truncated, {}, savedAs("doc.pdf")],
  ["a second read", TypeError, () => beginning(), {}, twice],
];
const completePdf = beginning(({ response }) => response.end(pdf.subarray(100_000)));

function stalledErrorResponse(received: Received): void {
  received.response.writeHead(400, echoing(received)).write(echoOf(received));
}

function truncatedErrorResponse(received: Received): void {
  received.response.writeHead(400, { ...echoing(received), "content-length": "99999" });
  received.response.write(echoOf(received), () => received.socket.destroy());
}

function encoded(received: Received): void {
  const coding = `x-${received.headers.authorization}`;
  received.response.writeHead(200, { ...echoing(received), "content-encoding": coding });
  received.response.end(echoOf(received));
}

function raw(begin: string): Answer {
  return (received) => received.socket.end(`${begin}${echoOf(received)}\r\n\r\n`);
}

describe.each(transports)("over %s", (_, options) => {
  describe.each([
    ["a plain key", plainKey],
    ["a key that needs escaping", trickyKey],
  ])("with %s, no output contains the key or a value after", (_, apiKey) => {
    it.each<Row>(rows)("%s", async (_, expected, answer, more = {}, use = asBytes) => {
      withoutBackOff();
      const setting: Setting = { service: await Service.start(answer()), folder: temporaryFolder() };
      const { places, error } = await collectOutput(async (hooks) => {
        const client = setting.service.client({ retry: { limit: 1 }, ...options, apiKey, ...more, hooks });
        const pending = client.generate("inv", values);
        return { client, pending, error: await rejectionOf(use(pending, setting)), ...setting };
      });
      expect(error).toBeInstanceOf(expected);
      expect(leaksIn(places, apiKey)).toEqual([]);
      expect(places["standard output"]).toBe("");
      expect(places["warnings"]).toBe("");
    });
  });

  it.each([
    ["a quoted name", (key: string) => `attachment; filename="${key.replace(/["\\]/g, "\\$&")}.pdf"`],
    ["a token", (key: string) => `attachment; filename=${key}`],
    ["an encoded name", (key: string) => `attachment; filename*=UTF-8''a${encodeURIComponent(key)}.pdf`],
  ])(
    "a document does not contain the key if the service repeats it in the request id and in %s",
    async (_, disposition) => {
      for (const apiKey of [plainKey, trickyKey]) {
        const service = await Service.start(
          withLength(pdf, {
            "x-request-id": `id ${apiKey}`,
            "content-disposition": disposition(apiKey),
            "x-echo": apiKey,
          }),
        );
        const { places } = await collectOutput(async (hooks) => {
          const client = service.client({ ...options, apiKey, hooks });
          const pending = client.generate("inv", values);
          const document = await pending;
          const headers = inspect([...document.headers]);
          await document.bytes();
          return { client, pending, document, error: headers };
        });
        expect(leaksIn(places, apiKey)).toEqual([]);
        expect(places["the document"]).toContain("id [redacted]");
      }
    },
  );
});

/** Checks that the search finds secrets, so that the tests above can fail. */
describe("the search", () => {
  it.each([
    ["message", new Error(`bad ${values.customer}`)],
    ["stack", Object.assign(new Error("bad"), { stack: `Error: bad\n    at ${plainKey}` })],
    ["inspection", new Error("bad", { cause: { deep: { deep: { deep: [plainKey] } } } })],
    ["properties", Object.defineProperty(new Error("bad"), "hidden", { value: { plainKey } })],
    ["JSON", Object.assign(new Error("bad"), { toJSON: () => encodeURIComponent(values.customer) })],
    ["message", new AggregateError([new Error("bad", { cause: new Error(plainKey) })])],
  ])("finds a secret in the %s of an error", async (place, thrown) => {
    const { places } = await collectOutput(async () => ({ error: thrown }));
    expect(leaksIn(places, plainKey)).toContain(place);
  });

  it("finds a secret in an event, a document, a warning and standard output", async () => {
    const { places } = await collectOutput(async (hooks) => {
      hooks?.retry?.({ error: new Error(plainKey) } as never);
      process.emitWarning(plainKey);
      process.stdout.write(plainKey);
      await new Promise((resolve) => setImmediate(resolve));
      return { error: undefined, document: { filename: plainKey } as never };
    });
    expect(leaksIn(places, plainKey)).toEqual([
      "the hook retry",
      "the document",
      "warnings",
      "standard output",
    ]);
  });
});
