import { ConfigurationError } from "../../index.ts";

export { playAsResponse as playOnServer } from "../../service/faults/play-as-response.ts";

/** The implementation for browsers and edge workers, which cannot listen. */
export function listen(): never {
  throw new ConfigurationError(
    "`listen()` needs Node, Deno or Bun. Pass `service.fetch` to the client instead.",
  );
}
