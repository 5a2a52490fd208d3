import { describe, expect, it } from "vitest";
import { requireApiKey } from "../../src/service/require-api-key.ts";

const authorize = requireApiKey(["first-key", "second-key"]);

function call(authorization?: string) {
  const headers = new Headers();
  if (authorization !== undefined) headers.set("authorization", authorization);
  return authorize(new Request("http://service.test/", { method: "POST", headers }));
}

describe("requireApiKey()", () => {
  it.each(["API-Key first-key", "API-KEY second-key"])('accepts the header "%s"', async (authorization) => {
    expect(await call(authorization)).toBeUndefined();
  });

  it.each([
    ["a request without the header", undefined, "has no API key"],
    ["a key without the scheme", "first-key", "does not contain an API key"],
    ["two spaces before the key", "API-Key  first-key", "not valid for this server"],
    ["the beginning of a valid key", "API-Key first-ke", "not valid for this server"],
    ["a valid key in upper case", "API-Key FIRST-KEY", "not valid for this server"],
  ])("rejects missing and invalid keys with a 401: %s", async (_, authorization, wrong) => {
    const refusal = await call(authorization);
    expect(refusal).toMatchObject({ status: 401, headers: { "www-authenticate": "API-Key" } });
    expect(refusal?.detail).toContain(wrong);
    expect(refusal?.detail).toContain("API-Key <API_KEY>");
    expect(refusal?.detail).not.toMatch(/first|second|third/i);
  });

  it.each([
    ["an empty list of keys", [], "got none"],
    ["an empty key", ["good", ""], "API key number 2"],
    ["a key with a space", ["secret key"], "API key number 1"],
  ])("rejects an invalid configuration with a TypeError: %s", (_, keys, words) => {
    expect(() => requireApiKey(keys)).toThrow(TypeError);
    expect(() => requireApiKey(keys)).toThrow(words);
    expect(() => requireApiKey(keys)).not.toThrow(/secret/);
  });
});
