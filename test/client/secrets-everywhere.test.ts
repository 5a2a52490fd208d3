import { join } from "node:path";
import { inspect } from "node:util";
import type { ClientOptions, PendingPdf } from "template-pdf";
import * as errors from "template-pdf";
import { describe, expect, it } from "vitest";
import { hasFullDevice } from "../support/platform.ts";
import {
  type Answer,
  inTurn,
  pdfOf,
  type Received,
  rejectionOf,
  Service,
  transports,
  withLength,
} from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { plainKey, secretValues, trickyKey, values } from "./canaries.ts";
import { collectOutput, leaksIn } from "./leaks.ts";
import { withoutBackOff } from "./timing.ts";

const pdf = pdfOf(200_000);

/** Everything that was sent, as one line that is valid in a header. */
const echoOf = ({ headers, body }: Received) =>
  `${headers.authorization} ${body.replace(/[^\x20-\x7e]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)} ${secretValues[1]}`;

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
const errorResponse =
  (then: Answer = silent): Answer =>
  (received) => {
    received.response.writeHead(400, { ...echoing(received), "content-length": "99999" });
    received.response.write(echoOf(received), () => then(received));
  };
const encoded: Answer = (received) =>
  echo(200, echoOf, { "content-encoding": `x-${received.headers.authorization}` })(received);
const truncated = beginning(({ socket }) => socket.destroy());

type Use = (pending: PendingPdf, service: Service) => Promise<unknown>;
/** One failure of a call. */
interface Failure {
  readonly title: string;
  readonly expectedError: unknown;
  readonly response: () => Answer;
  readonly options?: ClientOptions;
  /** How the document is read. Default: `bytes()`. */
  readonly use?: Use;
}

const readLate: Use = async (pending) => (await pending).bytes();
const savedAs =
  (path: string): Use =>
  (pending) =>
    pending.saveTo(path.startsWith("/") ? path : join(temporaryFolder(), path));
const unread: Use = async (pending, service) => {
  const document = await pending;
  await (await service.request()).closed;
  return document.bytes();
};
const twice: Use = async (pending) => {
  const document = await pending;
  await document.stream().cancel();
  return document.bytes();
};

const retried = { "retry-after": "0" };
const badLine: Answer = (received) => received.socket.end(`${echoOf(received)}\r\n\r\n`);
const complete = beginning(({ response }) => response.end(pdf.subarray(100_000)));
const fullDisk: Failure = {
  title: "saving to a full disk",
  expectedError: errors.SaveError,
  response: () => complete,
  use: savedAs("/dev/full"),
};

/** Every failure that a service can cause: its title, the expected error, and the response. */
const failures: readonly Failure[] = [
  { title: "a 400 response", expectedError: errors.BadRequestError, response: () => echo(400) },
  { title: "a 401 response", expectedError: errors.AuthenticationError, response: () => echo(401) },
  { title: "a 403 response", expectedError: errors.PermissionError, response: () => echo(403, bodies[1]) },
  { title: "a 404 response", expectedError: errors.NotFoundError, response: () => echo(404) },
  { title: "a retried 429 response", expectedError: errors.RateLimitError, response: () => echo(429) },
  {
    title: "a long Retry-After",
    expectedError: errors.ServerError,
    response: () => echo(503, bodies[0], { "retry-after": "9999" }),
  },
  { title: "a redirect", expectedError: errors.ApiError, response: () => echo(307) },
  {
    title: "a stalled error response",
    expectedError: errors.ApiError,
    response: () => errorResponse(),
    options: { timeouts: { stall: 60 } },
  },
  {
    title: "a truncated error response",
    expectedError: errors.BadRequestError,
    response: () => errorResponse(closing),
  },
  {
    title: "an HTML response with status 200",
    expectedError: errors.InvalidPdfError,
    response: () => echo(200, bodies[1]),
  },
  { title: "an unknown content-encoding", expectedError: errors.InvalidPdfError, response: () => encoded },
  {
    title: "a truncated document on every attempt",
    expectedError: errors.TruncatedPdfError,
    response: () => truncated,
  },
  {
    title: "an awaited document that is truncated",
    expectedError: errors.TruncatedPdfError,
    response: () => truncated,
    use: readLate,
  },
  {
    title: "a document larger than maxBytes",
    expectedError: errors.OversizedPdfError,
    response: () => beginning(),
    options: { maxBytes: 1_000 },
  },
  {
    title: "a closed connection on every attempt",
    expectedError: errors.ConnectionError,
    response: () => closing,
  },
  { title: "an invalid status line", expectedError: errors.ConnectionError, response: () => badLine },
  {
    title: "a timeout before the first byte",
    expectedError: errors.TimeoutError,
    response: () => silent,
    options: { timeouts: { firstByte: 60 } },
  },
  {
    title: "a stalled document",
    expectedError: errors.TimeoutError,
    response: () => beginning(),
    options: { timeouts: { stall: 60 } },
  },
  {
    title: "an unread document",
    expectedError: errors.TimeoutError,
    response: () => beginning(),
    options: { timeouts: { unread: 30 } },
    use: unread,
  },
  {
    title: "a total timeout after an error response",
    expectedError: errors.TimeoutError,
    response: () => inTurn(echo(503, bodies[0], retried), silent),
    options: { timeouts: { total: 1_500 } },
  },
  {
    title: "saving to a missing folder",
    expectedError: errors.SaveError,
    response: () => beginning(),
    use: savedAs("none/doc.pdf"),
  },
  ...(hasFullDevice ? [fullDisk] : []),
  {
    title: "a saved document that is truncated",
    expectedError: errors.TruncatedPdfError,
    response: () => truncated,
    use: savedAs("doc.pdf"),
  },
  { title: "a second read", expectedError: TypeError, response: () => beginning(), use: twice },
];

// Each failure is tested with both transports and both keys, but not in all four combinations.
describe.each([
  ["undici", trickyKey],
  ["fetch", plainKey],
] as const)("a client over %s", (name, apiKey) => {
  const options = Object.fromEntries(transports)[name];

  it.each(failures.map(({ title, ...failure }) => [title, failure] as const))(
    "does not expose the key or the values in any output after %s",
    async (title, { expectedError, response, options: ownOptions, use = (pending) => pending.bytes() }) => {
      withoutBackOff();
      const service = await Service.start(response());
      const { places, error } = await collectOutput(async (hooks) => {
        const client = service.client({ retry: { limit: 1 }, ...options, apiKey, ...ownOptions, hooks });
        const pending = client.generate("inv", values);
        const failure = await rejectionOf(use(pending, service));
        return { client, pending, error: failure, document: await pending.catch(() => undefined) };
      });
      expect(error).toBeInstanceOf(expectedError);
      expect(leaksIn(places, apiKey)).toEqual([]);
      // The process warns once, on standard error, too.
      const printed = title === "an unread document" ? /^$|TemplatePdfWarning/ : /^$/;
      expect({ standardOutput: places["standard output"], warnings: places["warnings"] }).toEqual({
        standardOutput: expect.stringMatching(printed),
        warnings: expect.stringMatching(printed),
      });
    },
  );

  it.each([
    ["quoted file name", (key: string) => `attachment; filename="${key.replace(/["\\]/g, "\\$&")}.pdf"`],
    ["encoded file name", (key: string) => `attachment; filename*=UTF-8''a${encodeURIComponent(key)}.pdf`],
  ])("does not expose the key if a document's request ID and %s contain the key", async (_, disposition) => {
    const headers = { "x-request-id": `id ${apiKey}`, "x-echo": apiKey };
    const named = { ...headers, "content-disposition": disposition(apiKey) };
    const service = await Service.start(withLength(pdf, named));
    const { places } = await collectOutput(async (hooks) => {
      const pending = service.client({ ...options, apiKey, hooks }).generate("inv", values);
      const document = await pending;
      const error = inspect([...document.headers]);
      await document.bytes();
      return { pending, document, error };
    });
    expect(leaksIn(places, apiKey)).toEqual([]);
    expect(places["the document"]).toContain("id [redacted]");
  });
});

describe("a client with an `authorization` header of its own", () => {
  const encoded = (text: string, encoding: BufferEncoding = "base64") => Buffer.from(text).toString(encoding);
  const password = "pässwört-CANARY";
  const basic = `Basic ${encoded(`user:${password}`)}`;
  const digest = `Digest username="jo", response="0a1b2c3d-CANARY", nonce="0099-CANARY", qop=auth`;
  const bearers = "Bearer first-CANARY, Bearer second-CANARY";

  it.each([
    ["the whole header", digest, digest],
    ["a part of it", digest, "response 0a1b2c3d-CANARY is wrong"],
    ["two of several tokens", bearers, "neither second-CANARY nor first-CANARY"],
    ["a token in hexadecimal", bearers, encoded("first-CANARY", "hex")],
    ["the encoded password", basic, basic],
    ["the decoded password", basic, `no user:${password}, ${password}`],
    ["the password in a URL", basic, encodeURIComponent(password)],
    ["the password in other base64 text", basic, encoded(`the password ${password}`)],
  ])("does not expose its credentials if the service repeats %s", async (_, authorization, echoed) => {
    const service = await Service.start(({ response }) => {
      const id = echoed.replace(/[^\x20-\x7e]/g, encodeURIComponent);
      response.writeHead(422, { "x-request-id": id, "x-echo": id });
      response.end(JSON.stringify({ message: echoed }));
    });
    const { places } = await collectOutput(async (hooks) => {
      const client = service.client({ apiKey: null, headers: { authorization }, hooks });
      return { error: await rejectionOf(client.generate("inv", values).bytes()) };
    });
    const secrets = [
      "CANARY",
      "43414e415259",
      ...["", "a", "ab"].map((before) => encoded(`${before}CANARY`).slice(4, 8)),
    ];
    for (const [place, text] of Object.entries(places))
      for (const secret of secrets) expect(text, place).not.toContain(secret);
    expect(places["the error"]).toContain("[redacted]");
  });
});

it("A custom `fetch` that throws an error with a `digest` does not expose the key", async () => {
  const service = await Service.start(silent);
  const { places, error } = await collectOutput(async (hooks) => {
    const fetch: typeof globalThis.fetch = async (_, init) => {
      throw Object.assign(new Error(`failed with ${JSON.stringify(init?.headers)}`), { digest: "x" });
    };
    const client = service.client({ apiKey: plainKey, retry: { limit: 0 }, fetch, hooks });
    return { error: await rejectionOf(client.generate("inv", values).bytes()) };
  });
  expect(error).toBeInstanceOf(errors.ConnectionError);
  expect(leaksIn(places, plainKey)).toEqual([]);
});

/** Checks that the search finds secrets, so that the tests above can fail. */
it.each([
  new AggregateError([new Error("bad", { cause: new Error(values.customer) })]),
  new Error("bad", { cause: { deep: { deep: { deep: [plainKey] } } } }),
  Object.defineProperty(new Error("bad"), "hidden", { value: { plainKey } }),
  Object.assign(new Error("bad"), { toJSON: () => encodeURIComponent(values.customer) }),
])("leaksIn() finds a secret in every kind of output: %o", async (thrown) => {
  const { places } = await collectOutput(async (hooks) => {
    hooks?.retry?.({ error: new Error(plainKey) } as never);
    process.emitWarning(plainKey);
    process.stdout.write(plainKey);
    await new Promise((resolve) => setImmediate(resolve));
    return { error: thrown, document: { filename: plainKey } as never };
  });
  const found = ["the error", "the hook retry", "the document", "warnings", "standard output"];
  expect(leaksIn(places, plainKey).sort()).toEqual(found.sort());
});
