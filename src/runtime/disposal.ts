/// <reference lib="esnext.disposable" preserve="true" />

/**
 * Adds `Symbol.asyncDispose` to a class or an object, for `await using`, if the runtime has that symbol. Some browsers do
 * not, and a method declared as `[undefined]` would be a method named "undefined".
 *
 * @param prototype - the class's prototype, or the object
 */
export function makeDisposable<T extends object>(
  prototype: T,
  dispose: (object: T) => Promise<void>,
): asserts prototype is T & { [Symbol.asyncDispose](): Promise<void> } {
  if (typeof Symbol.asyncDispose !== "symbol") return;
  Object.defineProperty(prototype, Symbol.asyncDispose, {
    configurable: true,
    writable: true,
    value(this: T) {
      return dispose(this);
    },
  });
}
