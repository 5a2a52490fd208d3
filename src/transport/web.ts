import { type FetchLike, FetchTransport } from "./fetch.ts";
import type { TransportPlatform, TransportSettings } from "./transport.ts";

/** The transports of runtimes without undici: browsers, edge workers, Deno, Bun. They use `fetch` for every request. */
export const transports: TransportPlatform = {
  openPool: () => ({
    current: ({ fetch, credentials }: TransportSettings) =>
      new FetchTransport(() => fetch ?? (globalThis.fetch as FetchLike), credentials),
    captureContext: () => undefined,
    close: async () => {},
  }),
  objectionTo: () =>
    "this runtime has no undici, and every request goes by fetch. Leave `dispatcher` out, or give a `fetch`",
};
