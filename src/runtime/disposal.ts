/// <reference lib="esnext.disposable" preserve="true" />

/**
 * Adds `Symbol.asyncDispose` to a class or an object, once, for `await using`, if the runtime has that symbol. Some browsers do
 * not, and a method declared as `[undefined]` would be a method named "undefined". A class calls it in its constructor: bundlers
 * cannot leave out a class if its file calls a function with it.
 *
 * @param prototype - the class's prototype, or the object
 */
export function makeDisposable<T extends object>(
  prototype: T,
  dispose: (object: T) => Promise<void>,
): asserts prototype is T & { [Symbol.asyncDispose](): Promise<void> } {
  if (typeof Symbol.asyncDispose !== "symbol" || Symbol.asyncDispose in prototype) return;
  Object.defineProperty(prototype, Symbol.asyncDispose, {
    configurable: true,
    writable: true,
    value(this: T) {
      return dispose(this);
    },
  });
}
