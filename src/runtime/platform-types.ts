/** Types that exist in some runtimes only, so that a browser project needs no `@types/node`. */

/** Bytes that own their memory; `Uint8Array<ArrayBuffer>` where TypeScript (5.7 and later) knows the difference. */
export type Bytes = ReturnType<Uint8Array["slice"]>;

/** Node's `Buffer`, where Node's types are there; else plain bytes. */
export type NodeBuffer = typeof globalThis extends { Buffer: { from(data: string): infer B } } ? B : Bytes;

// biome-ignore lint/suspicious/noTsIgnore: "expect-error" would itself be an error wherever Node's types are there.
/** @ts-ignore: a project without Node's types has no such module; the type is then `any`. */
export type NodeReadable = import("node:stream").Readable;
