/** Removes from an error of ioredis the command that Redis refused: it holds the password, or values of jobs. */
export function withoutCommand<E>(error: E): E {
  if (typeof error === "object" && error !== null) Reflect.deleteProperty(error, "command");
  return error;
}
