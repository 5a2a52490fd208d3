/// <reference lib="esnext.disposable" preserve="true" />

/**
 * Gives a class, or one object, `Symbol.asyncDispose`, for `await using`, where the runtime has that symbol: Node 20 has, some
 * browsers have not, and a computed method name of `undefined` would be a method named "undefined".
 *
 * @param prototype - of the class
 * @param dispose - ends the use of one object
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
