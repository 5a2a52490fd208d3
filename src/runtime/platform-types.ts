/** Types for runtimes, defined so that a browser project does not need `@types/node`. */

/** A `Uint8Array`; in TypeScript 5.7 and later a `Uint8Array<ArrayBuffer>`, which is never backed by shared memory. */
export type Bytes = ReturnType<Uint8Array["slice"]>;

/** Node's `Buffer` if the project has Node's types, otherwise `Bytes`. */
export type NodeBuffer = typeof globalThis extends { Buffer: { from(data: string): infer B } } ? B : Bytes;

// biome-ignore lint/suspicious/noTsIgnore: "expect-error" would itself be an error in a project with Node's types.
/** @ts-ignore: in a project without Node's types, this module does not exist and the type is `any`. */
export type NodeReadable = import("node:stream").Readable;

/**
 * Types of the web platform. These empty declarations add nothing to those of `lib: ["DOM"]`, Node, Bun, Deno or Workers. A project
 * without any of them would get one error for each use of these names in this package.
 */
declare global {
  interface AbortSignal {}
  interface Blob {}
  interface Headers {}
  // biome-ignore lint/suspicious/noExplicitAny: all declarations must have the same type parameters.
  interface ReadableStream<R = any> {}
  interface Request {}
  interface RequestInit {}
  interface Response {}
  interface ResponseInit {}
  interface URL {}
}
