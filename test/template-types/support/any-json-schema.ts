import fc from "fast-check";

type Json = Record<string, unknown>;
type AnySchema = fc.Arbitrary<unknown>;

/** Names that objects inherit are missing, because zod reads them even if a value does not have them. */
const name = fc.constantFrom("a", "b", "c");
const leaf = fc.constantFrom<unknown>("a", "b", 1, 2.5, true, false, null);
const leaves = fc.oneof(
  fc.constantFrom("string", "number", "boolean", "null", ["string", "null"]).map((type) => ({ type })),
  fc.uniqueArray(leaf, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
  fc.constantFrom<unknown>(
    { type: "integer", minimum: 1, exclusiveMinimum: true },
    { type: "string", nullable: true },
  ),
  fc.constantFrom<unknown>({ const: { a: 1 } }, { enum: [["a", 1], { b: [] }, null] }, {}, true, false),
  fc.constantFrom<unknown>(
    ...["node", "map", "tuple", "any", "list"].map((target) => ({ $ref: `#/$defs/${target}` })),
  ),
);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
}));

/** Values with the names and texts of the schemas, so that some of them are valid. */
export const anyValues = fc.array(fc.dictionary(name, value, { maxKeys: 3 }), {
  minLength: 30,
  maxLength: 30,
});

const few = { maxLength: 2 };
const several = (item: AnySchema) => fc.array(item, { minLength: 1, maxLength: 3 });
const schemas = (item: AnySchema) => fc.dictionary(name, item, { maxKeys: 3 });

function objectOf(item: AnySchema): fc.Arbitrary<Json> {
  const optional: Readonly<Record<string, AnySchema>> = {
    properties: schemas(item),
    required: fc.uniqueArray(name, few),
    additionalProperties: fc.oneof(fc.boolean(), item),
    patternProperties: item.map((schema) => ({ "^[bc]": schema })),
    propertyNames: fc.constantFrom<unknown>({ pattern: "^a" }, { enum: ["a", "b"] }, true),
    unevaluatedProperties: fc.constantFrom<unknown>(false, {}),
  };
  return fc.record(
    { type: fc.constant("object"), ...optional },
    { requiredKeys: ["type"] },
  ) as fc.Arbitrary<Json>;
}

/** Tuples in the spelling of each draft. */
function tupleOf(item: AnySchema): fc.Arbitrary<Json> {
  const length = { minItems: fc.integer({ min: 0, max: 3 }), maxItems: fc.integer({ min: 1, max: 3 }) };
  const [type, list, other] = [fc.constant("array"), several(item), fc.oneof(fc.boolean(), item)];
  return fc.oneof(
    fc.record(
      { type, prefixItems: list, items: other, ...length },
      { requiredKeys: ["type", "prefixItems"] },
    ),
    fc.record({ type, items: list, additionalItems: other, ...length }, { requiredKeys: ["type", "items"] }),
  );
}

/** Schemas that apply only in some cases. */
function conditionalOf(item: AnySchema): fc.Arbitrary<Json> {
  const optional: Readonly<Record<string, AnySchema>> = {
    ...Object.fromEntries(["if", "then", "else", "not"].map((keyword) => [keyword, item])),
    dependentSchemas: schemas(item),
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, few), { maxKeys: 2 }),
    dependencies: fc.dictionary(name, fc.oneof(fc.uniqueArray(name, few), item), { maxKeys: 2 }),
  };
  return fc.record(optional, { requiredKeys: ["if"] }) as fc.Arbitrary<Json>;
}

/** Joins schemas of the same value, unless they have the same keywords. */
function together(...parts: readonly fc.Arbitrary<Json>[]): fc.Arbitrary<Json> {
  return fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Json);
}

const { object } = fc.letrec<{ any: unknown; object: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaves,
    tie("object"),
    objectOf(tie("any")),
    fc.record({ type: fc.constant("array"), items: tie("any") }),
    tupleOf(tie("any")),
    several(tie("any")).map((anyOf) => ({ anyOf })),
    several(tie("any")).map((oneOf) => ({ oneOf })),
    several(tie("any")).map((allOf) => ({ allOf })),
    fc.record({ $ref: fc.constantFrom("#/$defs/node", "#/$defs/map"), nullable: fc.boolean() }),
  ),
  object: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    objectOf(tie("any")),
    together(objectOf(tie("any")), conditionalOf(objectOf(tie("any")))),
    together(
      objectOf(tie("any")),
      several(tie("object")).map((allOf) => ({ allOf })),
    ),
    together(
      objectOf(tie("any")),
      several(tie("object")).map((anyOf) => ({ anyOf })),
    ),
    together(
      objectOf(tie("any")),
      several(tie("object")).map((oneOf) => ({ oneOf })),
    ),
    together(
      objectOf(tie("any")),
      conditionalOf(tie("object")).map((rule) => ({ allOf: [rule, {}] })),
    ),
    together(objectOf(tie("any")), fc.constant({ $ref: "#/$defs/node" })),
  ),
}));

const node = {
  type: "object",
  properties: { a: { $ref: "#/$defs/node" }, b: { type: "string" } },
  additionalProperties: { anyOf: [{ $ref: "#/$defs/node" }, { type: ["string", "number"] }] },
};
const map = { type: "object", additionalProperties: { $ref: "#/$defs/any" } };
const list = { type: "array", items: { $ref: "#/$defs/map" } };
const tuple = { type: "array", prefixItems: [{ type: "string" }, { $ref: "#/$defs/tuple" }] };
const anything = {
  anyOf: [
    { type: ["string", "number", "boolean", "null"] },
    { $ref: "#/$defs/list" },
    { $ref: "#/$defs/map" },
  ],
};

/** Schemas of objects with the keywords of several drafts and OpenAPI 3.0, and with recursive and mutually recursive definitions. */
export const anyJsonSchema = object.map((schema) => ({
  ...schema,
  $defs: { node, map, list, tuple, any: anything },
}));

/** Keywords of schemas for other values, whose locations the types close, and for the same value. */
const inner = {
  maps: ["properties", "patternProperties"],
  lists: ["prefixItems"],
  single: ["items", "additionalItems", "additionalProperties"],
};
const same = {
  maps: ["dependentSchemas", "dependencies", "$defs"],
  lists: ["allOf", "anyOf", "oneOf"],
  single: ["then", "else"],
};

/**
 * Returns a schema that also rejects properties about which the schema says nothing, like the types. Conditions and negations stay
 * open, because there the types ignore the schema.
 */
export function closed(schema: unknown): unknown {
  const whole = closedInside(schema);
  if (typeof whole !== "object" || whole === null) return whole;
  const { $defs, ...rest } = whole as Json;
  const definitions = $defs === undefined ? {} : { $defs };
  return { ...definitions, allOf: [rest], unevaluatedProperties: false };
}

function closedInside(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, part]) => {
    const isInner = [inner.maps, inner.lists, inner.single].some((all) => all.includes(keyword));
    const each = isInner ? closed : closedInside;
    if ([...inner.maps, ...same.maps].includes(keyword)) {
      const all = Object.entries(part as Json).map(([key, one]) => [
        key,
        Array.isArray(one) ? one : each(one),
      ]);
      return [keyword, Object.fromEntries(all)];
    }
    if (Array.isArray(part) && [...inner.lists, ...same.lists, "items"].includes(keyword))
      return [keyword, part.map(each)];
    return [keyword, [...inner.single, ...same.single].includes(keyword) ? each(part) : part];
  });
  return Object.fromEntries(entries) as Json;
}
