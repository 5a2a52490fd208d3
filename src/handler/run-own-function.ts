import { ConfigurationError } from "../index.ts";
import { isResponse } from "../service/to-response.ts";
import type { OwnFunction } from "./options.ts";

/** One of the functions of the server has failed; `cause` is what it threw. */
export class FunctionFailure extends Error {
  readonly failed: OwnFunction;

  constructor(failed: OwnFunction, cause: unknown) {
    super(`${failed} failed`, { cause });
    this.failed = failed;
  }
}

/**
 * Calls one of the functions of the server, which may return or throw a `Response` to answer the request itself.
 *
 * @returns its result; a `Response` as a copy, because it may return the same one again, and headers are added to each
 * @throws {ConfigurationError} if that `Response` cannot be sent
 * @throws {FunctionFailure} if it fails
 */
export async function runOwnFunction<T>(name: OwnFunction, run: () => T | Promise<T>): Promise<T | Response> {
  let given: T | Response;
  try {
    given = await run();
  } catch (thrown) {
    if (!isResponse(thrown)) throw new FunctionFailure(name, thrown);
    given = thrown;
  }
  if (!isResponse(given)) return given;
  try {
    return new Response(given.body, given);
  } catch {
    throw new ConfigurationError(
      `\`${name}\` of the handler gave a Response that cannot be sent: it was read before, or is that of a failed fetch. Make a new one for every call.`,
    );
  }
}
