import { readFileSync } from "node:fs";
import { ConfigurationError } from "template-pdf";
import { beforeEach, describe, expect, it } from "vitest";
import { type CallOptions, limitsStreams, resolveCall } from "../src/options/call-options.ts";
import { type ResolvedOptions, resolveOptions } from "../src/options/client-options.ts";
import { resolveRetry } from "../src/options/retry.ts";
import { resolveTimeouts } from "../src/options/timeouts.ts";

const names = ["connect", "firstByte", "stall", "unread", "total"] as const;
const base = {
  timeouts: { connect: 1, firstByte: 2, stall: 3, unread: 4, total: 5 },
  retry: { limit: 7, mayRenderTwice: false },
};

function client(options: object): ResolvedOptions {
  return resolveOptions({ baseUrl: "https://pdf.example.com", apiKey: "k3y", ...options });
}

function objectionTo(resolve: () => unknown): string {
  try {
    resolve();
  } catch (error) {
    if (ConfigurationError.is(error)) return error.message;
    throw error;
  }
  throw new Error("Nothing was objected to.");
}

describe("what holds without options", () => {
  /** The defaults as the docstrings of an interface tell them, by option. */
  function documented(file: string, interfaceName: string): Record<string, unknown> {
    const source = readFileSync(new URL(`../src/options/${file}`, import.meta.url), "utf8");
    const body = source.split(`export interface ${interfaceName} {`)[1]?.split("\n}\n")[0] ?? "";
    const fields = [...body.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+(\w+)\?:/g)];
    return Object.fromEntries(
      fields.map(([, text, name]) => {
        const value = text?.match(/Default: `?([^`\s]+?)`?\.\s*$/)?.[1] ?? "undocumented";
        return [name, JSON.parse(value.replaceAll(",", ""))];
      }),
    );
  }

  it("is what the docstrings of Timeouts say", () => {
    const defaults = documented("timeouts.ts", "Timeouts");
    expect(defaults).toEqual(resolveTimeouts());
    expect(Object.keys(defaults)).toEqual([...names]);
  });

  it("is what the docstrings of Retry say", () => {
    expect(documented("retry.ts", "Retry")).toEqual(resolveRetry());
  });

  it("cannot be changed by anybody", () => {
    const [timeouts, retry] = [resolveTimeouts(), resolveRetry()];
    const attempt = (change: () => void) => {
      try {
        change();
      } catch {
        // Frozen.
      }
    };
    attempt(() => Object.assign(timeouts, { stall: 1 }));
    attempt(() => Object.assign(retry, { limit: 9 }));
    expect(resolveTimeouts().stall).toBe(30_000);
    expect(resolveRetry().limit).toBe(2);
  });

  it("does not limit streams by the total", () => {
    expect(client({}).totalLimitsStreams).toBe(false);
    expect(client({ timeouts: { stall: 1, total: undefined } }).totalLimitsStreams).toBe(false);
  });
});

describe("what is given", () => {
  it.each(names)("as timeouts.%s holds, and leaves the others as they were", (name) => {
    for (const value of [0.5, 1, 30_000, 2 ** 40, Number.POSITIVE_INFINITY]) {
      expect(resolveTimeouts({ [name]: value }, base.timeouts)).toEqual({
        ...base.timeouts,
        [name]: value,
      });
    }
  });

  it.each(names)("as timeouts.%s may be undefined, and counts as missing", (name) => {
    expect(resolveTimeouts({ [name]: undefined }, base.timeouts)).toEqual(base.timeouts);
  });

  it("as a total limits streams, whatever it is, for the client or for the call", () => {
    for (const total of [1, 600_000, Number.POSITIVE_INFINITY]) {
      const given = client({ timeouts: { total } });
      expect(given.totalLimitsStreams).toBe(true);
      expect(resolveCall(given, { timeouts: { stall: 1 } }).totalLimitsStreams).toBe(true);
      expect(resolveCall(given, undefined).totalLimitsStreams).toBe(true);
      expect(resolveCall(client({}), { timeouts: { total } }).totalLimitsStreams).toBe(true);
    }
  });

  it.each([
    [undefined, { limit: 7, mayRenderTwice: false }],
    [{}, { limit: 7, mayRenderTwice: false }],
    [
      { limit: undefined, mayRenderTwice: undefined },
      { limit: 7, mayRenderTwice: false },
    ],
    [{ limit: 0 }, { limit: 0, mayRenderTwice: false }],
    [{ limit: 3 }, { limit: 3, mayRenderTwice: false }],
    [{ mayRenderTwice: true }, { limit: 7, mayRenderTwice: true }],
    [false as const, { limit: 0, mayRenderTwice: false }],
  ])("as retry %j is laid over the rest", (retry, expected) => {
    expect(resolveRetry(retry, base.retry)).toEqual(expected);
  });

  it("is not written to", () => {
    expect(resolveTimeouts(Object.freeze({ stall: 9 }), base.timeouts).stall).toBe(9);
    expect(resolveRetry(Object.freeze({ limit: 1 }), base.retry).limit).toBe(1);
  });

  it("is read once: what is changed afterwards does not matter", () => {
    const timeouts = { stall: 9 };
    const retry = { limit: 1 };
    const resolved = [resolveTimeouts(timeouts), resolveRetry(retry)];
    timeouts.stall = 10;
    retry.limit = 2;
    expect(resolved).toMatchObject([{ stall: 9 }, { limit: 1 }]);
  });
});

describe("what is wrong", () => {
  const noDurations = [0, -0, -1, Number.NaN, Number.NEGATIVE_INFINITY, "5", "5s", null, true, {}, [5], 5n];

  it.each(names)("with timeouts.%s is told with its name", (name) => {
    for (const value of noDurations) {
      const message = objectionTo(() => resolveTimeouts({ [name]: value } as object));
      expect(message).toMatch(
        new RegExp(
          `^Expected \`timeouts\\.${name}\` to be a number of milliseconds above 0, or Infinity, got `,
        ),
      );
    }
  });

  it.each([
    [null, "got null"],
    [5_000, "got `5000` (number)"],
    ["5s", "got a value of type string"],
    [false, "got `false` (boolean)"],
  ])("with timeouts %j is told", (timeouts, got) => {
    expect(objectionTo(() => client({ timeouts }))).toBe(`Expected \`timeouts\` to be an object, ${got}.`);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "2", null, true, 2 ** 53])(
    "with a retry.limit of %j is told with its name",
    (limit) => {
      expect(objectionTo(() => client({ retry: { limit } }))).toMatch(
        /^Expected `retry\.limit` to be a whole number, 0 or more, got /,
      );
    },
  );

  it.each([0, 1, "no", null])("with a retry.mayRenderTwice of %j is told with its name", (mayRenderTwice) => {
    expect(objectionTo(() => client({ retry: { mayRenderTwice } }))).toMatch(
      /^Expected `retry\.mayRenderTwice` to be a boolean, got /,
    );
  });

  it.each([3, 0, true, "never", null])("with retry %j is told with its name", (retry) => {
    expect(objectionTo(() => client({ retry }))).toMatch(/^Expected `retry` to be an object, or false, got /);
  });

  it.each([
    [{ timeouts: { firstbyte: 5 } }, /^Unknown timeouts option `firstbyte`\. Did you mean `firstByte`\?/],
    [
      { timeouts: { request: 5 } },
      /^Unknown timeouts option `request`\..* Known options: connect, firstByte/,
    ],
    [{ timeouts: { totalMs: undefined } }, /^Unknown timeouts option `totalMs`\. Did you mean `total`\?/],
    [{ retry: { limits: 5 } }, /^Unknown retry option `limits`\. Did you mean `limit`\?/],
    [
      { retry: { attempts: 5 } },
      /^Unknown retry option `attempts`\..* Known options: limit, mayRenderTwice\./,
    ],
    [{ timeout: 5 }, /^Unknown client option `timeout`\. Did you mean `timeouts`\?/],
    [{ retries: 5 }, /^Unknown client option `retries`\. Did you mean `retry`\?/],
  ])("with %j is told with what is like it", (options, message) => {
    expect(objectionTo(() => client(options))).toMatch(message);
  });

  it("tells no value that may be a secret", () => {
    const misplaced = { timeouts: { stall: "sk-secret" }, retry: { limit: "sk-secret" } };
    expect(objectionTo(() => resolveTimeouts(misplaced.timeouts as object))).not.toContain("sk-");
    expect(objectionTo(() => resolveRetry(misplaced.retry as object))).not.toContain("sk-");
  });

  it("with a call is told like that of a client", () => {
    for (const wrong of [{ timeouts: { stall: 0 } }, { timeouts: { stal: 1 } }, { retry: { limit: -1 } }]) {
      expect(objectionTo(() => resolveCall(client({}), wrong as object))).toBe(
        objectionTo(() => client(wrong)),
      );
    }
  });
});

describe("a check of the document", () => {
  it.each<[ofClient: boolean | undefined, ofCall: boolean | undefined, expected: boolean]>([
    [undefined, undefined, true],
    [true, false, false],
    [false, true, true],
    [false, undefined, false],
  ])("is made by the call's option, the client's or the default: %j, %j", (ofClient, ofCall, expected) => {
    expect(resolveCall(client({ verify: ofClient }), { verify: ofCall }).verify).toBe(expected);
  });
});

describe("the internal option that limits streams", () => {
  it.each<[CallOptions, boolean]>([
    [{ [limitsStreams]: true }, true],
    [{ [limitsStreams]: false }, false],
  ])("applies the total to streams only if it is true: %o", (options, expected) => {
    expect(resolveCall(client({}), options).totalLimitsStreams).toBe(expected);
  });
});

describe("an authorization of a call", () => {
  const headers = { authorization: "Bearer x" };

  it("is refused if the client has an API key, and sent if it has none", () => {
    expect(() => resolveCall(client({}), { headers })).toThrow("`authorization` carries the API key");
    expect(resolveCall(client({ apiKey: null }), { headers }).headers).toEqual(
      new Map([["authorization", "Bearer x"]]),
    );
  });
});

describe("a call over its client", () => {
  let ofClient: ResolvedOptions;

  beforeEach(() => {
    ofClient = client({
      timeouts: { firstByte: 7, stall: 8 },
      retry: { limit: 5, mayRenderTwice: false },
    });
  });

  it("takes the client's where it gives nothing", () => {
    for (const options of [
      undefined,
      {},
      { timeouts: undefined, retry: undefined },
      { timeouts: {}, retry: {} },
    ]) {
      const { timeouts, retry, totalLimitsStreams } = resolveCall(ofClient, options);
      expect(timeouts).toEqual({ connect: 10_000, firstByte: 7, stall: 8, unread: 60_000, total: 600_000 });
      expect(retry).toEqual({ limit: 5, mayRenderTwice: false });
      expect(totalLimitsStreams).toBe(false);
    }
  });

  it("lays each member of its own over the client's", () => {
    const { timeouts, retry } = resolveCall(ofClient, {
      timeouts: { stall: 9, total: 10 },
      retry: { limit: 1 },
    });
    expect(timeouts).toEqual({ connect: 10_000, firstByte: 7, stall: 9, unread: 60_000, total: 10 });
    expect(retry).toEqual({ limit: 1, mayRenderTwice: false });
  });

  it("switches retries off, and on again with a limit", () => {
    expect(resolveCall(ofClient, { retry: false }).retry.limit).toBe(0);
    expect(resolveCall(client({ retry: false }), { retry: { limit: 3 } }).retry).toEqual({
      limit: 3,
      mayRenderTwice: true,
    });
  });

  it("leaves its client as it was", () => {
    resolveCall(ofClient, { timeouts: { stall: 9, total: 10 }, retry: false });
    expect(ofClient.timeouts.stall).toBe(8);
    expect([ofClient.totalLimitsStreams, ofClient.retry.limit]).toEqual([false, 5]);
  });
});
