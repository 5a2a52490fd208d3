import { type PendingPdf, TemplatePdf, type TemplatePdfError } from "template-pdf";
import { fakePdf } from "template-pdf/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { Attempt, type AttemptEnd } from "../../src/queue/attempt.ts";
import { freePort } from "../support/redis-server.ts";
import { type Answer, cutOffAfter, Service, saying } from "../support/service.ts";

const pdf = Buffer.from(fakePdf());
const job = { template: "t", values: { n: 1 } };
const read = (document: PendingPdf) => document.bytes();

interface Given {
  /** The number of previous attempts. */
  readonly previous?: number;
  readonly retry?: object | false;
  readonly use?: (document: PendingPdf) => Promise<unknown>;
}

/** Makes one attempt at a service, and returns its end without the error, and the error's code. */
async function attemptAt(answer: Answer, { previous = 0, retry, use = read }: Given = {}) {
  const service = await Service.start(answer);
  const client = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: "key" });
  onTestFinished(() => client.close());
  const attempt = new Attempt(previous);
  const end = await attempt.run(client, { job, index: 0 }, retry, use);
  expect(service.requests.length, "requests").toBeLessThanOrEqual(1);
  return end && shown(end);
}

function shown({ error, ...end }: AttemptEnd) {
  const { code, message } = error as TemplatePdfError;
  return { ...end, code: code ?? message };
}

const aDelay = expect.toSatisfy((delayMs) => delayMs > 0 && delayMs < 60_000, "a delay in milliseconds");
const isFinal = (code: string) => ({ how: "final", isAnswered: true, code });
const hangUp: Answer = ({ socket }) => socket.destroy();
const cut = cutOffAfter(pdf, 20);

describe("an attempt at a queued job", () => {
  it("ends without a result if the document is stored", async () => {
    expect(await attemptAt(saying(200, pdf))).toBeUndefined();
  });

  it.each<[status: number, code: string]>([
    [400, "bad_request"],
    [401, "authentication_failed"],
    [403, "permission_denied"],
    [404, "not_found"],
    [413, "api_error"],
    [422, "bad_request"],
  ])("is final after status %d", async (status, code) => {
    expect(await attemptAt(saying(status))).toEqual(isFinal(code));
  });

  it("does not reach a service that does not listen", async () => {
    const client = new TemplatePdf({ baseUrl: `http://127.0.0.1:${await freePort()}`, apiKey: "key" });
    onTestFinished(() => client.close());
    const end = await new Attempt(0).run(client, { job, index: 0 }, undefined, read);
    expect(end && shown(end)).toEqual({
      ...{ how: "unreached", retryAfterMs: undefined, delayMs: aDelay, mayRepeat: true },
      code: "connection_failed",
    });
  });

  it.each([502, 503, 504, 500])("finds the service unavailable after status %d", async (status) => {
    expect(await attemptAt(saying(status))).toEqual({
      ...{ how: "unserved", retryAfterMs: undefined, delayMs: aDelay, mayRepeat: true },
      code: expect.any(String),
    });
  });

  it.each<[what: string, answer: Answer, given: Given, end: object | undefined]>([
    [
      "is refused after 429",
      saying(429),
      {},
      { how: "refused", retryAfterMs: undefined, code: "rate_limited" },
    ],
    [
      "is refused after 429 for as long as the service says",
      saying(429, "", { "retry-after": "7" }),
      {},
      { how: "refused", retryAfterMs: 7_000, code: "rate_limited" },
    ],
    [
      "is refused after 429 however many attempts there were",
      saying(429),
      { previous: 50 },
      { how: "refused", retryAfterMs: undefined, code: "rate_limited" },
    ],
    ["is final after 429 without retries", saying(429), { retry: false }, isFinal("rate_limited")],
    [
      "is final after 429 if the document may not be rendered twice",
      saying(429),
      { retry: { mayRenderTwice: false } },
      isFinal("rate_limited"),
    ],
    [
      "waits as long as a 503 says",
      saying(503, "", { "retry-after": "3" }),
      {},
      { how: "unserved", retryAfterMs: 3_000, delayMs: aDelay, mayRepeat: true, code: "server_error" },
    ],
    [
      "has no attempts left after a 502 in the last attempt",
      saying(502),
      { previous: 2, retry: { limit: 2 } },
      { how: "unserved", retryAfterMs: undefined, delayMs: undefined, mayRepeat: true, code: "server_error" },
    ],
    [
      "does not repeat a 502 if the document may not be rendered twice",
      saying(502),
      { retry: { mayRenderTwice: false } },
      {
        how: "unserved",
        retryAfterMs: undefined,
        delayMs: undefined,
        mayRepeat: false,
        code: "server_error",
      },
    ],
    [
      "does not repeat a 502 without retries",
      saying(502),
      { retry: false },
      {
        how: "unserved",
        retryAfterMs: undefined,
        delayMs: undefined,
        mayRepeat: false,
        code: "server_error",
      },
    ],
    [
      "does not know whether a request was processed if the connection ends",
      hangUp,
      {},
      {
        how: "unserved",
        retryAfterMs: undefined,
        delayMs: aDelay,
        mayRepeat: true,
        code: "connection_failed",
      },
    ],
    [
      "finds the service unavailable after a truncated document",
      cut,
      {},
      { how: "unserved", retryAfterMs: undefined, delayMs: aDelay, mayRepeat: true, code: "truncated_pdf" },
    ],
    [
      "is transient after a 408",
      saying(408),
      {},
      { how: "transient", delayMs: aDelay, code: expect.any(String) },
    ],
    [
      "is final if the document is not a PDF",
      saying(200, "<html>"),
      { retry: false },
      isFinal("invalid_pdf"),
    ],
    [
      "is final if the sink rejects",
      saying(200, pdf),
      { use: () => Promise.reject(new Error("no space")) },
      { how: "final", isAnswered: false, code: "no space" },
    ],
    [
      "is final if the sink rejects after it has read the document",
      saying(200, pdf),
      { use: (document) => read(document).then(() => Promise.reject(new Error("no space"))) },
      { how: "final", isAnswered: true, code: "no space" },
    ],
    [
      "is final if the sink does not read the document",
      saying(200, pdf),
      { use: async () => {} },
      expect.objectContaining({ how: "final", code: "invalid_configuration" }),
    ],
  ])("%s", async (_what, answer, given, end) => {
    expect(await attemptAt(answer, given)).toEqual(end);
  });
});
