import type { InferOutput } from "../request/schema.ts";
import type { Template } from "../template.ts";

/** A call that reached a fake service, with a valid key and readable values. */
export interface FakeCall<U extends string = string, V = Record<string, unknown>> {
  /** The uid of the requested template. */
  readonly uid: U;
  /** The received values: the schema's output after JSON serialization. */
  readonly values: V;
  /** The headers of the request, without the API key. */
  readonly headers: Headers;
  /** The name of the fault that was applied to the request, if any. */
  readonly fault: string | undefined;
}

/** The calls for a map of templates, discriminated by `uid`. */
export type FakeCallOf<T> = string extends keyof T
  ? FakeCall
  : { [U in keyof T & string]: FakeCall<U, AsJson<T[U]>> }[keyof T & string];

/** The values sent for a list of templates, by uid. */
export type ByUid<A extends readonly (Template | string)[]> = {
  [E in A[number] as E extends Template ? E["uid"] : E & string]: E extends Template<infer S>
    ? InferOutput<S>
    : Record<string, unknown>;
};

/** The type of a value after JSON serialization. For a `Date`, for example, it is the return type of `toJSON`. */
type AsJson<V> = unknown extends V
  ? V
  : V extends Json
    ? V
    : V extends { toJSON(): infer J }
      ? AsJson<J>
      : V extends object
        ? { [K in keyof V]: AsJson<V[K]> }
        : V;

/** Types that JSON does not change, including branded and recursive ones. */
type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Json[]
  | { readonly [name: string]: Json };
