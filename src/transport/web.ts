import { FetchTransport } from "./fetch.ts";
import type { FetchLike, TransportPlatform, TransportSettings } from "./types.ts";

/** The transports where there is no undici: pages, edge workers, Deno, Bun. Every request goes by `fetch`. */
export const transports: TransportPlatform = {
  captureContext: () => undefined,
  openPool: () => ({
    current: ({ fetch, credentials }: TransportSettings) =>
      new FetchTransport(() => fetch ?? (globalThis.fetch as FetchLike), credentials),
    close: async () => {},
  }),
  objectionTo: () =>
    "this runtime has no undici, and every request goes by fetch. Leave `dispatcher` out, or give a `fetch`",
};
