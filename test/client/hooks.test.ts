import type { ClientOptions, Progress } from "template-pdf";
import { ApiError, ConfigurationError, TemplatePdf, TruncatedPdfError } from "template-pdf";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Answer,
  beginning,
  cutOffAfter,
  inChunks,
  inTurn,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  strayRejections,
  turns,
  withLength,
} from "../support/service.ts";
import { generate, readAt, stages } from "./every-form.ts";
import { passTime, stopTime, withoutBackOff } from "./timing.ts";

const pdf = pdfOf(2_000);
const completePdf = withLength(pdf, { "x-request-id": "id-1" });
const started = beginning(pdf.subarray(0, 1_000), { "content-length": "2000" });
const truncated = cutOffAfter(pdf, 1_000);
const large = pdfOf(200_000);
const completeLarge = withLength(large);

type RecordedEvent = readonly [name: string, event: { readonly [property: string]: unknown }];

const errorsIn = (recorded: readonly RecordedEvent[]) =>
  recorded.filter(([name]) => name === "error").map(([, { error }]) => error);

/** Creates hooks that record every event in order. */
function recordingHooks() {
  const recorded: RecordedEvent[] = [];
  const recorderOf = (name: string) => (event: RecordedEvent[1]) => void recorded.push([name, event]);
  const names = ["request", "response", "retry", "error"];
  const hooks: ClientOptions["hooks"] = Object.fromEntries(names.map((name) => [name, recorderOf(name)]));
  return { hooks, recorded, names: () => recorded.map(([name, { attempt }]) => `${name} ${attempt}`) };
}

beforeEach(withoutBackOff);

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
    await generate(client).bytes();
    const [call, , next] = recorded.map(([, event]) => event["call"]);
    const common = { call, uid: "inv_2024", attempt: 1, elapsedMs: expect.any(Number) };
    const url = `${service.baseUrl}/api/v1/templates/inv_2024/generate-sync`;
    expect(recorded.slice(0, 2)).toEqual([
      ["request", { ...common, method: "POST", url }],
      ["response", { ...common, status: 200, requestId: "id-1", contentLength: pdf.length }],
    ]);
    expect([call, next]).toEqual([expect.any(Number), (call as number) + 1]);
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

  it("receive frozen events, and the failure once, with the same error object as the caller", async () => {
    const { client, recorded, names } = await start(saying(500));
    const error = await rejectionOf(generate(client).bytes());
    expect(names()).toEqual(["request 1", "response 1", "retry 1", "request 2", "response 2", "error 2"]);
    expect(recorded[5]?.[1]["error"]).toBe(error);
    for (const [, event] of recorded) {
      expect(Object.isFrozen(event)).toBe(true);
      expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    }
  });

  it("receive the failure of a call that did not send a request", async () => {
    const { client, recorded } = await start(completePdf);
    const error = await rejectionOf(client.generate("..", {}).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(recorded).toEqual([["error", expect.objectContaining({ attempt: 0, error })]]);
  });

  it.each(stages)("receive one failure of a call that is cancelled while %s is read", async (stage) => {
    const { client, service, recorded } = await start(started);
    const controller = new AbortController();
    const reason = new Error("enough");
    const pending = generate(client, { signal: controller.signal });
    const failure = rejectionOf(readAt(stage, pending, (from) => from.bytes()));
    await service.request();
    controller.abort(reason);
    await failure;
    await pending.cancel(new Error("again"));
    await turns();
    expect(errorsIn(recorded)).toEqual([reason]);
  });

  it.each([2_000, 200_000])("receive one failure if %i unread bytes are cancelled", async (size) => {
    const { client, recorded } = await start(withLength(pdfOf(size)));
    const document = await generate(client);
    await turns();
    await document.cancel("enough");
    await rejectionOf(document.bytes());
    expect(errorsIn(recorded)).toEqual(["enough"]);
  });

  it("of a client apply to derived clients unless those have their own hooks", async () => {
    const { client, names } = await start(completePdf);
    const own = recordingHooks();
    for (const options of [{ maxBytes: 5_000 }, { hooks: own.hooks }])
      await generate(client.with(options)).bytes();
    expect([names(), own.names()]).toEqual(Array(2).fill(["request 1", "response 1"]));
  });

  it.each(["request", "response", "retry"] as const)("can cancel the call in the %s hook", async (name) => {
    const service = await Service.start(saying(503));
    const controller = new AbortController();
    const apiKey = vi.fn(() => "key-of-the-tests");
    const error = vi.fn();
    const hooks = { [name]: () => controller.abort(name), error };
    const client = service.client({ apiKey, retry: { limit: 1 }, hooks });
    expect(await rejectionOf(generate(client, { signal: controller.signal }).bytes())).toBe(name);
    // close() waits for calls in flight, so another request would arrive before it returns.
    await client.close();
    expect(service.requests).toHaveLength(name === "request" ? 0 : 1);
    expect(apiKey).toHaveBeenCalledTimes(1);
    expect(error.mock.calls).toEqual([[expect.objectContaining({ error: name })]]);
  });

  it("do not affect a call if they throw, reject, never settle or change the event", async () => {
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
});

it.each([
  [{ requests: () => {} }, /^Unknown hooks option `requests`\. Known options: request, /],
  [{ request: "log" }, /`hooks.request` to be a function/],
])("a client rejects the hooks %o with a ConfigurationError", (hooks, message) => {
  const options = { baseUrl: "https://pdf.example.com", apiKey: "key", hooks: hooks as never };
  expect(() => new TemplatePdf(options)).toThrow(message);
});

describe("onProgress", () => {
  const start = async (answer: Answer) => {
    const client = (await Service.start(answer)).client({ retry: { limit: 1 } });
    const received: Progress[] = [];
    return { client, received, onProgress: (progress: Progress) => void received.push(progress) };
  };

  it.each([
    ["with a total", completeLarge, large.length],
    ["without a total if the response has no content-length", inChunks(large), undefined],
  ])("receives the number of bytes that have arrived, %s", async (_, answer, totalBytes) => {
    const { client, received, onProgress } = await start(answer);
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(received.at(-1)).toEqual({ receivedBytes: large.length, totalBytes });
    const counts = received.map(({ receivedBytes }) => receivedBytes);
    expect(counts).toEqual([...new Set(counts)].sort((one, other) => one - other));
    expect(received.every((progress) => progress.totalBytes === totalBytes)).toBe(true);
  });

  it("restarts if the request of a truncated document is retried", async () => {
    const { client, received, onProgress } = await start(inTurn(cutOffAfter(large, 1_000), completeLarge));
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(received[0]?.receivedBytes).toBeLessThanOrEqual(1_000);
    expect(received.at(-1)?.receivedBytes).toBe(large.length);
  });

  it("is not called for a response that is not a PDF", async () => {
    const { client, received, onProgress } = await start(inTurn(saying(404, "gone"), saying(200, "<html>")));
    for (let calls = 0; calls < 2; calls++) await rejectionOf(client.generate("inv", {}, { onProgress }));
    expect(received).toEqual([]);
  });

  it("is not called after the call is cancelled, even by the callback itself", async () => {
    const { client } = await start(completeLarge);
    const controller = new AbortController();
    const onProgress = vi.fn(() => controller.abort(new Error("enough")));
    const pending = client.generate("inv", {}, { onProgress, signal: controller.signal }).bytes();
    await expect(pending).rejects.toThrow("enough");
    expect(onProgress).toHaveBeenCalledTimes(1);
  });

  it("does not affect the document if it throws or rejects", async () => {
    const { client } = await start(completeLarge);
    const thrower = () => {
      throw new Error("broken bar");
    };
    for (const onProgress of [thrower, async () => thrower()])
      expect(await client.generate("inv", {}, { onProgress }).bytes()).toHaveLength(large.length);
  });
});
