import { describeKind, isAnyObject } from "../errors/value-kinds.ts";
import {
  type AnyTemplate,
  type CallOptions,
  ConfigurationError,
  type PendingPdf,
  type Values,
} from "../index.ts";
import { ownOption, ownOptions } from "../runtime/own-options.ts";

/** The call options for one job: all except `retry`, which is set for the run. */
export type JobOptions = Omit<CallOptions, "retry">;

/** A document to generate. You can add your own properties, such as a row number, because each result contains its job. */
export interface Job {
  /** The template uid, or a `template()`. */
  readonly template: string | AnyTemplate;
  /** The values: a JSON object with a property for each placeholder in the template. */
  readonly values: object;
  /** Call options for this document. */
  readonly options?: JobOptions | undefined;
}

/** The type of job that a client accepts: a uid from its template map, or a `template()`, with matching values. */
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

/** A job with a uid or with a `template()`. */
type ToldJob = { readonly template: string } | { readonly template: AnyTemplate };

/** A job as it appears in compiler errors. It may have other properties. */
interface JobWith<G, V> {
  readonly template: G;
  readonly values: V;
  readonly options?: JobOptions | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: interfaces are not assignable to `unknown` records.
  readonly [member: string]: any;
}

/** Checks at compile time that the values of each job match the job's own template. */
export type Fitting<J> = J extends { readonly template: infer G extends AnyTemplate }
  ? {
      /** The template for the job. */
      readonly template: G;
      /** The values for the template. */
      readonly values: Values<G>;
    }
  : unknown;

/** Any iterable of jobs: an array, a generator, a database cursor, or anything else that `for await` accepts. */
export type Jobs<J> = readonly J[] | Iterable<J> | AsyncIterable<J>;

/** What `use` receives in addition to the document. */
export interface UseContext {
  /** The index of the job, starting at 0. */
  readonly index: number;
  /** The attempt number, starting at 1. */
  readonly attempt: number;
  /** A signal that is aborted with the run. Pass it to other work in `use`. */
  readonly signal: AbortSignal;
}

/**
 * Reads a document and returns the `value` of the job's result. This function is called for every attempt,
 * and must read the whole document before it returns or resolves.
 */
export type Use<J, R> = (pdf: PendingPdf, job: J, context: UseContext) => Promise<R> | R;

/** The properties of every result. */
interface Settled<J> {
  /** The job that you passed. */
  readonly job: J;
  /** The index of the job, starting at 0. */
  readonly index: number;
  /** The number of requests; 0 if none was sent. */
  readonly attempts: number;
}

/** The result of a job whose `use` call succeeded. */
export interface Fulfilled<J, R> extends Settled<J> {
  /** The kind of result. */
  readonly status: "fulfilled";
  /** What `use` returned. Default: the bytes of the document. */
  readonly value: R;
  /** Not set. */
  readonly error?: undefined;
}

/** The result of a job that failed. */
export interface Rejected<J> extends Settled<J> {
  /** The kind of result. */
  readonly status: "rejected";
  /** The error from the last attempt. */
  readonly error: unknown;
  /** Not set. */
  readonly value?: undefined;
}

/** The result of a job. */
export type Result<J, R> = Fulfilled<J, R> | Rejected<J>;

const partsOfJob = ["template", "values", "options"] as const;

/**
 * Checks a job, except for the parts that the client checks.
 *
 * @returns a copy, without the caller's own properties
 * @throws {ConfigurationError} if the job is invalid. The message contains the index of the job
 */
export function checkJob<J extends Job>(given: J, index: number): Pick<J, keyof Job> {
  const isObject = typeof given === "object" && given !== null;
  const job: Pick<J, keyof Job> | undefined = isObject ? ownOptions(given, partsOfJob) : undefined;
  if (job?.template !== undefined) {
    const { options } = job;
    const isPlain = !isAnyObject(options) || ownOption(options as CallOptions, "retry") === undefined;
    if (isPlain) return job;
    throw new ConfigurationError(
      `Job ${index} has \`retry\` in its options, so no request was sent for it. Pass \`retry\` to the run instead.`,
    );
  }
  const what = isObject ? "has no `template`" : `is ${describeKind(given)}`;
  throw new ConfigurationError(
    `Job ${index} ${what}, so no request was sent for it. Pass every job as { template, values }, where \`template\` is a uid or a template().`,
  );
}

/** Returns a key as a string, or `undefined` if it is neither a number nor a non-empty string. */
export function keyTextOf(given: unknown): string | undefined {
  const isKey = (typeof given === "string" && given !== "") || Number.isFinite(given);
  return isKey ? String(given) : undefined;
}
