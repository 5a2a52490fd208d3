import fc from "fast-check";

/** A schema, and values of which it takes most. */
export interface Sampled {
  readonly schema: unknown;
  readonly values: fc.Arbitrary<unknown>;
}

// Not `__proto__`, over which the validator that they are compared with stumbles.
const name = fc.constantFrom("a", "b", "kind", "constructor", "x y");
const primitives = [
  { schema: { type: "string" }, values: fc.constantFrom("", "a", "b") },
  { schema: { type: "number" }, values: fc.constantFrom(0, 1.5, -2) },
  { schema: { type: "boolean" }, values: fc.boolean() },
  { schema: { type: "null" }, values: fc.constant(null) },
  { schema: { type: ["string", "null"] }, values: fc.constantFrom("a", null) },
] satisfies readonly Sampled[];

/** What is tried beside values that fit: anything. */
export const anyValue = fc.jsonValue({ maxDepth: 2 });

function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  // So that `__proto__` is a name like any other.
  return Object.fromEntries(entries);
}

const literal = fc
  .uniqueArray(fc.constantFrom<unknown>("a", "b", 1, true, false, null), { minLength: 1, maxLength: 3 })
  .map((values): Sampled => ({ schema: { enum: values }, values: fc.constantFrom(...values) }));

function arrayOf(item: fc.Arbitrary<Sampled>): fc.Arbitrary<Sampled> {
  return item.map(({ schema, values }) => ({
    schema: { type: "array", items: schema },
    values: fc.array(values, { maxLength: 3 }),
  }));
}

function tupleOf(item: fc.Arbitrary<Sampled>): fc.Arbitrary<Sampled> {
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => ({
    schema: {
      type: "array",
      prefixItems: items.map(({ schema }) => schema),
      items: false,
      minItems: items.length,
    },
    values: fc.tuple(...items.map(({ values }) => values)),
  }));
}

/** An object whose members have names of their own, and perhaps others. */
function objectSchemaOf(
  item: fc.Arbitrary<Sampled>,
  others: fc.Arbitrary<Sampled | undefined>,
): fc.Arbitrary<Sampled> {
  const member = fc.record({ name, of: item, isRequired: fc.boolean() });
  const members = fc.uniqueArray(member, { selector: (one) => one.name, minLength: 1, maxLength: 3 });
  return fc.tuple(members, others).map(([all, rest]) => ({
    schema: {
      type: "object",
      properties: objectOf(all.map((one) => [one.name, one.of.schema])),
      required: all.filter((one) => one.isRequired).map((one) => one.name),
      ...(rest && { additionalProperties: rest.schema }),
    },
    values: fc
      .tuple(
        ...all.map((one) =>
          fc.option(
            one.of.values.map((value) => [one.name, value] as const),
            {
              nil: undefined,
              freq: one.isRequired ? 10 : 1,
            },
          ),
        ),
        rest ? rest.values.map((value) => ["other", value] as const) : fc.constant(undefined),
      )
      .map((entries) => objectOf(entries.filter((entry) => entry !== undefined))),
  }));
}

function anyOf(item: fc.Arbitrary<Sampled>, keyword: "anyOf" | "oneOf"): fc.Arbitrary<Sampled> {
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => ({
    schema: { [keyword]: items.map(({ schema }) => schema) },
    values: fc.oneof(...items.map(({ values }) => values)),
  }));
}

/** Both hold: of what the one takes, the other takes some. */
function allOf(item: fc.Arbitrary<Sampled>): fc.Arbitrary<Sampled> {
  return fc.tuple(item, item).map(([one, other]) => ({
    schema: { allOf: [one.schema, other.schema] },
    values: fc
      .tuple(one.values, other.values)
      .chain(([left, right]) => fc.constantFrom(left, right, mergeOf(left, right))),
  }));
}

function mergeOf(left: unknown, right: unknown): unknown {
  const areObjects = [left, right].every((one) => typeof one === "object" && one && !Array.isArray(one));
  return areObjects
    ? objectOf([...Object.entries(left as object), ...Object.entries(right as object)])
    : left;
}

/** Members of one object that one of several schemas names, and others that none of them does. */
function unevaluated(item: fc.Arbitrary<Sampled>): fc.Arbitrary<Sampled> {
  const object = objectSchemaOf(item, fc.constant(undefined));
  return fc.tuple(object, object, item).map(([one, other, rest]) => ({
    schema: { type: "object", anyOf: [one.schema, other.schema], unevaluatedProperties: rest.schema },
    values: fc
      .tuple(fc.oneof(one.values, other.values), fc.option(rest.values, { nil: undefined }))
      .map(([members, others]) => (others === undefined ? members : mergeOf(members, { others }))),
  }));
}

const { exact: exactInner, any: anyInner } = fc.letrec<{ exact: Sampled; any: Sampled }>((tie) => ({
  exact: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom(...primitives),
    literal,
    arrayOf(tie("exact")),
    tupleOf(tie("exact")),
    objectSchemaOf(tie("exact"), fc.option(tie("exact"), { nil: undefined })),
    anyOf(tie("exact"), "anyOf"),
  ),
  any: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom(...primitives),
    fc.constant<Sampled>({ schema: { type: "integer", minimum: 3 }, values: fc.integer() }),
    fc.constant<Sampled>({ schema: { $ref: "#/$defs/node" }, values: fc.constantFrom({}, { next: {} }) }),
    literal,
    arrayOf(tie("any")),
    tupleOf(tie("any")),
    objectSchemaOf(tie("any"), fc.option(tie("any"), { nil: undefined })),
    anyOf(tie("any"), "anyOf"),
    anyOf(tie("any"), "oneOf"),
    allOf(tie("any")),
    unevaluated(tie("any")),
  ),
}));

/** Schemas of which a type can say everything. */
export const exactSchema = objectSchemaOf(exactInner, fc.option(exactInner, { nil: undefined }));

/** Schemas of which a type can say most. */
export const anySchema = objectSchemaOf(anyInner, fc.option(anyInner, { nil: undefined })).map(
  ({ schema, values }): Sampled => ({
    schema: {
      ...(schema as object),
      $defs: {
        node: {
          type: "object",
          properties: { next: { $ref: "#/$defs/node" }, a: { type: "string" } },
          additionalProperties: { anyOf: [{ $ref: "#/$defs/node" }, { type: ["string", "number"] }] },
        },
      },
    },
    values,
  }),
);
