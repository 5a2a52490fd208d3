import { ConfigurationError } from "./errors.ts";
import { Redactor } from "./redact.ts";
import { isStandardSchema, placeOf, type StandardResult, type StandardSchemaV1 } from "./standard-schema.ts";
import { valuesError } from "./values.ts";

/** A template of the service: its uid, and what its values are. Made by `template()`. */
export interface Template<S extends StandardSchemaV1 = StandardSchemaV1, U extends string = string> {
  readonly uid: U;
  /** Checks the values, where one was given. */
  readonly schema: S | undefined;
}

/**
 * Names a template, and says what its values are.
 *
 * @param uid - the template's uid, from the dashboard
 * @param schema - any Standard Schema (zod, valibot, arktype …): the values are checked by it before anything is
 * sent, and what it gives is sent
 * @returns what `generate` takes in place of a uid
 * @throws {ConfigurationError} when `schema` is no Standard Schema
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
): Template<StandardSchemaV1<Values, Values>, U>;
export function template(uid: string, schema?: StandardSchemaV1): Template {
  if (schema !== undefined && !isStandardSchema(schema)) {
    throw new ConfigurationError(
      `The schema of template ${JSON.stringify(uid)} is no Standard Schema. Give one of zod 3.24 or later, valibot 1, arktype 2 or their like.`,
    );
  }
  return Object.freeze({ uid, schema });
}

/**
 * Checks values by a template's schema.
 *
 * @returns the schema's output: at once, or as a promise where the schema is asynchronous
 * @throws {ValuesError} naming the path of everything that is wrong
 */
export function checkValues(given: Template, values: unknown): unknown {
  if (given.schema === undefined) return values;
  const result = given.schema["~standard"].validate(values);
  // Not `instanceof`: a library may bring promises of its own.
  return "then" in result
    ? Promise.resolve(result).then((later) => outputOf(given.uid, values, later))
    : outputOf(given.uid, values, result);
}

function outputOf(uid: string, values: unknown, result: StandardResult<unknown>): unknown {
  if (!result.issues) return result.value;
  const redact = redactorOf(values);
  throw valuesError(
    uid,
    result.issues.map((issue) => ({ path: placeOf(issue), message: redact(issue.message) })),
  );
}

/** How many characters of a schema's own message are told. */
const maxIssueLength = 500;

/** A schema may quote what it refuses, and a value may not stand in a message. */
function redactorOf(values: unknown): (message: string) => string {
  try {
    const redactor = new Redactor(undefined, JSON.stringify(values) ?? "null");
    return (message) => redactor.quote(message, maxIssueLength);
  } catch {
    return () => "is not what the schema allows";
  }
}
