import type { ClientOptions } from "template-pdf";
import { ApiError, ConfigurationError, TruncatedPdfError } from "template-pdf";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { callHook, noHooks } from "../../src/options/hooks.ts";
import {
  type Answer,
  beginning,
  cutOffAfter,
  inTurn,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  strayRejections,
  turns,
  withLength,
} from "../support/service.ts";
import { generate, outputMethods, readAt, stages } from "./every-form.ts";
import { passTime, stopTime, withoutBackOff } from "./timing.ts";

const pdf = pdfOf(2_000);
const completePdf = withLength(pdf, { "x-request-id": "id-1" });
const started = beginning(pdf.subarray(0, 1_000), { "content-length": "2000" });
const truncated = cutOffAfter(pdf, 1_000);

type RecordedEvent = readonly [name: string, event: Record<string, unknown>];

const errorsIn = (recorded: readonly RecordedEvent[]) =>
  recorded.filter(([name]) => name === "error").map(([, { error }]) => error);

/** Creates hooks that record every event in order. */
function recordingHooks() {
  const recorded: RecordedEvent[] = [];
  const recorderOf = (name: string) => (event: object) => void recorded.push([name, { ...event }]);
  const names = ["request", "response", "retry", "error"];
  const hooks: ClientOptions["hooks"] = Object.fromEntries(names.map((name) => [name, recorderOf(name)]));
  return { hooks, recorded, names: () => recorded.map(([name, { attempt }]) => `${name} ${attempt}`) };
}

beforeEach(withoutBackOff);

it("an event is not created for a hook that is not set", () => {
  const event = vi.fn();
  callHook(noHooks, "request", event);
  expect(event).not.toHaveBeenCalled();
});

describe("hooks", () => {
  const start = async (answer: Answer, more: ClientOptions = {}) => {
    const service = await Service.start(answer);
    const recording = recordingHooks();
    const client = service.client({ retry: { limit: 1 }, hooks: recording.hooks, ...more });
    return { service, client, ...recording };
  };

  it("receive only the request and the response of a successful call", async () => {
    const { client, service, recorded } = await start(completePdf);
    await generate(client).bytes();
    const call = recorded[0]?.[1]["call"];
    const common = { call: expect.any(Number), uid: "inv_2024", attempt: 1, elapsedMs: expect.any(Number) };
    expect(recorded).toEqual([
      [
        "request",
        { ...common, method: "POST", url: `${service.baseUrl}/api/v1/templates/inv_2024/generate-sync` },
      ],
      ["response", { ...common, status: 200, requestId: "id-1", contentLength: pdf.length }],
    ]);
    expect(recorded[1]?.[1]["call"]).toBe(call);
    await generate(client).bytes();
    expect(recorded[2]?.[1]["call"]).not.toBe(call);
  });

  it("receive the time since the call began", async () => {
    stopTime();
    await passTime(100_000);
    const { client, service, recorded } = await start(() => {});
    const bytes = generate(client).bytes();
    const received = await service.request();
    await passTime(2_000);
    completePdf(received);
    await bytes;
    expect(recorded.map(([, { elapsedMs }]) => elapsedMs)).toEqual([0, 2_000]);
  });

  it.each([
    ["an error response", saying(503, "", { "retry-after": "0" }), ApiError, / Try again later\.$/],
    ["a truncated document", truncated, TruncatedPdfError, / Generate it again\.$/],
  ])("receive every attempt in order if %s is retried", async (_, answer, ErrorClass, message) => {
    const { client, recorded, names } = await start(inTurn(answer, completePdf));
    await generate(client).bytes();
    expect(names()).toEqual(["request 1", "response 1", "retry 1", "request 2", "response 2"]);
    expect(recorded[2]?.[1]).toMatchObject({ error: expect.any(ErrorClass), delayMs: 0 });
    const facts = { attempts: 1, message: expect.stringMatching(message) };
    expect(recorded[2]?.[1]["error"]).toMatchObject(facts);
  });

  it("receive the failure once, with the same error object as the caller", async () => {
    const { client, recorded, names } = await start(saying(500));
    const error = await rejectionOf(generate(client).bytes());
    expect(names()).toEqual(["request 1", "response 1", "retry 1", "request 2", "response 2", "error 2"]);
    expect(recorded[5]?.[1]["error"]).toBe(error);
  });

  it("receive the failure of a call that did not send a request", async () => {
    const { client, recorded } = await start(completePdf);
    const error = await rejectionOf(client.generate("..", {}).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(recorded).toEqual([["error", expect.objectContaining({ attempt: 0, error })]]);
  });

  it.each(outputMethods)(
    "receive one failure of a call that is cancelled while %s is read",
    async (_, read) => {
      for (const stage of stages) {
        const { client, service, recorded } = await start(started);
        const controller = new AbortController();
        const reason = new Error("enough");
        const pending = generate(client, { signal: controller.signal });
        const failure = rejectionOf(readAt(stage, pending, read));
        await service.request();
        controller.abort(reason);
        await failure;
        await pending.cancel(new Error("again"));
        await turns();
        expect(errorsIn(recorded)).toEqual([reason]);
      }
    },
  );

  it.each([2_000, 200_000])(
    "receive a failure if a document of %i bytes is cancelled before it is read",
    async (size) => {
      const { client, recorded } = await start(withLength(pdfOf(size)));
      const document = await generate(client);
      await turns();
      await document.cancel("enough");
      await rejectionOf(document.bytes());
      expect(errorsIn(recorded)).toEqual(["enough"]);
    },
  );

  it.each(outputMethods)("receive no failure after %s has read the complete document", async (_, read) => {
    for (const stage of stages) {
      const { client, names } = await start(completePdf);
      const controller = new AbortController();
      const pending = generate(client, { signal: controller.signal });
      await readAt(stage, pending, read);
      await pending.cancel();
      await (await pending).cancel();
      await (await pending)[Symbol.asyncDispose]();
      await rejectionOf((await pending).bytes());
      controller.abort();
      await turns();
      expect(names()).toEqual(["request 1", "response 1"]);
    }
  });

  it("of a client apply to derived clients unless those have their own hooks", async () => {
    const { client, names } = await start(completePdf);
    await generate(client.with({ maxBytes: 5_000 })).bytes();
    expect(names()).toHaveLength(2);
    const own = recordingHooks();
    await generate(client.with({ hooks: own.hooks })).bytes();
    expect(names()).toHaveLength(2);
    expect(own.names()).toEqual(["request 1", "response 1"]);
  });

  it("can cancel the call before a request or a retry is sent", async () => {
    for (const name of ["request", "response", "retry"] as const) {
      const service = await Service.start(saying(503));
      const controller = new AbortController();
      const apiKey = vi.fn(() => "key-of-the-tests");
      const errors: unknown[] = [];
      const hooks = {
        [name]: () => controller.abort(name),
        error: ({ error }: { error: unknown }) => void errors.push(error),
      };
      const client = service.client({ apiKey, retry: { limit: 1 }, hooks });
      expect(await rejectionOf(generate(client, { signal: controller.signal }).bytes())).toBe(name);
      // close() waits for calls in flight, so another request would be recorded before it returns.
      await rejectionOf(generate(client.with({ hooks: {} }), { retry: false }).bytes());
      expect(service.requests).toHaveLength(name === "request" ? 1 : 2);
      expect(apiKey).toHaveBeenCalledTimes(2);
      expect(errors).toEqual([name]);
    }
  });

  it("do not affect a call if they throw, reject, never settle, return an invalid thenable or change the event", async () => {
    const fail = () => {
      throw new Error("of the hook");
    };
    const then = "then";
    const hostile: ((event: object) => unknown)[] = [
      fail,
      async () => fail(),
      () => new Promise(() => {}),
      () => Object.defineProperty({}, then, { value: fail }),
      () => Object.defineProperty({}, then, { get: fail }),
      (event) => Object.assign(event, { uid: "other", error: undefined }),
    ];
    for (const hook of hostile) {
      const hooks = { request: hook, response: hook, retry: hook, error: hook } as ClientOptions["hooks"];
      const service = await Service.start(inTurn(saying(503), completePdf, saying(404)));
      const client = service.client({ retry: { limit: 1 }, hooks });
      const stray = await strayRejections(async () => {
        expect(pdf.equals(await generate(client).bytes())).toBe(true);
        expect(await rejectionOf(generate(client).bytes())).toMatchObject({ status: 404, attempts: 1 });
      });
      expect(stray).toEqual([]);
    }
  });

  it("receive frozen events", async () => {
    const events: object[] = [];
    const record = (event: object) => void events.push(event);
    const hooks = { request: record, response: record, retry: record, error: record };
    const { client } = await start(saying(503), { hooks });
    await rejectionOf(generate(client).bytes());
    expect(events).toHaveLength(6);
    for (const event of events) {
      expect(Object.isFrozen(event)).toBe(true);
      expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    }
  });
});

it.each([
  [{ requests: () => {} }, /^Unknown hooks option `requests`\. Known options: request, /],
  [{ request: "log" }, /`hooks.request` to be a function/],
  [() => {}, /`hooks` to be an object/],
  [null, /`hooks` to be an object/],
])("the hooks %o throw a ConfigurationError", async (hooks, message) => {
  const service = await Service.start(completePdf);
  expect(() => service.client({ hooks: hooks as never })).toThrow(message);
});
