import { ConfigurationError, type ValuesIssue } from "../errors/errors.ts";
import { callSafely } from "../errors/foreign-values.ts";
import { Redactor } from "../errors/redact.ts";
import { describeKind, isAnyObject, nameOfError } from "../errors/value-kinds.ts";
import { ownOption, ownOptions } from "../runtime/own-options.ts";
import { maxIssues, serializeValues, valuesError } from "./serialize-values.ts";

/**
 * The Standard Schema interface, version 1 (https://standardschema.dev). A schema from any library that
 * implements this interface works. The interface is copied into this package, as its authors recommend, so no
 * import is needed.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** The properties that the standard defines. */
  readonly "~standard": {
    /** The version of the interface. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Checks a value and returns the output or the issues. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** The types, which exist only at compile time. */
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

/** A problem with a value, and its path. */
interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema may return. */
interface SchemaResult {
  issues?: unknown;
  value?: unknown;
}

/** The type of the values that a schema takes. */
export type InferInput<S extends StandardSchemaV1> = NonNullable<S["~standard"]["types"]>["input"];

/** The type of the values that a schema returns. */
export type InferOutput<S extends StandardSchemaV1> = NonNullable<S["~standard"]["types"]>["output"];

/** A template with values of any type. */
export interface AnyTemplate {
  /** The template's uid, from the dashboard. */
  readonly uid: string;
  /** The schema that checks the values; `undefined` if there is none. */
  readonly schema: StandardSchemaV1 | undefined;
}

/**
 * The property of a template that checks and serializes its values. Registered globally, for templates from other copies of
 * this package.
 */
export const serializer: unique symbol = Symbol.for("template-pdf.serializer") as never;

/**
 * A template that serializes its own values. Browser bundles that use no schemas therefore do not need
 * this file.
 */
export interface CheckedTemplate extends AnyTemplate {
  readonly [serializer]?: (values: unknown) => string | Promise<string>;
}

/** Whether a value is a Standard Schema. */
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
      ? "Check its import, or omit the schema to skip the check"
      : "Use zod 3.24 or later, valibot 1, arktype 2 or another library that implements it";
  throw new ConfigurationError(
    `Expected the schema of template ${JSON.stringify(uid)} to be a Standard Schema, got ${describeKind(schema)}. ${advice}.`,
  );
}

/** Copies a template that a caller may have written by hand. */
export function ownTemplate(template: AnyTemplate): AnyTemplate {
  return { uid: template.uid, schema: ownOption(template, "schema") };
}

/**
 * Checks values with a template's schema, if it has one, and creates the request body.
 *
 * @returns the JSON text, or a promise for it if the schema is asynchronous
 * @throws {ValuesError} with the path of every issue
 * @throws {ConfigurationError} if the schema violates the Standard Schema contract
 */
export function serializeChecked(template: AnyTemplate, values: unknown): string | Promise<string> {
  const { uid, schema } = template;
  // Values that are a promise are rejected. Only the schema may be asynchronous.
  if (schema === undefined) return serializeValues(values, uid);
  const write = (output: unknown) => serializeValues(output, uid, output !== values);
  const output = checkValues(template, values);
  if (!(output instanceof Promise)) return write(output);
  const body = output.then(write);
  // The call reports the error. This avoids an unhandled rejection if the call never starts.
  body.catch(() => {});
  return body;
}

/**
 * Checks values with a template's schema, if it has one.
 *
 * @returns the schema's output, or a promise for it if the schema is asynchronous
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
    throw schemaError(uid, `threw ${nameOfError(error)} instead of returning issues`, cause);
  };
  const outputOf = (returned: unknown): unknown => {
    let result: ReturnType<typeof readResult> = {};
    try {
      result = readResult(returned, redactor);
    } catch (error) {
      fail(error);
    }
    if (result.issues?.length) throw valuesError(uid, result.issues, undefined, ": ");
    if (result.value === undefined) throw schemaError(uid, "returned neither a value nor issues");
    return result.value;
  };
  let returned: unknown;
  try {
    returned = schema["~standard"].validate(values);
    if (isThenable(returned)) returned = Promise.resolve(returned);
  } catch (error) {
    fail(error);
  }
  if (!(returned instanceof Promise)) return outputOf(returned);
  // Uses the current values, because the caller may change them before the schema returns.
  const known = redactorOf(values);
  redactor = () => known;
  return returned.then(outputOf, fail);
}

/**
 * Reads the result of a schema. Returns neither a value nor issues if it violates the contract. Rethrows errors from its getters.
 */
function readResult(
  returned: unknown,
  redactorFor: () => Redactor | undefined,
): { readonly value?: unknown; readonly issues?: readonly ValuesIssue[] } {
  const { issues, value } = ownOptions<SchemaResult>(Object(returned), ["issues", "value"]);
  if (!issues && !isThenable(value)) return { value };
  if (!Array.isArray(issues)) {
    // A promise in the result would not be awaited. Its rejection must not be unhandled.
    callSafely(() => issues || value);
    return {};
  }
  const redactor = redactorFor();
  return {
    issues: Array.from({ length: Math.min(issues.length, maxIssues) }, (_, index) => {
      const issue: unknown = issues[index];
      const { message } = Object(issue) as { message?: unknown };
      const text = typeof message === "string" ? redactor?.quote(message, maxIssueLength) : undefined;
      return { path: issuePath(issue), message: text || "does not match the schema" };
    }),
  };
}

/** The maximum length of a message from the schema, in characters. */
const maxIssueLength = 500;

/**
 * Reads the path from a schema's issue. The path is empty if the issue concerns the values object as a whole.
 */
export function issuePath(issue: unknown): (string | number)[] {
  const { path } = Object(issue) as { path?: unknown };
  // Not `map`, which would return an instance of a subclass of `Array`.
  return Array.isArray(path) ? Array.from(path, readSegment) : [];
}

function readSegment(segment: unknown): string | number {
  const key = isAnyObject(segment) ? (segment as { key?: unknown }).key : segment;
  if (typeof key === "number") return key;
  // The key of a `Map` can be an object that cannot be converted to a string.
  return isAnyObject(key) ? "?" : String(key);
}

/** Not `instanceof`, because a library may use its own promise class. */
function isThenable(value: unknown): boolean {
  return typeof (value as PromiseLike<unknown> | undefined | null)?.then === "function";
}

/** Creates a redactor for values; `undefined` if they cannot be read, in which case no text is safe. */
function redactorOf(values: unknown): Redactor | undefined {
  try {
    return new Redactor(undefined, JSON.stringify({ values }, quotableTexts));
  } catch {
    return undefined;
  }
}

/** Adds the strings with which a message may quote values that JSON omits or converts. */
function quotableTexts(this: unknown, key: string, json: unknown): unknown {
  const value = (this as Record<string, unknown>)[key];
  if (typeof value === "bigint") return String(value);
  if (typeof value === "symbol") return value.description;
  if (value instanceof Map || value instanceof Set) return [...value];
  if (!(value instanceof Date)) return json;
  return [json, String(value), value.toLocaleDateString("en", { dateStyle: "long" })];
}

function schemaError(uid: string, problem: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(
    `The schema of template ${JSON.stringify(uid)} ${problem}, so the request was not sent. Fix the schema.`,
    { cause },
  );
}
