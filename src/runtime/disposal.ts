/// <reference lib="esnext.disposable" preserve="true" />

/**
 * Adds a `Symbol.asyncDispose` method to a class or an object for `await using`, once and only if the runtime has that symbol.
 * Otherwise the method would be named "undefined". Call it in the constructor of a class: bundlers cannot remove a class that is
 * passed to a function at the top level of its file.
 *
 * @param prototype - the prototype of the class, or the object
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
