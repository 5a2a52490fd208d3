import fc from "fast-check";

/** A schema, and values that it mostly accepts. */
export interface Sampled {
  readonly schema: unknown;
  readonly values: fc.Arbitrary<unknown>;
}

type AnySampled = fc.Arbitrary<Sampled>;

// `__proto__` is missing because the validator in the tests does not support it.
const name = fc.constantFrom("a", "b", "kind", "constructor", "x y");
const primitive = fc.constantFrom<Sampled>(
  { schema: { type: "string" }, values: fc.constantFrom("", "a", "b") },
  { schema: { type: "number" }, values: fc.constantFrom(0, 1.5, -2) },
  { schema: { type: "boolean" }, values: fc.boolean() },
  { schema: { type: "null" }, values: fc.constant(null) },
  { schema: { type: ["string", "null"] }, values: fc.constantFrom("a", null) },
);

const literal = fc
  .uniqueArray(fc.constantFrom<unknown>("a", "b", 1, true, false, null), { minLength: 1, maxLength: 3 })
  .map((values): Sampled => ({ schema: { enum: values }, values: fc.constantFrom(...values) }));

const several = (item: AnySampled) => fc.array(item, { minLength: 1, maxLength: 3 });
const schemasOf = (items: readonly Sampled[]) => items.map(({ schema }) => schema);
const valuesOf = (items: readonly Sampled[]) => items.map(({ values }) => values);

function arrayOf(item: AnySampled): AnySampled {
  return item.map(({ schema, values }) => ({
    schema: { type: "array", items: schema },
    values: fc.array(values, { maxLength: 3 }),
  }));
}

function tupleOf(item: AnySampled): AnySampled {
  return several(item).map((items) => ({
    schema: { type: "array", prefixItems: schemasOf(items), items: false, minItems: items.length },
    values: fc.tuple(...valuesOf(items)),
  }));
}

/** An object schema with named properties, and sometimes others. */
function objectOf(item: AnySampled, others = fc.option(item, { nil: undefined })): AnySampled {
  const member = fc.record({ name, of: item, isRequired: fc.boolean() });
  const members = fc.uniqueArray(member, { selector: (one) => one.name, minLength: 1, maxLength: 3 });
  return fc.tuple(members, others).map(([all, rest]) => ({
    schema: {
      type: "object",
      properties: Object.fromEntries(all.map((one) => [one.name, one.of.schema])),
      required: all.filter((one) => one.isRequired).map((one) => one.name),
      ...(rest && { additionalProperties: rest.schema }),
    },
    values: fc
      .tuple(
        ...all.map((one) => {
          const entry = one.of.values.map((value) => [one.name, value] as const);
          return fc.option(entry, { nil: undefined, freq: one.isRequired ? 10 : 1 });
        }),
        rest ? rest.values.map((value) => ["other", value] as const) : fc.constant(undefined),
      )
      .map((entries) => Object.fromEntries(entries.filter((entry) => entry !== undefined))),
  }));
}

function oneOf(item: AnySampled, keyword: "anyOf" | "oneOf"): AnySampled {
  return several(item).map((items) => ({
    schema: { [keyword]: schemasOf(items) },
    values: fc.oneof(...valuesOf(items)),
  }));
}

/** A schema that combines two others. Some of its values match both. */
function allOf(item: AnySampled): AnySampled {
  return fc.tuple(item, item).map(([one, other]) => ({
    schema: { allOf: [one.schema, other.schema] },
    values: fc
      .tuple(one.values, other.values)
      .chain(([left, right]) => fc.constantFrom(left, right, merge(left, right))),
  }));
}

function merge(left: unknown, right: unknown): unknown {
  const areObjects = [left, right].every((one) => typeof one === "object" && one && !Array.isArray(one));
  return areObjects ? { ...(left as object), ...(right as object) } : left;
}

/** An object schema with the properties of two others, and properties that neither names. */
function unevaluated(item: AnySampled): AnySampled {
  const object = objectOf(item, fc.constant(undefined));
  return fc.tuple(object, object, item).map(([one, other, rest]) => ({
    schema: { type: "object", anyOf: [one.schema, other.schema], unevaluatedProperties: rest.schema },
    values: fc
      .tuple(fc.oneof(one.values, other.values), fc.option(rest.values, { nil: undefined }))
      .map(([members, others]) => (others === undefined ? members : merge(members, { others }))),
  }));
}

const depth = { maxDepth: 3, depthSize: "small" } as const;
const { exact, any } = fc.letrec<{ exact: Sampled; any: Sampled }>((tie) => {
  const variantsOf = (item: AnySampled) => [
    primitive,
    literal,
    arrayOf(item),
    tupleOf(item),
    objectOf(item),
    oneOf(item, "anyOf"),
  ];
  const item = tie("any");
  return {
    exact: fc.oneof(depth, ...variantsOf(tie("exact"))),
    any: fc.oneof(
      depth,
      ...variantsOf(item),
      fc.constant({ schema: { type: "integer", minimum: 3 }, values: fc.integer() }),
      fc.constant({ schema: { $ref: "#/$defs/node" }, values: fc.constantFrom({}, { next: {} }) }),
      oneOf(item, "oneOf"),
      allOf(item),
      unevaluated(item),
    ),
  };
});

/** Schemas that a type can express exactly. */
export const exactSchema = objectOf(exact);

const node = {
  type: "object",
  properties: { next: { $ref: "#/$defs/node" }, a: { type: "string" } },
  additionalProperties: { anyOf: [{ $ref: "#/$defs/node" }, { type: ["string", "number"] }] },
};

/** Schemas that a type can express only in part. */
export const anySchema = objectOf(any).map(
  ({ schema, values }): Sampled => ({ schema: { ...(schema as object), $defs: { node } }, values }),
);
