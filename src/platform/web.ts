import type { NodeOutputs } from "../document/node-outputs.ts";
import { ConfigurationError } from "../errors/errors.ts";
import type { ReadEnvFile } from "../runtime/environment.ts";
import { type FetchLike, fetchTransport } from "../transport/fetch.ts";
import type { TransportPlatform, TransportSettings } from "../transport/transport.ts";

/** The transport in browsers, edge workers, Deno and Bun, which do not use undici: every request uses `fetch`. */
export const transports: TransportPlatform = {
  openPool: () => ({
    current: ({ fetch, credentials }: TransportSettings) =>
      fetchTransport(() => fetch ?? (globalThis.fetch as FetchLike), credentials),
    captureContext: () => undefined,
    close: async () => {},
  }),
  check({ dispatcher }) {
    if (!dispatcher) return;
    throw new ConfigurationError("`dispatcher`: this runtime has no undici. Pass a `fetch` instead.");
  },
};

/** Deno and Bun load `.env` or require a permission. The other runtimes have no files. */
export const readEnvFile: ReadEnvFile = undefined;

/** The outputs in browsers and edge workers, which have no Node modules. Every method throws an error with an alternative. */
export const nodeOutputs: NodeOutputs = {
  toBuffer: () => unsupported("buffer()", "bytes() or arrayBuffer()"),
  toReadable: () => unsupported("nodeStream()", "stream()"),
  checkPath: async () => unsupported("saveTo()", "blob() or response()"),
  save: async () => unsupported("saveTo()", "blob() or response()"),
};

function unsupported(method: string, instead: string): never {
  throw new ConfigurationError(`${method} needs Node, Deno or Bun. Use ${instead}.`);
}
