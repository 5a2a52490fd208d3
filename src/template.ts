import { ConfigurationError, type ValuesIssue } from "./errors/errors.ts";
import { nameOfError, Redactor } from "./errors/redact.ts";
import {
  type InferInput,
  isStandardSchema,
  messageOf,
  placeOf,
  type StandardSchemaV1,
} from "./request/standard-schema.ts";
import { checkUid } from "./request/url.ts";
import { maxIssues, describeKind, serializeValues, valuesError } from "./request/values.ts";

/** A template of the service: its uid, and what its values are. Made by `template()`. */
export interface Template<S extends StandardSchemaV1 = StandardSchemaV1, U extends string = string> {
  /** The uid, from the dashboard. */
  readonly uid: U;
  /** Checks the values, where one was given. */
  readonly schema: S | undefined;
}

/** A template, whatever its values are. Named, so that the compiler has a short word for it. */
export interface AnyTemplate extends Template {}

/** Stands where no schema was given: values whose type the compiler knows, and that nothing checks at run time. */
export interface Unchecked<Values> extends StandardSchemaV1<Values, Values> {}

/**
 * The values that `generate` takes for a template: `Values<typeof invoice>` of a `template()`, or
 * `Values<"inv_2024", Templates>` of a map. Where a schema changes them, these are the ones that go into it.
 *
 * @typeParam G - a template, or a uid of the map
 * @typeParam T - the map of templates, where `G` is a uid
 *
 * @example
 * ```ts
 * import * as z from "zod";
 *
 * const invoice = template("inv_2024", z.object({ date: z.string(), total: z.string() }));
 * const values: Values<typeof invoice> = { date: "20 November 2026", total: "£1,000,000" };
 * ```
 */
export type Values<G extends (keyof T & string) | AnyTemplate, T = Record<string, object>> =
  G extends Template<infer S> ? InferInput<S> : G extends keyof T ? T[G] : never;

/**
 * Names a template, and says what its values are.
 *
 * @param uid - the template's uid, from the dashboard
 * @param schema - any Standard Schema (zod, valibot, arktype …): the values are checked by it before anything is
 * sent, and what it gives is sent. Without one, the type parameter says what the values are, to the compiler only
 * @returns what `generate` takes in place of a uid
 * @throws {ConfigurationError} when `uid` can be no uid, or `schema` was given and is no Standard Schema
 *
 * @example
 * ```ts
 * import * as z from "zod";
 *
 * const invoice = template("inv_2024", z.object({ date: z.string(), total: z.string() }));
 * await pdfs.generate(invoice, { date: "20 November 2026", total: "£1,000,000" }).saveTo("invoice.pdf");
 * ```
 *
 * @see https://standardschema.dev
 */
export function template<S extends StandardSchemaV1, U extends string>(uid: U, schema: S): Template<S, U>;
export function template<Values extends object = Record<string, unknown>, U extends string = string>(
  uid: U,
): Template<Unchecked<Values>, U>;
export function template(uid: string, ...given: [schema?: StandardSchemaV1]): Template {
  checkUid(uid);
  const [schema] = given;
  // Whoever names a schema that is not there wants one: a misspelt import must not switch the check off.
  if (given.length > 0) checkSchema(uid, schema);
  return Object.freeze({ uid, schema });
}

/**
 * Checks values by a template's schema, where it has one, and writes down what is to be sent.
 *
 * @returns the JSON text: at once, or as a promise where the schema is asynchronous
 * @throws {ValuesError} naming the path of everything that is wrong
 * @throws {ConfigurationError} when the schema breaks its word
 */
export function bodyOf(given: Template, values: unknown): string | Promise<string> {
  // Values that are a promise are none; only a schema may take its time.
  if (given.schema === undefined) return serializeValues(values, given.uid);
  const write = (output: unknown) => serializeValues(output, given.uid, output !== values);
  const checked = checkValues(given, values);
  if (!(checked instanceof Promise)) return write(checked);
  const body = checked.then(write);
  // Told when the call starts; a call that never starts is no unhandled rejection.
  body.catch(() => {});
  return body;
}

/**
 * Checks values by a template's schema, where it has one.
 *
 * @returns the schema's output: at once, or as a promise where the schema is asynchronous
 * @throws {ValuesError} naming the path of everything that is wrong
 * @throws {ConfigurationError} when the schema breaks its word
 */
export function checkValues({ uid, schema }: Template, values: unknown): unknown {
  if (schema === undefined) return values;
  checkSchema(uid, schema);
  const failed = (error: unknown, redactor = redactorOf(values)): never => {
    // It may quote values.
    const cause = redactor?.causeWithoutSecrets(error);
    throw brokenSchema(uid, `threw ${nameOfError(error)} instead of naming issues`, cause);
  };
  const read = (result: unknown, redactor?: Redactor): unknown => {
    let verdict: Verdict = {};
    try {
      verdict = verdictOf(result, () => redactor ?? redactorOf(values));
    } catch (error) {
      failed(error, redactor);
    }
    const { value, issues } = verdict;
    if (issues?.length) throw valuesError(uid, issues, undefined, ": ");
    if (value === undefined) throw brokenSchema(uid, "gave neither a value nor an issue");
    return value;
  };
  let result: unknown;
  let later: Promise<unknown> | undefined;
  try {
    result = schema["~standard"].validate(values);
    if (isThenable(result)) later = Promise.resolve(result);
  } catch (error) {
    failed(error);
  }
  if (!later) return read(result);
  // As the values are now: the caller may change them meanwhile.
  const redactor = redactorOf(values);
  return later.then(
    (given) => read(given, redactor),
    (error) => failed(error, redactor),
  );
}

function checkSchema(uid: string, schema: unknown): void {
  if (isStandardSchema(schema)) return;
  const advice =
    schema === undefined
      ? "Check where it is imported from; for no check, leave it out"
      : "Give one of zod 3.24 or later, valibot 1, arktype 2 or their like";
  throw new ConfigurationError(
    `The schema of template ${JSON.stringify(uid)} is no Standard Schema, but ${describeKind(schema)}. ${advice}.`,
  );
}

/** What a schema said; neither of both where it broke its word. */
interface Verdict {
  readonly value?: unknown;
  readonly issues?: readonly ValuesIssue[];
}

/** Reads what a schema said, whatever that is. What its getters throw is thrown. */
function verdictOf(result: unknown, redactorNow: () => Redactor | undefined): Verdict {
  const { issues, value } = Object(result) as { issues?: unknown; value?: unknown };
  // A promise has no place within an answer: nobody would know what it fails with.
  if (!issues) return isThenable(value) ? {} : { value };
  if (!Array.isArray(issues)) return {};
  const redactor = redactorNow();
  const tell = (issue: unknown): ValuesIssue => ({
    path: placeOf(issue),
    message: redactor?.quote(messageOf(issue), maxIssueLength) || "is not what the schema allows",
  });
  return { issues: Array.from({ length: Math.min(issues.length, maxIssues) }, (_, at) => tell(issues[at])) };
}

/** Not `instanceof`: a library may bring promises of its own. */
function isThenable(value: unknown): boolean {
  return typeof (value as PromiseLike<unknown> | undefined | null)?.then === "function";
}

/** How many characters of a schema's own message are told. */
const maxIssueLength = 500;

/** Takes values out of texts. Of values that cannot be read none is known, and nothing can be told. */
function redactorOf(values: unknown): Redactor | undefined {
  try {
    return new Redactor(undefined, JSON.stringify({ values }, asQuoted));
  } catch {
    return undefined;
  }
}

/** Beside what JSON holds, what a schema may quote of the other kinds of values that there are. */
function asQuoted(this: unknown, key: string, json: unknown): unknown {
  const value = (this as Record<string, unknown>)[key];
  if (typeof value === "bigint") return String(value);
  if (typeof value === "symbol") return value.description;
  if (value instanceof Map || value instanceof Set) return [...value];
  // Of an invalid one there is nothing to be told.
  if (!(value instanceof Date) || json === null) return json;
  return [
    json,
    value.getMilliseconds(),
    value.toLocaleString("en", { dateStyle: "full", timeStyle: "medium" }),
  ];
}

function brokenSchema(uid: string, how: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(
    `The schema of template ${JSON.stringify(uid)} ${how}. Mend the schema. Nothing was sent.`,
    cause === undefined ? {} : { cause },
  );
}
