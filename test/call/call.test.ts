import { describe, expect, it, vi } from "vitest";
import type { ClientOptions } from "../../src/options/client-options.ts";
import { headOf } from "../support/facts.ts";
import {
  bytesArrive,
  callIsCancelled,
  connectionBreaks,
  documentIsRead,
  documentIsSaved,
  documentIsStreamed,
  failed,
  headersArrive,
  requestIsSent,
  responseEnds,
  ScriptedCall,
  type Step,
  timePasses,
} from "../support/scripted-call.ts";

interface CallCase {
  /** What happens before `send` returns, in each attempt. Default: the request is sent. */
  duringSend?: Step[];
  steps: Step[];
  options?: ClientOptions;
  /** What the call does then, except to abort its exchange. */
  expected: unknown[];
}

const pdfHeadersArrive = headersArrive(headOf(200, { "x-request-id": "r sk-live-123" }));
const documentBegins: Step[] = [pdfHeadersArrive, bytesArrive("%PDF-")];
const documentArrives: Step[] = [pdfHeadersArrive, bytesArrive("%PDF-%%EOF"), responseEnds];
/** The service responds with 503 and asks for a delay of one second. */
const serviceIsBusy: Step[] = [headersArrive(headOf(503, { "retry-after": "1" })), responseEnds];
const retryAfterIsAlmostOver: Step = ({ events }) => void events.push("Retry-After is almost over");
const documentBecomesReplaceable: Step = (scripted) => {
  scripted.isReplaceable = true;
};
const anotherCallIsRejected: Step = (scripted) => {
  scripted.context.isClosed = true;
  scripted.addCall().start();
};
const totalOfOneSecond: ClientOptions = { timeouts: { total: 1_000 } };

async function expectEvents({ steps, expected, ...parts }: CallCase): Promise<void> {
  const scripted = new ScriptedCall(parts);
  await scripted.play(...steps);
  expect(scripted.eventsWithout("aborted")).toEqual(expected);
}

it.each(
  Object.entries<CallCase>({
    "is retried twice after Retry-After, and then fails with the number of attempts": {
      steps: [
        ...serviceIsBusy,
        timePasses(999),
        retryAfterIsAlmostOver,
        timePasses(1_001),
        ...serviceIsBusy,
        timePasses(999),
        retryAfterIsAlmostOver,
        timePasses(1_001),
        ...serviceIsBusy,
        timePasses(1),
      ],
      expected: [
        "opened",
        "document replaced",
        "Retry-After is almost over",
        "opened",
        "document replaced",
        "Retry-After is almost over",
        "opened",
        failed(4_000, / again in 1 s. Tried 3 times.$/),
      ],
    },
    "is not retried if Retry-After exceeds the rest of `timeouts.total`": {
      steps: [timePasses(600), ...serviceIsBusy, timePasses(1)],
      options: totalOfOneSecond,
      expected: ["opened", failed(600, / again in 1 s. Not retried: a delay of 1 s /)],
    },
    "is not retried after a 503 if `retry.mayRenderTwice` is false": {
      steps: [...serviceIsBusy, timePasses(1)],
      options: { retry: { mayRenderTwice: false } },
      expected: ["opened", failed(0, / again in 1 s. Not retried: `retry.mayR/)],
    },
    "is not retried after a truncated document that the caller has seen": {
      steps: [...documentBegins, connectionBreaks, timePasses(600)],
      expected: ["opened", "document begins", failed(0, / truncated .* again.$/)],
    },
    "is retried after a truncated document that the caller has not seen": {
      steps: [
        ...documentBegins,
        documentBecomesReplaceable,
        documentIsRead(),
        connectionBreaks,
        timePasses(600),
      ],
      expected: ["opened", "document begins", "document replaced", "opened"],
    },
    "is not retried after a truncated document that is a stream": {
      steps: [
        ...documentBegins,
        documentBecomesReplaceable,
        documentIsStreamed,
        connectionBreaks,
        timePasses(600),
      ],
      expected: ["opened", "document begins", "paused", failed(0, / truncated .* again.$/)],
    },
  }),
)("A call %s", (_, call) => expectEvents(call));

it.each(
  Object.entries<CallCase>({
    "is not retried after a broken connection if it is cancelled in the same tick": {
      steps: [connectionBreaks, callIsCancelled, timePasses(600)],
      expected: ["opened", failed(0, /^cancelled$/)],
    },
    "fails once if it is cancelled twice": {
      steps: [callIsCancelled, callIsCancelled],
      expected: ["opened", failed(0, /^cancelled$/)],
    },
    "cannot be cancelled after an output has the document": {
      steps: [...documentArrives, documentIsRead(), callIsCancelled],
      expected: ["opened", "document begins", "document complete"],
    },
  }),
)("A call %s", (_, call) => expectEvents(call));

it.each(
  Object.entries<CallCase>({
    "fails after `timeouts.total` if no response arrives": {
      steps: [timePasses(2_000)],
      options: totalOfOneSecond,
      expected: ["opened", failed(1_000, /^Got no .*com for template "inv" within/)],
    },
    "fails after `timeouts.total` if its document is read before the limit and saved too slowly": {
      steps: [...documentArrives, timePasses(600), documentIsSaved, timePasses(2_000)],
      options: totalOfOneSecond,
      expected: ["opened", "document begins", failed(1_000, /^Got/)],
    },
    "starts `timeouts.total` again if its document is read at the limit": {
      steps: [...documentArrives, timePasses(1_000), documentIsSaved, timePasses(2_000)],
      options: totalOfOneSecond,
      expected: ["opened", "document begins", failed(2_000, /^Got/)],
    },
    "starts `timeouts.total` again if its document is read after the limit": {
      steps: [...documentArrives, timePasses(1_500), documentIsSaved, timePasses(2_000)],
      options: totalOfOneSecond,
      expected: ["opened", "document begins", failed(2_500, /^Got/)],
    },
    "applies a `timeouts.total` of the caller to a stream": {
      steps: [...documentBegins, documentIsStreamed, timePasses(2_000)],
      options: totalOfOneSecond,
      expected: ["opened", "document begins", "paused", failed(1_000, /^Got/)],
    },
    "does not apply the default `timeouts.total` to a stream": {
      steps: [...documentBegins, documentIsStreamed, timePasses(700_000)],
      expected: ["opened", "document begins", "paused"],
    },
    "does not apply the default `timeouts.total` to a stream that exists before `send` returns": {
      duringSend: [requestIsSent, ...documentBegins, documentIsStreamed],
      steps: [timePasses(700_000)],
      expected: ["opened", "document begins", "paused"],
    },
  }),
)("A call %s", (_, call) => expectEvents(call));

describe("A call's hooks", () => {
  const call = expect.any(Number);
  const first = { call, uid: "inv", attempt: 1 };
  const second = { call, uid: "inv", attempt: 2 };
  const post = { method: "POST", url: "https://pdf.example.com/api/v1/templates/inv/generate-sync" };
  const error = (message: RegExp) => {
    return { error: expect.objectContaining({ message: expect.stringMatching(message) }) };
  };

  /** Creates a call with hooks that record their events. */
  function callWithHooks(): ScriptedCall {
    const record = (event: unknown) => scripted.events.push(event);
    const hooks = { request: record, response: record, retry: record, error: record };
    const scripted: ScriptedCall = new ScriptedCall({ options: { hooks } });
    return scripted;
  }

  it("receive every event in the call's async context", async () => {
    const scripted = callWithHooks();
    const respondAndBreak = [...documentBegins, connectionBreaks, timePasses(10)];
    await scripted.play(timePasses(100), ...serviceIsBusy, timePasses(2_000), ...respondAndBreak);
    expect(scripted.events).toEqual([
      "captured the context",
      { ...first, elapsedMs: 0, ...post },
      "opened",
      "entered the context",
      { ...first, elapsedMs: 100, status: 503 },
      "document replaced",
      "entered the context",
      { ...first, elapsedMs: 100, delayMs: 1_000, ...error(/Try again in 1 s.$/) },
      "aborted",
      { ...second, elapsedMs: 1_101, ...post },
      "opened",
      "entered the context",
      { ...second, elapsedMs: 2_100, status: 200, requestId: "r [redacted]" },
      "document begins",
      "aborted",
      "entered the context",
      { ...second, elapsedMs: 2_100, ...error(/Generate it again. Tried 2 times.$/) },
      failed(2_100, /truncated/),
    ]);
  });

  it("receive the error of invalid arguments in the call's async context", () => {
    const scripted = callWithHooks();
    scripted.addCall(undefined, undefined, null as never).start();
    expect(scripted.events).toEqual([
      "captured the context",
      "captured the context",
      "entered the context",
      { call, uid: "", attempt: 0, elapsedMs: 0, ...error(/Expected a template uid/) },
      failed(0, /uid/),
    ]);
  });

  it("receive consecutive numbers for consecutive calls", () => {
    const scripted = callWithHooks();
    scripted.call.start();
    scripted.addCall().start();
    const numbers = scripted.events.flatMap((event) => (event as { call?: number }).call ?? []);
    expect(numbers).toEqual([numbers[0], Number(numbers[0]) + 1]);
  });

  it.each<[string, Step[], unknown[]]>([
    ["request", [], []],
    ["response", [pdfHeadersArrive], ["opened"]],
    ["retry", [...serviceIsBusy, timePasses(1)], ["opened", "document replaced"]],
  ])("can cancel the call without leaving a timer running: `%s`", async (name, steps, eventsBefore) => {
    const hooks = { [name]: () => void callIsCancelled(scripted) };
    const scripted: ScriptedCall = new ScriptedCall({ options: { verify: false, hooks } });
    await scripted.play(...steps);
    const events = scripted.eventsWithout("captured the context", "entered the context", "aborted");
    expect(events).toEqual([...eventsBefore, failed(0, /^cancelled$/)]);
    expect(vi.getTimerCount(), "the number of timers that are left").toBe(0);
  });
});

describe("A call", () => {
  it("is sent at once if its API key is a string", () => {
    const scripted = new ScriptedCall();
    scripted.call.start();
    expect(scripted.events).toEqual(["opened"]);
  });

  it("is not sent if it is cancelled while its API key function runs", async () => {
    const hooks = { request: () => scripted.events.push("request") };
    const options = { apiKey: async () => "sk-live-123", hooks };
    const scripted: ScriptedCall = new ScriptedCall({ options });
    await scripted.play(callIsCancelled, timePasses(10));
    expect(scripted.events).toEqual(["captured the context", failed(0, /^cancelled$/)]);
  });

  it("fails if the transport cannot be selected, for example because the global `fetch` is a getter that throws", async () => {
    const scripted = new ScriptedCall();
    scripted.context.calls.pool.current = () => {
      throw new Error("no fetch");
    };
    await scripted.play();
    expect(scripted.events).toEqual([failed(0, /^no fetch$/)]);
  });

  it("reports 0 attempts if the `request` hook cancels it before the first request", async () => {
    const attempts: number[] = [];
    const hooks = {
      request: () => void callIsCancelled(scripted),
      error: ({ attempt }: { attempt: number }) => attempts.push(attempt),
    };
    const scripted: ScriptedCall = new ScriptedCall({ options: { hooks } });
    await scripted.play();
    expect(attempts).toEqual([0]);
  });

  it("is not sent if it is cancelled before it starts", async () => {
    const scripted = new ScriptedCall();
    callIsCancelled(scripted);
    await scripted.play();
    expect(scripted.events).toEqual([failed(0, /^cancelled$/)]);
  });

  it("reports progress in its async context until an output cancels the call", async () => {
    const seen: unknown[] = [];
    const callOptions = { onProgress: (progress: unknown) => seen.push(progress) };
    const scripted: ScriptedCall = new ScriptedCall({ callOptions });
    let chunks = 0;
    /** The output takes the first chunk, and cancels the call at the second one. */
    const write = () => {
      chunks++;
      if (chunks === 2) callIsCancelled(scripted);
      return chunks < 2;
    };
    await scripted.play(...documentBegins, documentIsRead({ write }), bytesArrive("x"), timePasses(10));
    expect(seen, "progress before the chunk at which the call was cancelled").toEqual([
      { receivedBytes: 5, totalBytes: undefined },
    ]);
    expect(scripted.events).toEqual([
      "captured the context",
      "opened",
      "document begins",
      "entered the context",
      "aborted",
      failed(0, /^cancelled$/),
    ]);
  });

  it.each<[string, (abort: Step) => Step[]]>([
    ["before a received document is read", (abort) => [abort, documentIsSaved]],
    ["while a received document is read", (abort) => [documentIsSaved, abort]],
  ])("fails if its signal is aborted %s", async (_, inOrder) => {
    const controller = new AbortController();
    const abort = () => controller.abort(new Error("aborted"));
    const scripted = new ScriptedCall({ callOptions: { signal: controller.signal } });
    await scripted.play(...documentArrives, ...inOrder(abort), timePasses(10));
    expect(scripted.events).toEqual(["opened", "document begins", "aborted", failed(0, /^aborted$/)]);
  });

  it("reports its number of attempts and its error to a bulk run", async () => {
    const bulk = { attempts: 2, lastError: undefined, decide: vi.fn(), onWhole: vi.fn(), onFailed: vi.fn() };
    await new ScriptedCall({ bulk }).play(callIsCancelled);
    expect(bulk.onFailed.mock.calls).toEqual([[new Error("cancelled"), 3]]);
  });
});

describe("A closing client", () => {
  const inUse: Record<string, Step[]> = {
    "is arriving": documentBegins,
    "will be requested again": [...serviceIsBusy, timePasses(1)],
    "is being saved": [...documentArrives, documentIsSaved],
  };
  const idle: Record<string, Step[]> = {
    "has arrived": documentArrives,
    "was cancelled after it arrived": [...documentArrives, callIsCancelled],
    "has arrived, and another call was rejected": [...documentArrives, anotherCallIsRejected],
  };
  const oneMillisecond = () => vi.advanceTimersByTimeAsync(1);

  /** Takes the steps, and closes the client while another of its calls is pending. */
  async function closeAfter(steps: Step[]) {
    const scripted = new ScriptedCall();
    const other = scripted.addCall();
    await scripted.play(...steps);
    scripted.context.calls.close();
    await oneMillisecond();
    expect(scripted.events).not.toContain("closed the connections");
    return { scripted, other };
  }

  it.each(Object.entries({ ...inUse, ...idle }))(
    "rejects later calls and closes its connections once if a document %s",
    async (_, steps) => {
      const { scripted, other } = await closeAfter(steps);
      other.fail(new Error("cancelled"));
      callIsCancelled(scripted);
      await scripted.context.calls.close();
      scripted.context.isClosed = false;
      scripted.addCall().start();
      expect(scripted.events.filter((event) => event === "closed the connections")).toHaveLength(1);
      expect(scripted.events.at(-1)).toEqual(failed(0, /^This client is closed. Create another one.$/));
    },
  );

  it.each(Object.entries(inUse))("keeps its connections open while a document %s", async (_, steps) => {
    const { scripted, other } = await closeAfter(steps);
    other.fail(new Error("cancelled"));
    await oneMillisecond();
    expect(scripted.events).not.toContain("closed the connections");
    callIsCancelled(scripted);
    await oneMillisecond();
    expect(scripted.events).toContain("closed the connections");
  });

  it.each(Object.entries(idle))(
    "closes its connections with the last call if its document %s",
    async (_, steps) => {
      const { scripted, other } = await closeAfter(steps);
      other.fail(new Error("cancelled"));
      await oneMillisecond();
      expect(scripted.events).toContain("closed the connections");
    },
  );
});
