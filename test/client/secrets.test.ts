import type { ApiError, ClientOptions } from "template-pdf";
import { describe, expect, it } from "vitest";
import { type Answer, rejectionOf, Service, saying } from "../support/service.ts";
import { expectSafe, plainKey, secretValues, spellings, trickyKey, values } from "./canaries.ts";
import { collectOutput, leaksIn } from "./leaks.ts";
import { withoutBackOff } from "./timing.ts";

// test/errors covers encodings. secrets-everywhere.test.ts covers headers and status lines.

describe.each([
  ["a plain key", plainKey],
  ["a key that needs escaping", trickyKey],
])("an error from a client with %s", (_, apiKey) => {
  const errorFrom = async (answer: Answer) => {
    const service = await Service.start(answer);
    return (await rejectionOf(service.client({ apiKey }).generate("inv", values).bytes())) as ApiError;
  };
  const spelled = secretValues.flatMap(spellings).join(" | ");

  it.each<[string, Answer]>([
    ["the detail of a 500 response", saying(500, JSON.stringify({ detail: secretValues.join(" | ") }))],
    ["a 200 response in every encoding", saying(200, `${spellings(apiKey).join(" ")} ${spelled}`)],
    ["a long redirect path", saying(302, "", { location: `/${"a".repeat(285)}/${apiKey}` })],
  ])("does not contain the key or values that the service repeats in %s", async (_, answer) => {
    expectSafe(await errorFrom(answer), apiKey);
  });

  it("does not contain any part of the key in its headers or at the end of a long body", async () => {
    const end = `${"x".repeat(64 * 1024 - apiKey.length + 2)}${apiKey}${"y".repeat(10_000)}`;
    const error = await errorFrom(saying(500, end, { "x-key": apiKey }));
    expect(error.headers?.get("x-key")).toBe("[redacted]");
    expect(error.rawBody).not.toContain(apiKey.slice(0, 8));
  });
});

describe("a secret from the settings", () => {
  const throwing = () => {
    throw new Error(trickyKey);
  };
  it.each<[string, number, () => string]>([
    ["throws", 1, throwing],
    ["returns an invalid key", 1, () => `${trickyKey} ${plainKey}`],
    ["returns a different key", 2, () => "another-key-entirely"],
  ])("is not exposed if the API key function %s on a retry", async (_, attempts, second) => {
    withoutBackOff();
    const service = await Service.start(saying(503, JSON.stringify({ message: `key ${trickyKey}` })));
    const keys = [() => trickyKey];
    const { error, places } = await collectOutput(async (hooks) => {
      const apiKey = () => (keys.shift() ?? second)();
      const client = service.client({ apiKey, retry: { limit: 1 }, hooks });
      return { client, error: await rejectionOf(client.generate("inv", values).bytes()) };
    });
    expect(service.requests).toHaveLength(attempts);
    expect(leaksIn(places, trickyKey)).toEqual([]);
    expect(error).toMatchObject({ attempts });
  });

  it("is not exposed if fetch throws an error that contains the caller's authorization header", async () => {
    const options = { headers: { authorization: `Bearer ${plainKey}` } };
    const service = await Service.start(() => {});
    const { places } = await collectOutput(async (hooks) => {
      const fetch: ClientOptions["fetch"] = async (_, init) => {
        throw Object.assign(new Error(JSON.stringify(init)), { init });
      };
      const client = service.client({ apiKey: null, ...options, fetch, hooks });
      const other = service.client({ apiKey: null, fetch, hooks });
      const errors = [
        await rejectionOf(client.generate("inv", values).bytes()),
        await rejectionOf(other.generate("inv", values, options).bytes()),
      ];
      return { client, error: new AggregateError(errors) };
    });
    expect(leaksIn(places, plainKey)).toEqual([]);
  });
});
