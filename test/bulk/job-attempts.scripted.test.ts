import { expect, it } from "vitest";
import {
  type AttemptStep,
  attemptIsCancelled,
  connectionBreaks,
  documentIsComplete,
  documentIsTruncated,
  documentIsUnreadTooLong,
  firstByteTimesOut,
  fulfilled,
  otherJobSucceeds,
  playJob,
  type RunSettings,
  rejected,
  serviceIsNotReached,
  serviceResponds,
  totalTimesOut,
  totalTimesOutUnsent,
  useIgnoresDocument,
} from "./scripted-job.ts";

interface JobCase {
  /** What happens to each attempt of the job, and between them. */
  attempts: AttemptStep[];
  run?: RunSettings;
  expected: {
    /** What the job calls, with the ticket of the request. `pace` calls end with Retry-After in milliseconds. */
    calls: string[];
    /** `undefined` if the next run will generate the document. */
    result: unknown;
    /** Default: true. */
    isSentAtOnce?: boolean;
  };
}

async function expectCalls({ attempts, run, expected }: JobCase): Promise<void> {
  expect(await playJob(attempts, run)).toEqual({ isSentAtOnce: true, ...expected });
}

const oneHourMs = 3_600_000;

it.each(
  Object.entries<JobCase>({
    "sends its request at once if a turn is free": {
      attempts: [documentIsComplete],
      expected: { calls: ["pace.passed(1)"], result: fulfilled(1) },
    },
    "is rejected without a request if it is not admitted": {
      attempts: [documentIsComplete],
      run: { isNotAdmitted: true },
      expected: { calls: [], result: rejected(0, "not admitted"), isSentAtOnce: false },
    },
    "is left to the next run if the run ends before its first turn": {
      attempts: [documentIsComplete],
      run: { turns: 0 },
      expected: { calls: ["run.leave()"], result: undefined, isSentAtOnce: false },
    },
    "is rejected without a request if its signal is aborted before its first turn": {
      attempts: [documentIsComplete],
      run: { turns: 0, isAbortedAfterTurns: true },
      expected: { calls: [], result: rejected(0, "aborted"), isSentAtOnce: false },
    },
    "reports the request of a mock client as unsent": {
      attempts: [documentIsComplete],
      run: { isClientMocked: true },
      expected: { calls: ["client.generate(t)", "pace.unsent(1)"], result: fulfilled(0) },
    },
  }),
)("a job %s", (_, job) => expectCalls(job));

it.each(
  Object.entries<JobCase>({
    "is retried after a 500, but not after a 404": {
      attempts: [serviceResponds(500), serviceResponds(404)],
      expected: {
        calls: ["pace.passed(1)", "run.again(250)", "pace.passed(2)"],
        result: rejected(2, "status 404"),
      },
    },
    "is retried after a truncated document, but not after its last retry": {
      attempts: [documentIsTruncated, documentIsUnreadTooLong],
      expected: {
        calls: ["pace.passed(1)", "run.again(250)", "pace.passed(2)"],
        result: rejected(2, "unread timeout"),
      },
    },
    "is not retried after `timeouts.total`": {
      attempts: [totalTimesOut],
      expected: { calls: ["pace.passed(1)"], result: rejected(1, "total timeout") },
    },
    "reports Retry-After to the pace, which delays the whole run, and to hooks": {
      attempts: [serviceResponds(503, 7_000), serviceResponds(429, oneHourMs)],
      expected: {
        calls: [
          "pace.overloaded(1, 7000)",
          "retry hook: 7000 ms",
          "run.again(250)",
          "pace.refused(2, 3600000)",
        ],
        result: rejected(2, "status 429"),
      },
    },
    "stops the run if Retry-After exceeds one hour": {
      attempts: [serviceResponds(429, oneHourMs + 1)],
      expected: {
        calls: [
          "run.stop(the service requests a delay of 3600.1 s, which exceeds the limit of one hour, status 429)",
          "pace.passed(1)",
        ],
        result: rejected(
          1,
          "status 429 Not retried: the service requests a delay of 3600.1 s, which exceeds the limit of one hour.",
        ),
      },
    },
    "does not count a 429 toward its retry limit if another job has succeeded since the previous 429": {
      attempts: [otherJobSucceeds, serviceResponds(429), serviceResponds(429), serviceResponds(429)],
      expected: {
        calls: ["pace.refused(1)", "run.again(125)", "pace.refused(2)", "run.again(250)", "pace.refused(3)"],
        result: rejected(3, "status 429"),
      },
    },
    "is not retried after a 429 without retries, even if another job has succeeded": {
      attempts: [otherJobSucceeds, serviceResponds(429)],
      run: { retries: 0 },
      expected: { calls: ["pace.refused(1)"], result: rejected(1, "status 429") },
    },
  }),
)("a job %s", (_, job) => expectCalls(job));

it.each(
  Object.entries<JobCase>({
    "restarts the pace if its document ends an outage": {
      attempts: [documentIsComplete],
      run: { watch: "outage that ends with a response" },
      expected: {
        calls: ["watch.answered(1)", "pace.restart()", "pace.passed(1)", "watch.settled(1)"],
        result: fulfilled(1),
      },
    },
    "reports a 404 as a response of the service": {
      attempts: [serviceResponds(404)],
      run: { watch: "available" },
      expected: {
        calls: ["watch.answered(1)", "pace.passed(1)", "watch.settled(1)"],
        result: rejected(1, "status 404"),
      },
    },
    "reports a 503 as unserved, with its Retry-After": {
      attempts: [serviceResponds(503, 7_000)],
      run: { watch: "available", retries: 0 },
      expected: {
        calls: ["watch.failed(1, unserved)", "pace.overloaded(1, 7000)", "watch.settled(1)"],
        result: rejected(1, "status 503"),
      },
    },
    "reports a response that does not begin in time as unserved": {
      attempts: [firstByteTimesOut],
      run: { watch: "available", retries: 0 },
      expected: {
        calls: ["watch.failed(1, unserved)", "pace.overloaded(1)", "watch.settled(1)"],
        result: rejected(1, "firstByte timeout"),
      },
    },
    "reports a broken connection as unserved": {
      attempts: [connectionBreaks],
      run: { watch: "available", retries: 0 },
      expected: {
        calls: ["watch.failed(1, unserved)", "pace.overloaded(1)", "watch.settled(1)"],
        result: rejected(1, "connection broke"),
      },
    },
    "reports `timeouts.total` as unserved if the request was sent": {
      attempts: [totalTimesOut],
      run: { watch: "available" },
      expected: {
        calls: ["watch.failed(1, unserved)", "pace.passed(1)", "watch.settled(1)"],
        result: rejected(1, "total timeout"),
      },
    },
    "does not report `timeouts.total` to the watch if the request was not sent": {
      attempts: [totalTimesOutUnsent],
      run: { watch: "available" },
      expected: {
        calls: ["pace.unsent(1)", "watch.settled(1)"],
        result: rejected(0, "total timeout"),
      },
    },
  }),
)("a job that watches the service %s", (_, job) => expectCalls(job));

it.each(
  Object.entries<JobCase>({
    "gets extra retries after a 500 while no other job shows that the service responds": {
      attempts: [serviceResponds(500), serviceResponds(500), serviceResponds(500), serviceResponds(404)],
      run: { watch: "available" },
      expected: {
        calls: [
          ...["watch.failed(1, unserved)", "run.wantUntried()", "pace.passed(1)", "watch.settled(1)"],
          "run.again(250)",
          ...["watch.failed(2, unserved)", "run.wantUntried()", "pace.passed(2)", "watch.settled(2)"],
          "run.again(250)",
          ...["watch.failed(3, unserved)", "run.wantUntried()", "pace.passed(3)", "watch.settled(3)"],
          "run.again(250)",
          ...["watch.answered(4)", "pace.passed(4)", "watch.settled(4)"],
        ],
        result: rejected(4, "status 404"),
      },
    },
    "gets no extra retry after a 500 if there is no other job": {
      attempts: [serviceResponds(500), serviceResponds(500)],
      run: { watch: "available", hasOtherJobs: false },
      expected: {
        calls: [
          ...["watch.failed(1, unserved)", "run.wantUntried()", "pace.passed(1)", "watch.settled(1)"],
          "run.again(250)",
          ...["watch.failed(2, unserved)", "run.wantUntried()", "pace.passed(2)", "watch.settled(2)"],
        ],
        result: rejected(2, "status 500"),
      },
    },
    "gets no extra retry after a 500 if another job has succeeded since its previous attempt": {
      attempts: [serviceResponds(500), otherJobSucceeds, serviceResponds(500)],
      run: { watch: "available" },
      expected: {
        calls: [
          ...["watch.failed(1, unserved)", "run.wantUntried()", "pace.passed(1)", "watch.settled(1)"],
          "run.again(250)",
          ...["watch.failed(2, unserved)", "pace.passed(2)", "watch.settled(2)"],
        ],
        result: rejected(2, "status 500"),
      },
    },
    "does not test the service with another job before its last attempt": {
      attempts: [otherJobSucceeds, serviceResponds(429), serviceResponds(500), serviceResponds(500)],
      run: { watch: "available", retries: 3, turns: 3 },
      expected: {
        calls: [
          ...["watch.answered(1)", "pace.refused(1)", "watch.settled(1)"],
          "run.again(125)",
          ...["watch.failed(2, unserved)", "pace.passed(2)", "watch.settled(2)"],
          "run.again(250)",
          ...["watch.failed(3, unserved)", "pace.passed(3)", "watch.settled(3)"],
          "run.again(500)",
        ],
        result: rejected(3, "status 500"),
      },
    },
    "is not retried after a 501 if `retry.mayRenderTwice` is false": {
      attempts: [serviceResponds(501)],
      run: { watch: "available", mayRenderTwice: false },
      expected: {
        calls: ["watch.failed(1, unserved)", "run.wantUntried()", "pace.passed(1)", "watch.settled(1)"],
        result: rejected(1, "status 501 Not retried: `retry.mayRenderTwice` is false."),
      },
    },
  }),
)("a job %s", (_, job) => expectCalls(job));

it.each(
  Object.entries<JobCase>({
    "is left to the next run if the run ends before the service is reached": {
      attempts: [serviceIsNotReached],
      run: { watch: "outage", mayRenderTwice: false, turns: 1 },
      expected: {
        calls: [
          "watch.failed(1, unreached)",
          "run.onOutage(service not reached)",
          "pace.lost(1)",
          "watch.settled(1)",
          "retry hook: 30000 ms",
          "run.again(125)",
        ],
        result: undefined,
      },
    },
    "is not retried after a 500 if `retry.mayRenderTwice` is false": {
      attempts: [serviceResponds(500, 7_000)],
      run: { watch: "outage", mayRenderTwice: false },
      expected: {
        calls: [
          "watch.failed(1, unserved)",
          "run.onOutage(status 500)",
          "pace.lost(1, 7000)",
          "watch.settled(1)",
        ],
        result: rejected(1, "status 500 Not retried: `retry.mayRenderTwice` is false."),
      },
    },
    "is not retried without retries": {
      attempts: [serviceIsNotReached],
      run: { watch: "outage", retries: 0 },
      expected: {
        calls: [
          "watch.failed(1, unreached)",
          "run.onOutage(service not reached)",
          "pace.lost(1)",
          "watch.settled(1)",
        ],
        result: rejected(1, "service not reached"),
      },
    },
    "does not count an unserved attempt toward its retry limit": {
      attempts: [serviceResponds(500), serviceResponds(404)],
      run: { watch: "outage" },
      expected: {
        calls: [
          "watch.failed(1, unserved)",
          "run.onOutage(status 500)",
          "pace.lost(1)",
          "watch.settled(1)",
          "retry hook: 30000 ms",
          "run.again(125)",
          "watch.answered(2)",
          "pace.passed(2)",
          "watch.settled(2)",
        ],
        result: rejected(2, "status 404"),
      },
    },
    "is not retried after `timeouts.total`": {
      attempts: [totalTimesOut],
      run: { watch: "outage" },
      expected: {
        calls: [
          "watch.failed(1, unserved)",
          "run.onOutage(total timeout)",
          "pace.passed(1)",
          "watch.settled(1)",
        ],
        result: rejected(1, "total timeout"),
      },
    },
    "is rejected with the reason of its own signal": {
      attempts: [serviceResponds(500)],
      run: { watch: "outage", turns: 1, isAbortedAfterTurns: true },
      expected: {
        calls: [
          "watch.failed(1, unserved)",
          "run.onOutage(status 500)",
          "pace.lost(1)",
          "watch.settled(1)",
          "retry hook: 30000 ms",
          "run.again(125)",
        ],
        result: rejected(1, "aborted"),
      },
    },
    "is rejected if the run ends after the service has responded with 429": {
      attempts: [serviceResponds(429)],
      run: { watch: "outage", turns: 1 },
      expected: {
        calls: [
          "watch.answered(1)",
          "pace.refused(1)",
          "watch.settled(1)",
          "retry hook: 30000 ms",
          "run.again(250)",
        ],
        result: rejected(1, "status 429"),
      },
    },
  }),
)("a job in an outage %s", (_, job) => expectCalls(job));

it.each(
  Object.entries<JobCase>({
    "is rejected with an explanation if `use` does not read the document": {
      attempts: [useIgnoresDocument],
      expected: {
        calls: ["call.cancel()", "pace.passed(1)"],
        result: rejected(
          1,
          expect.stringContaining("`use` returned before the document of job 7 was read completely."),
        ),
      },
    },
    "is rejected with the error of its document if `use` throws another": {
      attempts: [serviceResponds(404)],
      run: { use: "throws its own error" },
      expected: { calls: ["pace.passed(1)"], result: rejected(1, "status 404") },
    },
    "is rejected with the error that `use` throws after a complete document": {
      attempts: [documentIsComplete],
      run: { use: "throws its own error" },
      expected: { calls: ["pace.passed(1)", "call.cancel()"], result: rejected(1, "upload failed") },
    },
    "is rejected with the error that `use` throws after the attempt is cancelled": {
      attempts: [attemptIsCancelled],
      run: { use: "throws its own error", watch: "available" },
      expected: {
        calls: ["call.cancel()", "call.cancel()", "pace.passed(1)", "watch.settled(1)"],
        result: rejected(1, "upload failed"),
      },
    },
    "is retried and rejected after failures that `use` does not throw": {
      attempts: [serviceResponds(500), serviceResponds(404)],
      run: { use: "returns despite the error" },
      expected: {
        calls: ["pace.passed(1)", "run.again(250)", "pace.passed(2)"],
        result: rejected(2, "status 404"),
      },
    },
  }),
)("a job %s", (_, job) => expectCalls(job));

it("a job gets at most 8 extra retries while no other job shows that the service responds", async () => {
  const attempts = Array.from({ length: 11 }, () => serviceResponds(500));
  const { result } = await playJob(attempts, { watch: "available" });
  expect(result).toEqual(rejected(10, "status 500"));
});
