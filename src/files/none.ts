import { ConfigurationError } from "../errors/errors.ts";
import type { Files } from "./types.ts";

/** The files of a platform that has none: pages and edge workers. */
export const files: Files = {
  toBuffer: () => refuse("buffer()", "bytes() or arrayBuffer()"),
  toReadable: () => refuse("nodeStream()", "stream()"),
  locate: () => refuse("saveTo()", "blob() or response()"),
  check: async () => refuse("saveTo()", "blob() or response()"),
  save: async () => refuse("saveTo()", "blob() or response()"),
};

function refuse(form: string, instead: string): never {
  throw new ConfigurationError(
    `${form} needs Node, Deno or Bun, and this runtime is none of them. Use ${instead}.`,
  );
}
