import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { faultOf, Misbehaviour, type MisbehaviourSettings } from "../../../src/emulator/misbehaviour.ts";
import { createEndpoint, type Produce } from "../../../src/service/endpoint.ts";
import { isDropped } from "../../../src/service/listen.ts";
import { unknownTemplate } from "../../../src/service/problem.ts";
import { requireApiKey } from "../../../src/service/require-api-key.ts";
import { type Call, json, KEY, PDF, request } from "../../service/endpoint-call.ts";

afterEach(() => vi.restoreAllMocks());

/** Creates an endpoint with faults and latency, and returns it with everything that tests inspect. */
function misbehaving(settings: MisbehaviourSettings = {}, make: Produce = () => ({ bytes: PDF })) {
  const closing = new AbortController();
  const produce = vi.fn(make);
  const onError = vi.fn();
  const endpoint = createEndpoint({
    authorize: requireApiKey([KEY]),
    produce: new Misbehaviour(settings, closing.signal).wrap(produce),
    onError,
  });
  const call = (headers: Record<string, string> = {}, rest: Omit<Call, "headers"> = {}) =>
    endpoint(request({ ...rest, headers: { ...json, ...headers } }));
  const listeners = () => getEventListeners(closing.signal, "abort").length;
  return { endpoint, call, produce, onError, closing, listeners };
}

/** The `detail` of an error response. */
async function detailOf(response: Response): Promise<string> {
  return ((await response.json()) as { detail: string }).detail;
}

describe("calls", () => {
  it("are counted by every rule, and receive the fault of the first rule that applies", async () => {
    const { call } = misbehaving({ faults: ["429 every 2", "503 first 4", "500 every 3"] });
    for (const status of [503, 429, 503, 429, 200, 429, 200, 429, 500]) {
      expect((await call()).status).toBe(status);
    }
  });

  it("are counted only if they have a valid API key and a valid body", async () => {
    const { call } = misbehaving({ faults: "503 every 2" });
    expect((await call()).status).toBe(200);
    expect((await call({ authorization: "API-Key wrong" })).status).toBe(401);
    expect((await call({}, { body: "[]" })).status).toBe(400);
    expect((await call()).status).toBe(503);
  });

  it("are counted even if they request a fault that overrides the rules", async () => {
    const { call } = misbehaving({ faults: ["503 every 2"] });
    const first = await call({ "x-emulator-fault": "429 retry-after 3" });
    const second = await call({ "x-emulator-fault": "HTML" });
    expect({ first: first.status, second: second.status }).toEqual({ first: 429, second: 200 });
    const next = { third: (await call()).status, fourth: (await call()).status };
    expect(next).toEqual({ third: 200, fourth: 503 });
    expect(await detailOf(first)).toContain("This 429 was caused by the x-emulator-fault header ");
    expect(second.headers.get("content-type")).toContain("text/html");
  });

  it.each([
    ["x-emulator-fault", "", "Write <what>"],
    ["x-emulator-latency", "soon", 'such as "500", "1.5s", "200..800"'],
  ])("receive a 400 that explains the syntax if a header is invalid: %s", async (name, value, syntax) => {
    const { call, produce } = misbehaving();
    const response = await call({ [name]: value });
    expect(response.status).toBe(400);
    const detail = await detailOf(response);
    expect(detail).toContain(`The ${name} header ${JSON.stringify(value)} `);
    expect(detail).toContain(syntax);
    expect(produce).not.toHaveBeenCalled();
  });
});

describe("a fault", () => {
  it("sends its status and Retry-After without rendering a document", async () => {
    const { call, produce, onError } = misbehaving({ faults: "429  Retry-After 7" });
    const response = await call();
    expect({ status: response.status, retryAfter: response.headers.get("retry-after") }).toEqual({
      status: 429,
      retryAfter: "7",
    });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await detailOf(response)).toContain('This 429 was caused by the rule "429 Retry-After 7".');
    expect(produce).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
    expect((await misbehaving({ faults: "429" }).call()).headers.has("retry-after")).toBe(false);
  });

  it("sends a login page (`html`) or drops the connection (`reset`)", async () => {
    const { call, produce } = misbehaving({ faults: ["html first 1", "reset"] });
    const response = await call();
    expect({ status: response.status, contentType: response.headers.get("content-type") }).toEqual({
      status: 200,
      contentType: "text/html",
    });
    const page = await response.text();
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('This page was caused by the rule "html first 1".');
    expect(response.headers.get("content-length")).toBe(String(page.length));
    expect(isDropped(await call())).toBe(true);
    expect(produce).not.toHaveBeenCalled();
  });

  it.each(["cut", "stall"])("still sends all the document's headers if the fault is `%s`", async (fault) => {
    const { call, closing } = misbehaving({ faults: fault });
    const headers = Object.fromEntries((await call()).headers);
    const { "x-request-id": _, ...expected } = Object.fromEntries((await misbehaving().call()).headers);
    const length = String(PDF.byteLength);
    expect(headers).toMatchObject({ ...expected, "content-length": length, connection: "close" });
    closing.abort();
  });

  it("does not truncate an error response", async () => {
    const { endpoint } = misbehaving({ faults: "cut" }, ({ uid }) => {
      if (uid !== "invoice") throw unknownTemplate(uid);
      return { bytes: PDF };
    });
    const [hit, rejected] = [request({}), request({ path: "/api/v1/templates/a/generate-sync" })];
    await endpoint(hit);
    expect((await endpoint(rejected)).status).toBe(404);
    expect({ hit: faultOf(hit), rejected: faultOf(rejected) }).toEqual({ hit: "cut", rejected: undefined });
  });
});

it.each<[string, object, string]>([
  ["an invalid rule after a valid rule", { faults: ["cut", "700"] }, 'The fault "700" is not a fault rule'],
  ["an invalid latency", { latency: Number.NaN }, 'The latency "NaN" is not between'],
])("settings that contain %s are rejected before any call", (_title, settings, message) => {
  expect(() => misbehaving(settings as MisbehaviourSettings)).toThrow(message);
});

describe("an injected delay", () => {
  const hour = 3_600_000;
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  /** Runs everything that does not need a timer. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  async function until(condition: () => boolean): Promise<void> {
    // The limit keeps a failing test from hanging.
    const limit = performance.now() + 20_000;
    while (!condition() && performance.now() < limit) await settle();
    expect(condition()).toBe(true);
  }

  it("applies to both documents and faults", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    for (const faults of [[], ["503"]]) {
      const { call, produce, listeners } = misbehaving({ faults, latency: "200..800" });
      const onResponse = vi.fn();
      const response = call().finally(onResponse);
      await until(() => listeners() > 0);
      await vi.advanceTimersByTimeAsync(499);
      await settle();
      expect({
        responseCount: onResponse.mock.calls.length,
        produceCount: produce.mock.calls.length,
      }).toEqual({ responseCount: 0, produceCount: 0 });
      await vi.advanceTimersByTimeAsync(1);
      expect((await response).status).toBe(faults.length === 0 ? 200 : 503);
    }
  });

  it("is overridden by the delay that a call requests", async () => {
    const { call, listeners } = misbehaving({ faults: "503 first 1", latency: hour });
    const onResponse = vi.fn();
    const slow = call({ "x-emulator-latency": "2s" }).finally(onResponse);
    await until(() => listeners() > 0);
    expect((await call({ "x-emulator-latency": "0" })).status).toBe(200);
    await vi.advanceTimersByTimeAsync(1_999);
    await settle();
    expect(onResponse).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await slow).status).toBe(503);
  });

  it("ends early with a 503 if the server stops", async () => {
    const { call, closing, produce, onError, listeners } = misbehaving({ latency: hour });
    const response = call();
    await until(() => listeners() > 0);
    closing.abort(new Error("closed"));
    expect((await response).status).toBe(503);
    expect(await detailOf(await call())).toBe("The emulator is stopping. Start it again.");
    expect({ timerCount: vi.getTimerCount(), listenerCount: listeners() }).toEqual({
      timerCount: 0,
      listenerCount: 0,
    });
    expect(produce).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });

  it("leaves no timers or listeners behind even if callers disconnect", async () => {
    const warn = vi.fn();
    process.on("warning", warn);
    const { endpoint, listeners, onError } = misbehaving({ latency: "1..9" });
    const faults = ["stall", "cut", "429", "html", "reset"];
    const callers: AbortController[] = [];
    const responses = Array.from({ length: 40 }, (_, index) => {
      const caller = new AbortController();
      if (index < 20) callers.push(caller);
      const headers = { ...json, "x-emulator-fault": faults[index % 5] ?? "" };
      return endpoint(new Request(request({ headers }), { signal: caller.signal }));
    });
    await until(() => listeners() === 40);
    for (const caller of callers) caller.abort();
    await until(() => listeners() === 20);
    expect(vi.getTimerCount()).toBe(20);
    await vi.advanceTimersByTimeAsync(10);
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(499));
    expect(statuses.slice(20, 25)).toEqual([200, 200, 429, 200, 0]);
    expect({ timerCount: vi.getTimerCount(), listenerCount: listeners() }).toEqual({
      timerCount: 0,
      listenerCount: 0,
    });
    await settle();
    process.off("warning", warn);
    expect(warn).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });
});
