import { ConfigurationError } from "../index.ts";
import { isResponse } from "../service/to-response.ts";
import type { OwnFunction } from "./options.ts";

/** One of the server's functions failed. `cause` is the error that it threw. */
export class FunctionFailure extends Error {
  readonly failed: OwnFunction;

  constructor(failed: OwnFunction, cause: unknown) {
    super(`${failed} failed`, { cause });
    this.failed = failed;
  }
}

/**
 * Calls one of the server's functions, which may return or throw a `Response`.
 *
 * @returns its result. A `Response` is copied, because headers are added and the function may return it again
 * @throws {ConfigurationError} if the `Response` cannot be sent
 * @throws {FunctionFailure} if the function fails
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
      `The handler's \`${name}\` returned a Response that cannot be sent, because it has already been read or comes from a failed fetch. Return a new Response for every call.`,
    );
  }
}
