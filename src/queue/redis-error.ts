import { callSafely, readForeignText } from "../errors/foreign-values.ts";
import { QueueError } from "./queue-error.ts";

/** Removes the refused command from an ioredis error, because it contains the password or values of jobs. */
export function withoutCommand<E>(error: E): E {
  callSafely(() => Reflect.deleteProperty(error as object, "command"));
  return error;
}

/** Returns the error to show: a `QueueError` that says what to do for the errors of Redis that operators meet. */
export function redisError(error: unknown): unknown {
  const cause = withoutCommand(error);
  const message = readForeignText(cause, "message") ?? "";
  const text = textOf(message);
  return text === undefined ? cause : new QueueError(text, { cause });
}

function textOf(message: string): string | undefined {
  if (/^READONLY /.test(message))
    return "Redis is read-only, because it is a replica. Connect to the primary.";
  if (/^OOM |\bOOM command not allowed/.test(message)) {
    return "Redis is full, so it refuses this command. Raise `maxmemory`, or remove finished runs. If `add` failed, then add the same jobs again.";
  }
  if (message === "Connection is closed.") {
    return "The connection to Redis was closed while this call was waiting for a response.";
  }
  return undefined;
}
