import { ConfigurationError } from "../errors/errors.ts";
import type { NodeOutputs } from "./node-outputs.ts";

/** The outputs in browsers and edge workers, which have no Node modules: every method says what to use instead. */
export const nodeOutputs: NodeOutputs = {
  toBuffer: () => refuse("buffer()", "bytes() or arrayBuffer()"),
  toReadable: () => refuse("nodeStream()", "stream()"),
  locate: () => refuse("saveTo()", "blob() or response()"),
  check: async () => refuse("saveTo()", "blob() or response()"),
  save: async () => refuse("saveTo()", "blob() or response()"),
};

function refuse(method: string, instead: string): never {
  throw new ConfigurationError(
    `${method} needs Node, Deno or Bun, and this runtime is none of them. Use ${instead}.`,
  );
}
