import { ConfigurationError } from "../errors/errors.ts";
import { fetchTransport } from "../transport/fetch.ts";
import type { FetchLike } from "../transport/transport.ts";
import type { Platform } from "./platform.ts";

/** Web pages and their workers, which have `fetch` and no Node modules. */
export const platform: Platform = {
  openPool: () => ({
    current: ({ fetch, credentials }) =>
      fetchTransport(() => fetch ?? (globalThis.fetch as FetchLike), credentials),
    captureContext: () => undefined,
    close: async () => {},
  }),
  checkTransport({ dispatcher }) {
    if (!dispatcher) return;
    throw new ConfigurationError("`dispatcher`: this runtime has no undici. Pass a `fetch` instead.");
  },
  nodeOutputs: {
    toBuffer: () => unsupported("buffer()", "bytes() or arrayBuffer()"),
    toReadable: () => unsupported("nodeStream()", "stream() or bytes()"),
    checkPath: async () => unsupported("saveTo()", "bytes(), blob() or response()"),
    save: async () => unsupported("saveTo()", "bytes(), blob() or response()"),
  },
  userAgent: undefined,
  advice: undefined,
};

function unsupported(method: string, instead: string): never {
  throw new ConfigurationError(`${method} needs Node, Deno or Bun. Use ${instead}.`);
}
