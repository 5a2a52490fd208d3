import type { NodeOutputs } from "../document/node-outputs.ts";
import { ConfigurationError } from "../errors/errors.ts";
import type { ReadEnvFile } from "../runtime/environment.ts";
import { type FetchLike, fetchTransport } from "../transport/fetch.ts";
import type { TransportPlatform, TransportSettings } from "../transport/transport.ts";

/** The transports of runtimes without undici: browsers, edge workers, Deno, Bun. They use `fetch` for every request. */
export const transports: TransportPlatform = {
  openPool: () => ({
    current: ({ fetch, credentials }: TransportSettings) =>
      fetchTransport(() => fetch ?? (globalThis.fetch as FetchLike), credentials),
    captureContext: () => undefined,
    close: async () => {},
  }),
  objectionTo: () => "this runtime has no undici. Give a `fetch` instead",
};

/** Deno and Bun read `.env` themselves, or ask for permission; the others have no files. */
export const readEnvFile: ReadEnvFile = undefined;

/** The outputs in browsers and edge workers, which have no Node modules: every method says what to use instead. */
export const nodeOutputs: NodeOutputs = {
  toBuffer: () => refuse("buffer()", "bytes() or arrayBuffer()"),
  toReadable: () => refuse("nodeStream()", "stream()"),
  checkPath: async () => refuse("saveTo()", "blob() or response()"),
  save: async () => refuse("saveTo()", "blob() or response()"),
};

function refuse(method: string, instead: string): never {
  throw new ConfigurationError(`${method} needs Node, Deno or Bun. Use ${instead}.`);
}
