import { describe, expect, it, vi } from "vitest";
import type { ClientOptions } from "../../src/options/client-options.ts";
import { headOf } from "../support/facts.ts";
import { read, Scene, type Step } from "../support/scripted-call.ts";

const ok = headOf(200, { "x-request-id": "r sk-live-123" });
const whole: Step[] = ["sent", ok, "%PDF-%%EOF", "end"];
const begun: Step[] = ["sent", ok, "%PDF-"];
const refused: Step[] = [headOf(503, { "retry-after": "1" }), "end"];
const cancel = ({ call }: Scene) => call.fail(new Error("cancelled"));
const refuse: Step = (scene) => {
  scene.context.isClosed = true;
  scene.add().start();
};
const replaceable: Step = ({ call }) => Object.assign(call, { isReplaceable: true });
const stream = read({ isStream: true, write: () => false });
/** Saves the document, which takes forever. */
const save = read({ end: () => new Promise(() => {}) });
const once: ClientOptions = { retry: { mayRenderTwice: false } };
const oneSecond: ClientOptions = { timeouts: { total: 1_000 } };

it.each<[RegExp, Step[], ClientOptions?]>([
  // Retries.
  [
    /^(open: replaced: ){2}open: 4000 .* later. Tried 3 times.$/,
    ["sent", ...refused, 2_000, ...refused, 2_000, ...refused, 1],
  ],
  [/^open: 600 .* later. Not retried: a delay of 1 s /, ["sent", 600, ...refused, 1], oneSecond],
  [/^open: 0 .* later. Not retried: `retry.mayR/, ["sent", ...refused, 1], once],
  [/^open: document: 0 .* truncated .* again.$/, [...begun, "break", 600]],
  [/^open: document: replaced: open$/, [...begun, replaceable, read(), "break", 600]],
  [/^open: document: pause: 0 .* truncated .* again.$/, [...begun, replaceable, stream, "break", 600]],
  // The end.
  [/^open: 0 cancelled$/, ["sent", "break", cancel, 600]],
  [/^open: 0 cancelled$/, ["sent", cancel, cancel]],
  [/^open: document: whole$/, [...whole, read(), cancel]],
  // The total limit.
  [/^open: 1000 Got no .*com for template "inv" within/, ["sent", 2_000], oneSecond],
  [/^open: document: 1000 Got/, [...whole, 600, save, 2_000], oneSecond],
  [/^open: document: 2000 Got/, [...whole, 1_000, save, 2_000], oneSecond],
  [/^open: document: 2500 Got/, [...whole, 1_500, save, 2_000], oneSecond],
  [/^open: document: pause: 1000 Got/, [...begun, stream, 2_000], oneSecond],
  [/^open: document: pause$/, [...begun, stream, 700_000]],
  [/^open: document: pause$/, [(scene) => scene.do("sent", ok, "%PDF-", stream), 700_000]],
])("A call settles once and respects `timeouts.total`: %s", async (expected, steps, options) => {
  const log = await new Scene(options).play(...steps);
  expect(log.filter((event) => event !== "abort").join(": ")).toMatch(expected);
});

describe("A call's hooks", () => {
  it("receive every event in the call's async context", async () => {
    const note = (event: unknown) => scene.log.push(event);
    const scene = new Scene({ hooks: { request: note, response: note, retry: note, error: note } });
    await scene.play("sent", 100, ...refused, 2_000, ok, "%PDF-", "break", 10);
    scene.add(undefined, undefined, null as never).start();
    const call = expect.any(Number);
    const [one, two] = [1, 2].map((attempt) => ({ call, uid: "inv", attempt }));
    const post = { method: "POST", url: "https://pdf.example.com/api/v1/templates/inv/generate-sync" };
    const error = (message: RegExp) => ({
      error: expect.objectContaining({ message: expect.stringMatching(message) }),
    });
    expect(scene.log).toEqual([
      "capture",
      { ...one, elapsedMs: 0, ...post },
      "open",
      "scope",
      { ...one, elapsedMs: 100, status: 503 },
      "replaced",
      "scope",
      { ...one, elapsedMs: 100, delayMs: 1_000, ...error(/Try again later.$/) },
      "abort",
      { ...two, elapsedMs: 1_102, ...post },
      "open",
      "scope",
      { ...two, elapsedMs: 2_100, status: 200, requestId: "r [redacted]" },
      "document",
      "abort",
      "scope",
      { ...two, elapsedMs: 2_100, ...error(/Generate it again. Tried 2 times.$/) },
      expect.stringContaining("truncated"),
      "capture",
      "scope",
      { call, uid: "", attempt: 0, elapsedMs: 0, ...error(/Expected a template uid/) },
      expect.stringContaining("uid"),
    ]);
    const numbers = scene.log.flatMap((event) => (event as { call?: number }).call ?? []);
    expect(numbers.at(-1)).toBe(Number(numbers[0]) + 1);
  });

  it.each<[string, number, Step[]]>([
    ["request", 0, [0]],
    ["response", 1, begun.slice(0, 2)],
    ["retry", 1, ["sent", ...refused, 1]],
  ])("can cancel the call without leaving a timer running: `%s`", async (name, requests, steps) => {
    const scene: Scene = new Scene({ verify: false, hooks: { [name]: () => cancel(scene) } });
    const log = await scene.play(...steps);
    expect(log.filter((event) => event === "open")).toHaveLength(requests);
    expect(log.filter((event) => /document|cancelled/.test(`${event}`))).toEqual(["0 cancelled"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("A call", () => {
  it("is sent at once unless its API key must be fetched", async () => {
    const known = new Scene();
    known.call.start();
    expect(known.log).toEqual(["open"]);
    const hooks = { request: () => fetched.log.push("request") };
    const fetched: Scene = new Scene({ apiKey: async () => "sk-live-123", hooks });
    expect(await fetched.play("sent", cancel, 10)).toEqual(["capture", "0 cancelled"]);
    const late = new Scene();
    cancel(late);
    expect(await late.play("sent")).toEqual(["0 cancelled"]);
  });

  it("reports progress in its async context until an output cancels the call", async () => {
    const seen: unknown[] = [];
    const scene: Scene = new Scene({}, { onProgress: (progress) => seen.push(progress) });
    await scene.play(...begun, read({ write: () => (cancel(scene), false) }), 10);
    expect(seen).toEqual([{ receivedBytes: 5, totalBytes: undefined }]);
    expect(scene.log).toEqual(["capture", "open", "document", "scope", "abort", "0 cancelled"]);
  });

  it.each([
    ["before", (abort: Step) => [abort, save]],
    ["while", (abort: Step) => [save, abort]],
  ])("fails if its signal is aborted %s a received document is read", async (_, order) => {
    const controller = new AbortController();
    const abort = () => controller.abort(new Error("aborted"));
    const log = await new Scene({}, { signal: controller.signal }).play(...whole, ...order(abort), 10);
    expect(log).toEqual(["open", "document", "abort", "0 aborted"]);
  });

  it("reports its number of attempts and its error to a bulk run", async () => {
    const onOutcome = vi.fn();
    const bulk = { attempts: 2, lastError: undefined, decide: vi.fn(), onOutcome };
    await new Scene({}, undefined, bulk).play("sent", cancel);
    expect(onOutcome.mock.calls).toEqual([[{ attempts: 3, failure: { error: new Error("cancelled") } }]]);
  });
});

it.each<[string, Step[], boolean]>([
  ["is arriving", begun, false],
  ["will be requested again", ["sent", ...refused, 1], false],
  ["is being saved", [...whole, save], false],
  ["has arrived", whole, true],
  ["was cancelled after it arrived", [...whole, cancel], true],
  ["has arrived, and another call was rejected", [...whole, refuse], true],
])(
  "A closing client keeps its connections open until no call needs them (case: the document %s)",
  async (_, steps, isIdle) => {
    const scene = new Scene();
    const { connections } = scene.context;
    const other = scene.add();
    const log = await scene.play(...steps);
    connections.close();
    await vi.advanceTimersByTimeAsync(1);
    expect(log).not.toContain("close");
    other.fail(new Error("cancelled"));
    await vi.advanceTimersByTimeAsync(1);
    expect(log.includes("close")).toBe(isIdle);
    cancel(scene);
    await connections.close();
    scene.context.isClosed = false;
    scene.add().start();
    expect(log.filter((event) => event === "close")).toHaveLength(1);
    expect(log.at(-1)).toBe("0 This client is closed. Create another one.");
  },
);
