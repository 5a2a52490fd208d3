import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { limitsStreams, resolveCall } from "../../src/options/call-options.ts";
import {
  checkClientOptions,
  type ResolvedOptions,
  resolveOptions,
} from "../../src/options/client-options.ts";
import { checkOptions } from "../../src/options/option-rules.ts";
import { resolveRetry } from "../../src/options/retry.ts";
import { isTimeouts, resolveTimeouts, type Timeouts } from "../../src/options/timeouts.ts";
import { serverAdvice } from "../../src/request/advice.ts";

const defaults = { connect: 10_000, firstByte: 120_000, stall: 30_000, unread: 60_000, total: 600_000 };
const names = Object.keys(defaults);

function client(options: object): ResolvedOptions {
  return resolveOptions(
    checkClientOptions({ baseUrl: "https://pdf.example.com", apiKey: "k3y", ...options }),
    serverAdvice(),
  );
}

function checkTimeouts(timeouts: Timeouts): Timeouts | undefined {
  return checkOptions({ timeouts }, { timeouts: isTimeouts }, "call").timeouts;
}

describe("The timeouts", () => {
  it("have the documented defaults, which callers cannot modify", () => {
    expect(resolveTimeouts()).toEqual(defaults);
    expect(() => Object.assign(resolveTimeouts(), { stall: 1 })).toThrow(TypeError);
  });

  it.each(names)("keep the other defaults if only `%s` is set", (name) => {
    for (const value of [0.5, 2 ** 40, Number.POSITIVE_INFINITY]) {
      expect(resolveTimeouts(checkTimeouts(Object.freeze({ [name]: value })))).toEqual({
        ...defaults,
        [name]: value,
      });
    }
    expect(resolveTimeouts(checkTimeouts({ [name]: undefined }))).toEqual(defaults);
  });

  it.each(names)("are rejected with an error that names the invalid timeout: `%s`", (name) => {
    expect(() => checkTimeouts({ [name]: 0 })).toThrow(
      `Expected \`timeouts.${name}\` to be a number of milliseconds above 0, or Infinity, got \`0\` (number).`,
    );
  });
});

describe("The retry policy", () => {
  it("has the documented defaults, which callers cannot modify", () => {
    expect(resolveRetry()).toEqual({ limit: 2, mayRenderTwice: true });
    expect(() => Object.assign(resolveRetry(), { limit: 9 })).toThrow(TypeError);
  });

  it.each([
    [undefined, 7, false],
    [{ mayRenderTwice: true }, 7, true],
    [false as const, 0, false],
  ])("of a call is merged with the client's policy: %j", (retry, limit, mayRenderTwice) => {
    const below = { limit: 7, mayRenderTwice: false };
    expect(resolveRetry(Object.freeze(retry), below)).toEqual({ limit, mayRenderTwice });
  });
});

describe("Invalid options", () => {
  it.each([
    [{ timeouts: null }, "Expected `timeouts` to be an object, got null."],
    [
      { timeouts: { stall: "sk-5s" } },
      "Expected `timeouts.stall` to be a number of milliseconds above 0, or Infinity, got a string.",
    ],
    [{ retry: 3 }, "Expected `retry` to be an object, or false, got "],
    [{ retry: { limit: -1 } }, "Expected `retry.limit` to be a whole number, 0 or more, got "],
    [{ timeouts: { firstbyte: 5 } }, "Unknown timeouts option `firstbyte`. Known options: connect, "],
    [{ timeout: 5 }, "Unknown client option `timeout`. Known options: baseUrl, "],
    [{ timeout: 5 }, "dangerouslyAllowBrowser. Did you mean `timeouts`?"],
    [{ baseURL: "" }, "Did you mean `baseUrl`?"],
    [{ retries: 3 }, "Did you mean `retry`?"],
    [{ apikey: "" }, "Did you mean `apiKey`?"],
    [{ timeouts: { firstbyte: 5 } }, "Did you mean `firstByte`?"],
    [{ proxy: "" }, /dangerouslyAllowBrowser\.$/],
  ])("are named in the error: %j", (options, message) => {
    expect(() => client(options)).toThrow(ConfigurationError);
    expect(() => client(options)).toThrow(message);
  });

  it("are rejected for calls as well as for clients", () => {
    expect(() => resolveCall(client({}), { timeouts: { stall: 0 } })).toThrow(ConfigurationError);
    expect(() => resolveCall(client({}), { retry: { limit: -1 } })).toThrow(ConfigurationError);
  });
});

describe("Call options", () => {
  const ofClient = client({
    timeouts: { firstByte: 7, stall: 8 },
    retry: { limit: 5, mayRenderTwice: false },
  });

  it.each([undefined, { timeouts: undefined, retry: {} }])(
    "inherit unset properties from the client: %j",
    (options) => {
      const { timeouts, retry, totalLimitsStreams } = resolveCall(ofClient, options);
      expect(timeouts).toEqual({ ...defaults, firstByte: 7, stall: 8 });
      expect(retry).toEqual({ limit: 5, mayRenderTwice: false });
      expect(totalLimitsStreams).toBe(false);
    },
  );

  it("override individual properties of the client's options without changing the client", () => {
    const call = resolveCall(ofClient, { timeouts: { stall: 9, total: 10 }, retry: { limit: 1 } });
    expect(call.timeouts).toEqual({ ...defaults, firstByte: 7, stall: 9, total: 10 });
    expect(call.retry).toEqual({ limit: 1, mayRenderTwice: false });
    expect({ stall: ofClient.timeouts.stall, retryLimit: ofClient.retry.limit }).toEqual({
      stall: 8,
      retryLimit: 5,
    });
  });

  it("can disable or enable retries", () => {
    expect(resolveCall(ofClient, { retry: false }).retry.limit).toBe(0);
    const off = client({ retry: false });
    expect(resolveCall(off, { retry: { limit: 3 } }).retry).toEqual({ limit: 3, mayRenderTwice: true });
  });

  it.each([
    [undefined, undefined, true],
    [true, false, false],
    [false, true, true],
    [false, undefined, false],
  ])("override the client's `verify` if set: client %j, call %j", (verify, ofCall, expected) => {
    expect(resolveCall(client({ verify }), { verify: ofCall }).verify).toBe(expected);
  });

  it("can contain an authorization header only if the client has no API key", () => {
    const headers = { authorization: "Bearer x" };
    expect(() => resolveCall(client({}), { headers })).toThrow("The client sets the `authorization` header");
    const call = resolveCall(client({ apiKey: null }), { headers });
    expect(call.headers).toEqual(new Map([["authorization", "Bearer x"]]));
  });
});

it.each([
  [{ timeouts: { stall: 1, total: undefined } }, { timeouts: { stall: 1 } }, false],
  [{ timeouts: { total: 600_000 } }, { timeouts: { stall: 1 } }, true],
  [{}, { timeouts: { total: 1 } }, true],
  [{}, { [limitsStreams]: true }, true],
])(
  "timeouts.total limits streams only if it is set explicitly or `limitsStreams` is true: client %o, call %o",
  (ofClient, call, expected) => {
    expect(resolveCall(client(ofClient), call).totalLimitsStreams).toBe(expected);
  },
);
