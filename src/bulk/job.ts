import type { AnyTemplate, CallOptions, PendingPdf, Values } from "../index.ts";

/** The options of one job's calls: those of any call, but for `retry`, which is the run's. */
export type JobOptions = Omit<CallOptions, "retry">;

/** One document to be generated. Members of your own, such as a row's number, are kept: the job comes back with its result. */
export interface Job {
  /** The template's uid, or a `template()`. */
  readonly template: string | AnyTemplate;
  /** One JSON object: a property per placeholder of the template. */
  readonly values: object;
  /** What is different for this document's calls. */
  readonly options?: JobOptions | undefined;
}

/** Jobs whose values belong to their template, as the compiler sees it: `never` in place of what does not fit. */
export type Fitting<J, T> = J extends { readonly template: infer G }
  ? G extends (keyof T & string) | AnyTemplate
    ? { readonly template: G; readonly values: Values<G, T> }
    : { readonly template: (keyof T & string) | AnyTemplate }
  : never;

/** Jobs, one at a time: an array, a generator, a query's cursor, or whatever else can be gone through by `for await`. */
export type Jobs<J> = Iterable<J> | AsyncIterable<J>;

/** What `use` hears beside the document. */
export interface UseContext {
  /** The job's place among the jobs, from 0. */
  readonly index: number;
  /** Which try it is, from 1. */
  readonly attempt: number;
  /** Aborted when the run is: for what `use` does beside the document. */
  readonly signal: AbortSignal;
}

/**
 * Makes of a document what its result is to be. It is called anew for every attempt, and has to read the document to its end
 * before it is done.
 */
export type Use<J, R> = (pdf: PendingPdf, job: J, context: UseContext) => Promise<R> | R;

/** What every result tells. */
interface Settled<J> {
  readonly job: J;
  /** The job's place among the jobs, from 0. */
  readonly index: number;
  /** How many times the document was asked for; 0 where nothing was sent. */
  readonly attempts: number;
}

/** A job whose document is whole and was put to use. */
export interface Fulfilled<J, R> extends Settled<J> {
  readonly status: "fulfilled";
  /** What `use` gave: the document's bytes by default. */
  readonly value: R;
}

/** A job that has failed for good. */
export interface Rejected<J> extends Settled<J> {
  readonly status: "rejected";
  /** What its last attempt failed with. */
  readonly error: unknown;
}

/** How a job ended. */
export type Result<J, R> = Fulfilled<J, R> | Rejected<J>;
