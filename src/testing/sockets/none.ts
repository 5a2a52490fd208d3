import { ConfigurationError } from "../../index.ts";

/** The twin for pages and edge workers, where nothing can listen. */
export function serve(): never {
  throw new ConfigurationError(
    "`listen()` needs Node, Deno or Bun: nothing can listen in a page or an edge worker. Give `service.fetch` to the client.",
  );
}

/** Never called, as nothing is served. */
export function playByHand(): never {
  return serve();
}
