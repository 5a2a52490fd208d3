/** Removes the refused command from an ioredis error, because it contains the password or values of jobs. */
export function withoutCommand<E>(error: E): E {
  if (typeof error === "object" && error !== null) Reflect.deleteProperty(error, "command");
  return error;
}
