import { afterEach, describe, expect, it, vi } from "vitest";
import { faultOf } from "../../../src/emulator/misbehaviour.ts";
import { isDropped } from "../../../src/service/listen.ts";
import { unknownTemplate } from "../../../src/service/problem.ts";
import { PDF, request } from "../../service/endpoint-call.ts";
import { detailOf, type MisbehaviourOptions, misbehaving } from "./misbehaving.ts";

afterEach(() => vi.restoreAllMocks());

describe("calls", () => {
  it("are left alone where nothing is asked for", async () => {
    const { call, produce } = misbehaving({});
    const response = await call();
    expect([response.status, new Uint8Array(await response.arrayBuffer())]).toEqual([200, PDF]);
    expect(produce).toHaveBeenCalledOnce();
  });

  it("are counted by every rule, and the first rule that hits wins", async () => {
    const { call } = misbehaving({ faults: ["429 every 2", "503 first 4", "500 every 3"] });
    const statuses: number[] = [];
    for (let number = 1; number <= 9; number++) statuses.push((await call()).status);
    expect(statuses).toEqual([503, 429, 503, 429, 200, 429, 200, 429, 500]);
  });

  it("are counted only with a key that may call and a body that can be read", async () => {
    const { call } = misbehaving({ faults: "503 every 2" });
    const statuses = [
      await call(),
      await call({ authorization: "API-Key wrong" }),
      await call({}, { body: "[]" }),
      await call({}, { method: "GET" }),
      await call(),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 401, 400, 405, 503]);
  });

  it("are hit at random", async () => {
    const rolls = [0.1, 0.3, 0.24, 0.25];
    vi.spyOn(Math, "random").mockImplementation(() => rolls.shift() ?? 1);
    const { call } = misbehaving({ faults: "503 25%" });
    const statuses: number[] = [];
    for (let number = 1; number <= 4; number++) statuses.push((await call()).status);
    expect(statuses).toEqual([503, 200, 503, 200]);
  });
});

describe("a status", () => {
  it("is answered with the reason and retry-after, and nothing is rendered or reported", async () => {
    const { call, produce, onError } = misbehaving({ faults: "429  Retry-After 7" });
    const response = await call();
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await detailOf(response)).toBe(
      'This 429 was asked for by the rule "429 Retry-After 7". Take that away to get documents.',
    );
    expect(produce).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });

  it("has no retry-after unless it is asked for", async () => {
    expect((await misbehaving({ faults: "429" }).call()).headers.has("retry-after")).toBe(false);
  });
});

describe("html", () => {
  it("is a login page with 200, and nothing is rendered", async () => {
    const { call, produce } = misbehaving({ faults: "html" });
    const response = await call();
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html"]);
    const page = await response.text();
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('This page was asked for by the rule "html".');
    expect(response.headers.get("content-length")).toBe(String(page.length));
    expect(produce).not.toHaveBeenCalled();
  });
});

describe("reset", () => {
  it("is no answer, and nothing is rendered", async () => {
    const { call, produce } = misbehaving({ faults: "reset" });
    expect(isDropped(await call())).toBe(true);
    expect(produce).not.toHaveBeenCalled();
  });
});

describe.each(["cut", "stall"])("%s", (fault) => {
  it("keeps the whole head of the document, with its length", async () => {
    const { call, closing } = misbehaving({ faults: fault });
    const head = Object.fromEntries((await call()).headers);
    const { "x-request-id": _, ...whole } = Object.fromEntries((await misbehaving({}).call()).headers);
    expect(head).toMatchObject({ ...whole, "content-length": String(PDF.byteLength), connection: "close" });
    closing.abort();
  });

  it("leaves a refusal as it is", async () => {
    const { endpoint } = misbehaving({ faults: fault }, ({ uid }) => {
      throw unknownTemplate(uid);
    });
    const refused = request({});
    expect((await endpoint(refused)).status).toBe(404);
    expect(faultOf(refused)).toBeUndefined();
  });
});

describe("a single call", () => {
  it("may ask for a fault of its own, which wins over the rules and is counted", async () => {
    const { call } = misbehaving({ faults: ["503 every 2"] });
    const [first, second, third, fourth] = [
      await call({ "x-emulator-fault": "429 retry-after 3" }),
      await call({ "x-emulator-fault": "HTML" }),
      await call(),
      await call(),
    ];
    expect([first, second, third, fourth].map(({ status }) => status)).toEqual([429, 200, 200, 503]);
    expect(first.headers.get("retry-after")).toBe("3");
    expect(await detailOf(first)).toBe(
      "This 429 was asked for by the header x-emulator-fault of the call. Take that away to get documents.",
    );
    expect(second.headers.get("content-type")).toContain("text/html");
  });

  it.each([
    ["x-emulator-fault", "teapot", "Write <what>"],
    ["x-emulator-fault", "", "Write <what>"],
    ["x-emulator-latency", "soon", 'such as "500", "1.5s", "200..800"'],
  ])("is refused with 400 and the way to write it: %s: %s", async (name, value, wrong) => {
    const { call, produce } = misbehaving({});
    const response = await call({ [name]: value });
    expect(response.status).toBe(400);
    expect(await detailOf(response)).toContain(`The header ${name} ${JSON.stringify(value)} `);
    expect(await detailOf(await call({ [name]: value }))).toContain(wrong);
    expect(produce).not.toHaveBeenCalled();
  });
});

describe("faultOf", () => {
  it.each(["429", "html", "cut", "stall", "reset"])("tells of %s", async (fault) => {
    const { endpoint, closing } = misbehaving({ faults: `${fault} first 1` });
    const [played, spared] = [request({}), request({})];
    await endpoint(played);
    await endpoint(spared);
    closing.abort();
    expect([faultOf(played), faultOf(spared)]).toEqual([fault, undefined]);
  });
});

describe("what cannot be read", () => {
  it.each<[string, object, typeof TypeError | typeof RangeError, string]>([
    ["a rule", { faults: "429 evry 10" }, TypeError, 'The fault "429 evry 10" cannot be read'],
    ["one rule of several", { faults: ["cut", "700"] }, TypeError, 'The fault "700" cannot be read'],
    ["an empty rule", { faults: "" }, TypeError, 'The fault "" cannot be read'],
    ["an object", { faults: {} }, TypeError, 'The fault "[object Object]" cannot be read'],
    ["a latency", { latency: Number.NaN }, RangeError, 'The latency "NaN" is not between'],
  ])("is refused before any call: %s", (_title, options, Kind, message) => {
    expect(() => misbehaving(options as MisbehaviourOptions)).toThrow(Kind);
    expect(() => misbehaving(options as MisbehaviourOptions)).toThrow(message);
  });
});
