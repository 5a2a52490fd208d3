import { ConfigurationError, type ValuesIssue } from "../errors/errors.ts";
import { nameOfError, Redactor } from "../errors/redact.ts";
import { describeKind, isAnyObject } from "../errors/value-kinds.ts";
import { serializeValues, valuesError } from "./values.ts";
import { maxIssues } from "./values-check.ts";

/**
 * The Standard Schema interface, version 1 (https://standardschema.dev), so that any schema library works and the package
 * imports none. Its authors recommend copying the interface.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** The properties that all libraries share. */
  readonly "~standard": {
    /** The version of the interface. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Returns the output for a value, or the issues. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** For the compiler only. */
    readonly types?:
      | {
          /** The type of the values that the schema takes. */
          readonly input: Input;
          /** The type of the values that the schema returns. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** The result of a schema: its output, or the issues. */
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value, and its path. */
interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of the values that a schema takes. */
export type InferInput<S extends StandardSchemaV1> = NonNullable<S["~standard"]["types"]>["input"];

/** The type of the values that a schema returns. */
export type InferOutput<S extends StandardSchemaV1> = NonNullable<S["~standard"]["types"]>["output"];

/** A template's uid and its schema, whatever its values are. */
export interface AnyTemplate {
  /** The uid, from the dashboard. */
  readonly uid: string;
  /** Checks the values, if there is one. */
  readonly schema: StandardSchemaV1 | undefined;
}

/** Names the check that `template()` puts into a template with a schema. Registered globally, for templates of other copies of this package. */
export const checkedBody: unique symbol = Symbol.for("template-pdf.checked-body") as never;

/** A template that `template()` created with a schema: it writes its own request bodies, so that a page without one does not load this. */
export interface CheckedTemplate extends AnyTemplate {
  readonly [checkedBody]?: (values: unknown) => string | Promise<string>;
}

/** Whether something is a Standard Schema. */
export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  return (
    typeof (schema as Partial<StandardSchemaV1> | null | undefined)?.["~standard"]?.validate === "function"
  );
}

/** @throws {ConfigurationError} if a template's schema is not a Standard Schema */
export function checkSchema(uid: string, schema: unknown): void {
  if (isStandardSchema(schema)) return;
  const advice =
    schema === undefined
      ? "Check where it is imported from; for no check, leave it out"
      : "Give one of zod 3.24 or later, valibot 1, arktype 2 or their like";
  throw new ConfigurationError(
    `The schema of template ${JSON.stringify(uid)} is no Standard Schema, but ${describeKind(schema)}. ${advice}.`,
  );
}

/**
 * Checks values with a template's schema, if it has one, and writes the body of the request.
 *
 * @returns the JSON text; a promise of it if the schema is asynchronous
 * @throws {ValuesError} with the path of every issue
 * @throws {ConfigurationError} if the schema violates the Standard Schema contract
 */
export function bodyOf(template: AnyTemplate, values: unknown): string | Promise<string> {
  const { uid, schema } = template;
  // Values that are a promise are refused: only a schema may be asynchronous.
  if (schema === undefined) return serializeValues(values, uid);
  const write = (output: unknown) => serializeValues(output, uid, output !== values);
  const output = checkValues(template, values);
  if (!(output instanceof Promise)) return write(output);
  const body = output.then(write);
  // The call reports it. A call that never starts leaves no unhandled rejection.
  body.catch(() => {});
  return body;
}

/**
 * Checks values with a template's schema, if it has one.
 *
 * @returns the schema's output; a promise of it if the schema is asynchronous
 * @throws {ValuesError} with the path of every issue
 * @throws {ConfigurationError} if the schema violates the Standard Schema contract
 */
export function checkValues({ uid, schema }: AnyTemplate, values: unknown): unknown {
  if (schema === undefined) return values;
  checkSchema(uid, schema);
  let redactor = () => redactorOf(values);
  const fail = (error: unknown): never => {
    // The error may quote values.
    const cause = redactor()?.causeWithoutSecrets(error);
    throw schemaError(uid, `threw ${nameOfError(error)} instead of naming issues`, cause);
  };
  const outputOf = (answer: unknown): unknown => {
    let result: ReturnType<typeof readResult> = {};
    try {
      result = readResult(answer, redactor);
    } catch (error) {
      fail(error);
    }
    if (result.issues?.length) throw valuesError(uid, result.issues, undefined, ": ");
    if (result.value === undefined) throw schemaError(uid, "gave neither a value nor an issue");
    return result.value;
  };
  let answer: unknown;
  try {
    answer = schema["~standard"].validate(values);
    if (isThenable(answer)) answer = Promise.resolve(answer);
  } catch (error) {
    fail(error);
  }
  if (!(answer instanceof Promise)) return outputOf(answer);
  // The values as they are now: the caller may change them before the schema answers.
  const known = redactorOf(values);
  redactor = () => known;
  return answer.then(outputOf, fail);
}

/** Reads a schema's answer: neither a value nor issues if it violates the contract. A throwing getter throws here. */
function readResult(
  answer: unknown,
  redactorFor: () => Redactor | undefined,
): { readonly value?: unknown; readonly issues?: readonly ValuesIssue[] } {
  const { issues, value } = Object(answer) as { issues?: unknown; value?: unknown };
  // A promise inside an answer is not awaited, so nothing would handle its rejection.
  if (!issues) return isThenable(value) ? {} : { value };
  if (!Array.isArray(issues)) return {};
  const redactor = redactorFor();
  return {
    issues: Array.from({ length: Math.min(issues.length, maxIssues) }, (_, index) => {
      const issue: unknown = issues[index];
      const { message } = Object(issue) as { message?: unknown };
      const text = typeof message === "string" ? redactor?.quote(message, maxIssueLength) : undefined;
      return { path: issuePath(issue), message: text || "is not what the schema allows" };
    }),
  };
}

/** How many characters of a schema's own message an issue keeps. */
const maxIssueLength = 500;

/** Reads the path of a schema's issue; empty, for the values as a whole, if there is none. */
export function issuePath(issue: unknown): (string | number)[] {
  const { path } = Object(issue) as { path?: unknown };
  // Not `map`, which would create an instance of a library's own class of arrays.
  return Array.isArray(path) ? Array.from(path, readSegment) : [];
}

function readSegment(segment: unknown): string | number {
  const key = isAnyObject(segment) ? (segment as { key?: unknown }).key : segment;
  if (typeof key === "number") return key;
  // The key of a `Map` can be anything, even an object that cannot become a string.
  return isAnyObject(key) ? "?" : String(key);
}

/** Not `instanceof`: a library may have promises of its own. */
function isThenable(value: unknown): boolean {
  return typeof (value as PromiseLike<unknown> | undefined | null)?.then === "function";
}

/** Removes values from texts; `undefined` if the values cannot be read, and so no text is safe. */
function redactorOf(values: unknown): Redactor | undefined {
  try {
    return new Redactor(undefined, JSON.stringify({ values }, quotableForms));
  } catch {
    return undefined;
  }
}

/** Adds what a message may quote of values that JSON leaves out or writes differently. */
function quotableForms(this: unknown, key: string, json: unknown): unknown {
  const value = (this as Record<string, unknown>)[key];
  if (typeof value === "bigint") return String(value);
  if (typeof value === "symbol") return value.description;
  if (value instanceof Map || value instanceof Set) return [...value];
  if (!(value instanceof Date)) return json;
  return [
    json,
    value.getMilliseconds(),
    value.toLocaleString("en", { dateStyle: "full", timeStyle: "medium" }),
  ];
}

function schemaError(uid: string, problem: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(
    `The schema of template ${JSON.stringify(uid)} ${problem}. Mend the schema. Nothing was sent.`,
    cause === undefined ? {} : { cause },
  );
}
