import { callSafely } from "../errors/foreign-values.ts";

/** Removes the refused command from an ioredis error, because it contains the password or values of jobs. */
export function withoutCommand<E>(error: E): E {
  callSafely(() => Reflect.deleteProperty(error as object, "command"));
  return error;
}
