import { afterEach, describe, expect, it, vi } from "vitest";
import { faultOf } from "../../../src/emulator/misbehaviour.ts";
import { isDropped } from "../../../src/service/listen.ts";
import { unknownTemplate } from "../../../src/service/problem.ts";
import { PDF, request } from "../../service/endpoint-call.ts";
import { detailOf, type MisbehaviourOptions, misbehaving } from "./misbehaving.ts";

afterEach(() => vi.restoreAllMocks());

const rules = ["429 every 2", "503 first 4", "500 every 3"];

describe("calls", () => {
  it("are not affected without rules", async () => {
    const { call, produce } = misbehaving({});
    const response = await call();
    expect([response.status, new Uint8Array(await response.arrayBuffer())]).toEqual([200, PDF]);
    expect(produce).toHaveBeenCalledOnce();
  });

  it.each<[what: string, faults: string | string[], statuses: number[]]>([
    [
      "are counted by every rule, and the first rule that hits applies",
      rules,
      [503, 429, 503, 429, 200, 429, 200, 429, 500],
    ],
    ["are hit at random by a percentage", "503 25%", [503, 200, 503, 200]],
  ])("%s", async (_what, faults, expected) => {
    const rolls = [0.1, 0.3, 0.24, 0.25];
    vi.spyOn(Math, "random").mockImplementation(() => rolls.shift() ?? 1);
    const { call } = misbehaving({ faults });
    const statuses: number[] = [];
    for (const _ of expected) statuses.push((await call()).status);
    expect(statuses).toEqual(expected);
  });

  it("are counted only with a valid key and a readable body", async () => {
    const { call } = misbehaving({ faults: "503 every 2" });
    expect((await call()).status).toBe(200);
    expect((await call({ authorization: "API-Key wrong" })).status).toBe(401);
    expect((await call({}, { body: "[]" })).status).toBe(400);
    expect((await call()).status).toBe(503);
  });
});

describe("a status fault", () => {
  it("is sent with its reason and Retry-After, and nothing is rendered or reported to onError", async () => {
    const { call, produce, onError } = misbehaving({ faults: "429  Retry-After 7" });
    const response = await call();
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await detailOf(response)).toBe(
      'This 429 was caused by the rule "429 Retry-After 7". Remove it to get documents.',
    );
    expect(produce).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });

  it("has no Retry-After unless the rule sets it", async () => {
    expect((await misbehaving({ faults: "429" }).call()).headers.has("retry-after")).toBe(false);
  });
});

it("an html fault returns a login page with 200, and nothing is rendered", async () => {
  const { call, produce } = misbehaving({ faults: "html" });
  const response = await call();
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html"]);
  const page = await response.text();
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).toContain('This page was caused by the rule "html".');
  expect(response.headers.get("content-length")).toBe(String(page.length));
  expect(produce).not.toHaveBeenCalled();
});

it("a reset fault drops the connection, and nothing is rendered", async () => {
  const { call, produce } = misbehaving({ faults: "reset" });
  expect(isDropped(await call())).toBe(true);
  expect(produce).not.toHaveBeenCalled();
});

describe.each(["cut", "stall"])("a %s fault", (fault) => {
  it("keeps all headers of the document, including its length", async () => {
    const { call, closing } = misbehaving({ faults: fault });
    const headers = Object.fromEntries((await call()).headers);
    const { "x-request-id": _, ...expected } = Object.fromEntries((await misbehaving({}).call()).headers);
    expect(headers).toMatchObject({
      ...expected,
      "content-length": String(PDF.byteLength),
      connection: "close",
    });
    closing.abort();
  });

  it("does not change an error response", async () => {
    const { endpoint } = misbehaving({ faults: fault }, ({ uid }) => {
      throw unknownTemplate(uid);
    });
    const rejected = request({});
    expect((await endpoint(rejected)).status).toBe(404);
    expect(faultOf(rejected)).toBeUndefined();
  });
});

describe("a single call", () => {
  it("can set its own fault, which takes precedence over the rules and is counted", async () => {
    const { call } = misbehaving({ faults: ["503 every 2"] });
    const first = await call({ "x-emulator-fault": "429 retry-after 3" });
    const second = await call({ "x-emulator-fault": "HTML" });
    expect([first.status, second.status]).toEqual([429, 200]);
    expect([(await call()).status, (await call()).status]).toEqual([200, 503]);
    expect(first.headers.get("retry-after")).toBe("3");
    expect(await detailOf(first)).toBe(
      "This 429 was caused by the header x-emulator-fault of the call. Remove it to get documents.",
    );
    expect(second.headers.get("content-type")).toContain("text/html");
  });

  it.each([
    ["x-emulator-fault", "teapot", "Write <what>"],
    ["x-emulator-fault", "", "Write <what>"],
    ["x-emulator-latency", "soon", 'such as "500", "1.5s", "200..800"'],
  ])(
    "is rejected with 400 and the valid syntax if a header is invalid: %s: %s",
    async (name, value, wrong) => {
      const { call, produce } = misbehaving({});
      const response = await call({ [name]: value });
      expect(response.status).toBe(400);
      const detail = await detailOf(response);
      expect(detail).toContain(`The header ${name} ${JSON.stringify(value)} `);
      expect(detail).toContain(wrong);
      expect(produce).not.toHaveBeenCalled();
    },
  );
});

it.each(["429", "html", "cut", "stall", "reset"])(
  "faultOf() returns %s for the call that the rule hit",
  async (fault) => {
    const { endpoint, closing } = misbehaving({ faults: `${fault} first 1` });
    const [hit, other] = [request({}), request({})];
    await endpoint(hit);
    await endpoint(other);
    closing.abort();
    expect([faultOf(hit), faultOf(other)]).toEqual([fault, undefined]);
  },
);

it.each<[string, object, string]>([
  ["one rule of several", { faults: ["cut", "700"] }, 'The fault "700" is not a fault rule'],
  ["an empty rule", { faults: "" }, 'The fault "" is not a fault rule'],
  ["an object as a rule", { faults: {} }, 'The fault "[object Object]" is not a fault rule'],
  ["a latency", { latency: Number.NaN }, 'The latency "NaN" is not between'],
])("%s that is invalid is rejected before any call", (_title, options, message) => {
  expect(() => misbehaving(options as MisbehaviourOptions)).toThrow(message);
});
