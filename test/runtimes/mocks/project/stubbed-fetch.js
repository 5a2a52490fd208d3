import { vi } from "vitest";

const fetch = vi.fn();

export const requests = [];

export const start = () => vi.stubGlobal("fetch", fetch);

export const stop = () => vi.unstubAllGlobals();

export function answer(_url, status, headers, body) {
  fetch.mockImplementationOnce(async (_, { method, headers: sent, body: values }) => {
    requests.push({
      method,
      authorization: new Headers(sent).get("authorization"),
      body: JSON.parse(values),
    });
    return new Response(body, { status, headers });
  });
}
