/**
 * The Standard Schema interface, version 1 (https://standardschema.dev), so that any schema library fits and none is
 * imported. Its authors allow copying the interface and advise it.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
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
 * Gives the place that an issue is about.
 *
 * @internal
 */
export function placeOf({ path = [] }: StandardIssue): (string | number)[] {
  return path.map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment;
    return typeof key === "number" ? key : String(key);
  });
}
