import type { InferOutput } from "../request/schema.ts";
import type { Template } from "../template.ts";

/** One call for a document that reached a fake service, with a right key and readable values. */
export interface FakeCall<U extends string = string, V = Record<string, unknown>> {
  /** The template that was asked for. */
  readonly uid: U;
  /** What came: what a schema gave, after JSON. */
  readonly values: V;
  /** The headers of the request, but for the key. */
  readonly headers: Headers;
  /** The name of the fault that was its answer. */
  readonly fault: string | undefined;
}

/** The calls for the templates of a map, which `uid` tells apart. */
export type FakeCallOf<T> = string extends keyof T
  ? FakeCall
  : { [U in keyof T & string]: FakeCall<U, AsJson<T[U]>> }[keyof T & string];

/** The map of a list of templates: what is sent for each, by uid. */
export type ByUid<A extends readonly (Template | string)[]> = {
  [E in A[number] as E extends Template ? E["uid"] : E & string]: E extends Template<infer S>
    ? InferOutput<S>
    : Record<string, unknown>;
};

/** A value as it comes out of JSON: of what has a `toJSON`, such as a `Date`, what that gives. */
type AsJson<V> = unknown extends V
  ? V
  : V extends Json
    ? V
    : V extends { toJSON(): infer J }
      ? AsJson<J>
      : V extends object
        ? { [K in keyof V]: AsJson<V[K]> }
        : V;

/** What JSON leaves as it is; also where it is branded, or made of itself. */
type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Json[]
  | { readonly [name: string]: Json };
