import * as errors from "template-pdf";
import { beforeEach, expect, it, vi } from "vitest";
import { type Answer, cutOffAfter, inTurn, saying, withLength } from "../support/service.ts";
import { byNumber, generate, jobsOf, numberOf, small } from "./many.ts";

const resetConnection: Answer = ({ socket }) => socket.resetAndDestroy();
const neverRespond: Answer = () => {};

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));

it("a job's attempts continue after a 503 and after a truncated document, and are counted", async () => {
  const answer = inTurn(saying(503), cutOffAfter(small, 500), withLength(small));
  const { result, sent } = await generate(answer, jobsOf(1), {}, { retry: {} });
  expect({ ...result, sent }).toMatchObject({ status: "fulfilled", attempts: 3, sent: 3 });
});

interface LastAttempt {
  answer: Answer;
  /** The `retry` option of the run. The client has one retry. */
  retry: object | false | undefined;
  total?: number;
  expected: { attempts: number; kind: unknown; message: RegExp };
}

it.each(
  Object.entries<LastAttempt>({
    "after the client's last retry": {
      answer: saying(500),
      retry: undefined,
      expected: { attempts: 2, kind: errors.ServerError, message: / Tried 2 times\.$/ },
    },
    "after the run's last retry": {
      answer: saying(500),
      retry: { limit: 3 },
      expected: { attempts: 4, kind: errors.ServerError, message: / Tried 4 times\.$/ },
    },
    "if the run has no retries": {
      answer: saying(500),
      retry: false,
      expected: { attempts: 1, kind: errors.ServerError, message: /500/ },
    },
    "after a non-retryable status": {
      answer: saying(404),
      retry: {},
      expected: { attempts: 1, kind: errors.NotFoundError, message: /404/ },
    },
    "when `timeouts.total` has elapsed": {
      answer: neverRespond,
      retry: {},
      total: 60,
      expected: { attempts: 1, kind: errors.TimeoutError, message: /within 60 ms/ },
    },
    "if `mayRenderTwice` is false": {
      answer: resetConnection,
      retry: { mayRenderTwice: false },
      expected: { attempts: 1, kind: errors.ConnectionError, message: /is false\.$/ },
    },
  }),
)("a job's attempts end with an explanatory error %s", async (_, { answer, retry, total, expected }) => {
  const timeouts = total === undefined ? {} : { total };
  const { result } = await generate(answer, jobsOf(1), { retry }, { retry: { limit: 1 }, timeouts });
  const { attempts, kind, message } = expected;
  expect(result).toMatchObject({ attempts, error: { attempts, message: expect.stringMatching(message) } });
  expect(result?.error).toBeInstanceOf(kind);
});

it("a job's attempts trigger the `retry` hook for each retry and the `error` hook once", async () => {
  const calls: unknown[] = [];
  const hook = (name: string) => (event: { attempt: number; delayMs?: number }) =>
    void calls.push([name, event.attempt, event.delayMs ?? []].flat().join(" "));
  const hooks = { request: hook("request"), retry: hook("retry"), error: hook("error") };
  await generate(saying(500), jobsOf(1), {}, { retry: { limit: 1 }, hooks: hooks as never });
  expect(calls).toEqual(["request 1", "retry 1 0", "request 2", "error 2"]);
});

it("a Retry-After of more than one hour stops the run", async () => {
  const answer = byNumber({ 2: saying(429, "", { "retry-after": "86400" }) });
  const { results, error } = await generate(answer, jobsOf(50), { concurrency: 1 }, { retry: {} });
  const why = "the service requests a delay of 86400 s, which exceeds the limit of one hour";
  expect(error).toMatchObject({ name: "RunStoppedError", why, cause: expect.any(errors.RateLimitError) });
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
});

it("a 429 does not count toward the retry limit if another job has succeeded", async () => {
  let [answered, refusals] = [0, 0];
  const answer: Answer = async (received) => {
    const before = answered++;
    if (numberOf(received) > 0 || refusals === 5) return withLength(small)(received);
    refusals++;
    while (answered < before + 4) await new Promise((resolve) => setImmediate(resolve));
    return saying(429)(received);
  };
  const { results } = await generate(answer, jobsOf(60), { concurrency: 2 }, { retry: { limit: 1 } });
  expect(results.find(({ index }) => index === 0)).toMatchObject({ status: "fulfilled", attempts: 6 });
});
