import { describeKind } from "../errors/value-kinds.ts";
import {
  type AnyTemplate,
  type CallOptions,
  ConfigurationError,
  type PendingPdf,
  type Values,
} from "../index.ts";

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

/** What a job may be: a uid of the client's map, or a `template()`, with the values of that. */
export type JobOf<T, J = Job> =
  | { [U in keyof T & string]: JobWith<U, T[U]> }[keyof T & string]
  | JobWith<TemplateOf<T, J>, ValuesOf<J>>;

type TemplateOf<T, J> = string extends keyof T
  ? J extends ToldJob
    ? AnyTemplate
    : Job["template"]
  : AnyTemplate;
type ValuesOf<J> = J extends { readonly template: infer G extends AnyTemplate }
  ? Values<G>
  : J extends ToldJob
    ? never
    : object;

/** A job of which is known whether it has a uid or a `template()`. */
type ToldJob = { readonly template: string } | { readonly template: AnyTemplate };

/** A job as the compiler names it where one does not fit; any other members do. */
interface JobWith<G, V> {
  readonly template: G;
  readonly values: V;
  readonly options?: JobOptions | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: of `unknown`, no interface would have this.
  readonly [member: string]: any;
}

/** Of jobs of several kinds, each has the values of its own template. */
export type Fitting<J> = J extends { readonly template: infer G extends AnyTemplate }
  ? {
      /** The job's template. */
      readonly template: G;
      /** What that takes. */
      readonly values: Values<G>;
    }
  : unknown;

/** Jobs, one at a time: an array, a generator, a query's cursor, or whatever else can be gone through by `for await`. */
export type Jobs<J> = readonly J[] | Iterable<J> | AsyncIterable<J>;

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
  /** The job itself, with all its members. */
  readonly job: J;
  /** The job's place among the jobs, from 0. */
  readonly index: number;
  /** How many times the document was asked for; 0 where nothing was sent. */
  readonly attempts: number;
}

/** A job whose document is whole and was put to use. */
export interface Fulfilled<J, R> extends Settled<J> {
  /** Tells the results apart. */
  readonly status: "fulfilled";
  /** What `use` gave: the document's bytes by default. */
  readonly value: R;
  /** None. */
  readonly error?: undefined;
}

/** A job that has failed for good. */
export interface Rejected<J> extends Settled<J> {
  /** Tells the results apart. */
  readonly status: "rejected";
  /** What its last attempt failed with. */
  readonly error: unknown;
  /** None. */
  readonly value?: undefined;
}

/** How a job ended. */
export type Result<J, R> = Fulfilled<J, R> | Rejected<J>;

/**
 * Checks that a job is one, as far as the client does not.
 *
 * @throws {ConfigurationError} naming the job by its place
 */
export function checkJob<J extends Job>(job: J, index: number): J {
  const isObject = typeof job === "object" && job !== null;
  if (isObject && job.template !== undefined) {
    if (job.options === undefined || !("retry" in job.options)) return job;
    throw new ConfigurationError(
      `Job ${index} has \`retry\` among its options, and the run decides when a document is asked for again. Give \`retry\` to the run. Nothing was sent for it.`,
    );
  }
  const what = isObject ? "has no `template`" : `is ${describeKind(job)}`;
  throw new ConfigurationError(
    `Job ${index} ${what}. Give every job as { template, values }, where \`template\` is a uid or a template(). Nothing was sent for it.`,
  );
}

/** The text of a job's key; nothing if what was given is neither a number nor a text that is not empty. */
export function keyTextOf(given: unknown): string | undefined {
  const isKey = (typeof given === "string" && given !== "") || Number.isFinite(given);
  return isKey ? String(given) : undefined;
}
