import { vi } from "vitest";

const fetch = vi.fn();

export const requests = [];

export function start() {
  vi.stubGlobal("fetch", fetch);
}

export function answer(status, contentType, body) {
  fetch.mockImplementationOnce(async (url, { method, headers, body: sent }) => {
    requests.push({
      method,
      path: new URL(url).pathname,
      authorization: new Headers(headers).get("authorization"),
      contentType: new Headers(headers).get("content-type"),
      body: JSON.parse(sent),
    });
    return new Response(body, { status, headers: { "content-type": contentType } });
  });
}

export function stop() {
  vi.unstubAllGlobals();
}
