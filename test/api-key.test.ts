import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../src/errors/errors.ts";
import { checkApiKey, readApiKey } from "../src/request/api-key.ts";
import { buildHeaders } from "../src/request/headers.ts";
import { property } from "./support/fuzz.ts";

describe("an API key that no header can carry", () => {
  it.each<[unknown, string]>([
    [undefined, "Expected `apiKey` to be a string, or a function that gives one, got undefined."],
    [null, "Expected `apiKey` to be a string, or a function that gives one, got null."],
    [7, "Expected `apiKey` to be a string, or a function that gives one, got number."],
    ["", "The API key is empty. Copy it from the dashboard under Settings » API keys, alone:"],
    ["k3y\n", "The API key holds white space, a line break or another character no key has. Copy it"],
    [" k3y", "The API key holds white space"],
    ["API-Key k3y", "The API key holds white space"],
    ["k\u00e9y", "The API key holds white space, a line break or another character no key has."],
  ])("is told as what is wrong with it, and after how many attempts: %j", (key, message) => {
    for (const attempts of [0, 2]) {
      expect(() => checkApiKey(key, attempts)).toThrow(
        expect.objectContaining({
          code: "invalid_configuration",
          attempts,
          message: expect.stringContaining(message),
        }),
      );
    }
  });
});

describe("an API key function that fails", () => {
  const fail = () => {
    throw new TypeError("CANARY");
  };

  it.each([
    [0, "Nothing was sent."],
    [1, "Tried once before."],
    [2, "Tried 2 times before."],
  ])("reports the attempts before it and the error of the last: %d", async (attempts, sent) => {
    const lastError = new Error("of the attempt before");
    const message = `The function given as \`apiKey\` failed with TypeError. ${sent} What it threw is not told here, because it may hold a key: catch it in that function.`;
    await expect(readApiKey(fail, attempts, lastError)).rejects.toMatchObject({
      attempts,
      message,
      cause: lastError,
    });
  });

  it("reports no cause if there was no attempt before", async () => {
    const error = await readApiKey(fail, 0, undefined).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).not.toHaveProperty("cause");
  });
});

describe("any API key", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({
      unit: fc.constantFrom(..."aZ09+/=_-.~!", " ", "\t", "\r", "\n", "\0", "\x7f", "\xa0", "é", '"'),
    }),
  );

  property("that is accepted travels as it is, in one header; no other is repeated in its error", () =>
    fc.property(text, (key) => {
      try {
        checkApiKey(key);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError);
        if (key.length > 3) expect((error as Error).message).not.toContain(key);
        // What is refused is what HTTP would change or a key never holds.
        expect(key).toMatch(/^$|[^!-~]/);
        return;
      }
      const [name = "", value = "", ...rest] = buildHeaders(key, new Map());
      expect(new Headers([[name, value]]).get("authorization")).toBe(`API-Key ${key}`);
      expect(rest).toEqual(["content-type", "application/json"]);
    }),
  );

  property("that is no text is refused, and not repeated", () =>
    fc.property(
      fc.anything().filter((key) => typeof key !== "string"),
      (key) => {
        expect(() => checkApiKey(key)).toThrow(
          /got (?:null|undefined|number|boolean|object|bigint|symbol)\.$/,
        );
      },
    ),
  );
});
