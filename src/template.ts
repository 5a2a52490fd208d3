import { checkUid } from "./request/endpoint.ts";
import {
  type AnyTemplate,
  checkSchema,
  type InferInput,
  type StandardSchemaV1,
  serializeChecked,
  serializer,
} from "./request/schema.ts";

/** A template, with its uid and the type of its values. Created by `template()`. */
export interface Template<S extends StandardSchemaV1 = StandardSchemaV1, U extends string = string>
  extends AnyTemplate {
  /** The template's uid, from the dashboard. */
  readonly uid: U;
  /** The schema that checks the values; `undefined` if there is none. */
  readonly schema: S | undefined;
}

/** The schema type of a template without a schema: only the compiler checks the values. */
export interface Unchecked<Values> extends StandardSchemaV1<Values, Values> {}

/**
 * The values that `generate` takes for a template. Use `Values<typeof invoice>` for a `template()`, or `Values<"inv_2024",
 * Templates>` for an entry in a map. If a schema transforms the values, this is their type before the transformation.
 *
 * @typeParam G - a template, or a uid from the map
 * @typeParam T - the map of templates, if `G` is a uid
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
 * Defines a template by its uid and the type of its values.
 *
 * @param uid - the template's uid, from the dashboard
 * @param schema - a Standard Schema (zod, valibot, arktype …). The schema checks the values before the
 * request is sent, and the client sends the output of the schema. Without a schema, only the compiler checks
 * the values, against the type parameter
 * @returns a template that you can pass to `generate` instead of the uid
 * @throws {ConfigurationError} if `uid` is not a valid uid, or `schema` is not a Standard Schema
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
  const created = { uid, schema };
  // A misspelt import is `undefined`, and must not disable the check.
  if (given.length > 0) {
    checkSchema(uid, schema);
    Object.defineProperty(created, serializer, {
      value: (values: unknown) => serializeChecked(created, values),
    });
  }
  return Object.freeze(created);
}
