/**
 * The Standard Schema interface, version 1 (https://standardschema.dev), so that any schema library fits and none is
 * imported. Its authors allow copying the interface and advise it.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** What every library says in the same words. */
  readonly "~standard": {
    /** The version of the interface. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Gives what comes out of a value, or what is wrong with it. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** For the compiler alone. */
    readonly types?:
      | {
          /** What it takes. */
          readonly input: Input;
          /** What it gives. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** What a schema says of a value: its output, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value, and where. */
interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of the values that a schema takes. */
export type InferInput<S extends StandardSchemaV1> = NonNullable<S["~standard"]["types"]>["input"];

/** The type of the values that a schema gives. */
export type InferOutput<S extends StandardSchemaV1> = NonNullable<S["~standard"]["types"]>["output"];

/**
 * Whether something is a schema of that kind.
 *
 * @internal
 */
export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  return (
    typeof (schema as Partial<StandardSchemaV1> | null | undefined)?.["~standard"]?.validate === "function"
  );
}

/**
 * Gives the place that an issue is about; of what is no issue, and of a path that is none, the whole.
 *
 * @internal
 */
export function placeOf(issue: unknown): (string | number)[] {
  const path = (issue as Partial<StandardIssue> | null | undefined)?.path;
  // Not `map`, which asks a library's own class of arrays for another of its kind.
  return Array.isArray(path) ? Array.from(path, keyOf) : [];
}

/**
 * Gives what an issue says, or nothing.
 *
 * @internal
 */
export function messageOf(issue: unknown): string {
  const message = (issue as Partial<StandardIssue> | null | undefined)?.message;
  return typeof message === "string" ? message : "";
}

function keyOf(segment: unknown): string | number {
  const key = isObject(segment) ? (segment as { key?: unknown }).key : segment;
  if (typeof key === "number") return key;
  // The key of a `Map` can be anything, even an object that refuses to become a string.
  return isObject(key) ? "?" : String(key);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
