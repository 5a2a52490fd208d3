import { ConfigurationError } from "../../index.ts";

export { playAsResponse as playOnServer } from "../../service/faults/play-as-response.ts";

/** The implementation for browsers and edge workers, where nothing can listen. */
export function listen(): never {
  throw new ConfigurationError(
    "`listen()` needs Node, Deno or Bun: nothing can listen in a page or an edge worker. Give `service.fetch` to the client.",
  );
}
