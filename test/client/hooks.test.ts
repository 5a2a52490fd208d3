import type { ClientOptions, Progress } from "template-pdf";
import { TemplatePdf } from "template-pdf";
import { beforeEach, describe, expect, it } from "vitest";
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
import { generate, readAt, stages } from "./output-methods.ts";
import { withoutBackOff } from "./timing.ts";

const pdf = pdfOf(2_000);
const completePdf = withLength(pdf, { "x-request-id": "id-1" });
const started = beginning(pdf.subarray(0, 1_000), { "content-length": "2000" });
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

  it("receive frozen events, and the same error as the caller", async () => {
    const { client, recorded, names } = await start(saying(500));
    const error = await rejectionOf(generate(client).bytes());
    expect(names()).toEqual(["request 1", "response 1", "retry 1", "request 2", "response 2", "error 2"]);
    expect(recorded[5]?.[1]["error"]).toBe(error);
    for (const [, event] of recorded) {
      expect(Object.isFrozen(event)).toBe(true);
      expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    }
  });

  it.each(stages)("receive one error if a call is cancelled while %s is being read", async (stage) => {
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

  it.each([2_000, 200_000])("receive one error if an unread %i-byte document is cancelled", async (size) => {
    const { client, recorded } = await start(withLength(pdfOf(size)));
    const document = await generate(client);
    await turns();
    await document.cancel("enough");
    await rejectionOf(document.bytes());
    expect(errorsIn(recorded)).toEqual(["enough"]);
  });

  it("apply to derived clients unless a derived client has its own hooks", async () => {
    const { client, names } = await start(completePdf);
    const own = recordingHooks();
    for (const options of [{ maxBytes: 5_000 }, { hooks: own.hooks }])
      await generate(client.with(options)).bytes();
    expect(names(), "the client's hooks").toEqual(["request 1", "response 1"]);
    expect(own.names(), "the hooks of the derived client").toEqual(["request 1", "response 1"]);
  });

  it("can be methods of an instance that has other properties", async () => {
    class Metrics {
      requests = 0;
      request() {
        this.requests += 1;
      }
    }
    const hooks = new Metrics();
    const { client } = await start(completePdf, { hooks });
    await generate(client).bytes();
    expect(hooks.requests).toBe(1);
  });

  it("do not affect a call even if they throw, reject or never settle", async () => {
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
])("a client rejects the invalid hooks %o", (hooks, message) => {
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
    ["and the total", completeLarge, large.length],
    ["but no total if the response has no content-length", inChunks(large), undefined],
  ])("receives the number of bytes that have arrived, %s", async (_, answer, totalBytes) => {
    const { client, received, onProgress } = await start(answer);
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(received.at(-1)).toEqual({ receivedBytes: large.length, totalBytes });
    const counts = received.map(({ receivedBytes }) => receivedBytes);
    expect(counts).toEqual([...new Set(counts)].sort((one, other) => one - other));
    expect(received.every((progress) => progress.totalBytes === totalBytes)).toBe(true);
  });

  it("counts from zero again if a truncated document is requested again", async () => {
    const { client, received, onProgress } = await start(inTurn(cutOffAfter(large, 1_000), completeLarge));
    await client.generate("inv", {}, { onProgress }).bytes();
    expect(received[0]?.receivedBytes).toBeGreaterThan(0);
    expect(received[0]?.receivedBytes).toBeLessThanOrEqual(1_000);
    expect(received.at(-1)?.receivedBytes).toBe(large.length);
  });

  it("is not called for a response that is not a PDF", async () => {
    const { client, received, onProgress } = await start(inTurn(saying(404, "gone"), saying(200, "<html>")));
    for (let calls = 0; calls < 2; calls++) await rejectionOf(client.generate("inv", {}, { onProgress }));
    expect(received).toEqual([]);
  });

  it("does not affect the document if the callback throws or rejects", async () => {
    const { client } = await start(completeLarge);
    const thrower = () => {
      throw new Error("broken bar");
    };
    for (const onProgress of [thrower, async () => thrower()])
      expect(await client.generate("inv", {}, { onProgress }).bytes()).toHaveLength(large.length);
  });
});
