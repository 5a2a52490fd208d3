type Close = (reason: Error) => unknown;

const closers = new WeakMap<Request, Close>();

/**
 * Notes how a server closes the connection of a request. The adapter for `node:http` would print the error of a body that fails,
 * even if it has already been reported.
 */
export function noteConnection(request: Request, close: Close): void {
  closers.set(request, close);
}

/**
 * Closes the connection of a request before the end of its response.
 *
 * @returns `false` if this is not known for the server, so that the body must fail
 */
export function closeConnection(request: Request, reason: Error): boolean {
  const close = closers.get(request);
  close?.(reason);
  return close !== undefined;
}
