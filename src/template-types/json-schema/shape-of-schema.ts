import type { Schema } from "@cfworker/json-schema";
import { isInstance } from "../../errors/foreign-values.ts";
import { isJsonObject, type JsonPath } from "../../json/json-value.ts";
import {
  normalizeSchema,
  openSchema,
  resolveReference,
  type SchemaDocument,
} from "../../json/schema-document.ts";
import { type MemberShape, type ObjectShape, type Shape, shapesIn } from "../shape.ts";
import { intersect, settle, shapeOfConstant, tupleOf, unite, uniteAlternatives } from "./combine-shapes.ts";
import { mentioning } from "./mention.ts";
import { SchemaDefinitions } from "./schema-definitions.ts";
import { SchemaFault } from "./schema-fault.ts";
import { SchemaParts } from "./schema-parts.ts";

/** The shape of a schema that has only this type. */
const plain: Readonly<Record<string, Shape>> = {
  string: { kind: "string" },
  number: { kind: "number" },
  integer: { kind: "number" },
  boolean: { kind: "boolean" },
  null: { kind: "null" },
};

const anything: Shape = { kind: "unknown" };
const nothing: Shape = { kind: "never" };
const anyObject: Shape = { kind: "object", members: new Map(), others: undefined };

/** A schema without `type` describes objects or arrays if it contains one of these keywords. */
const objectKeywords =
  "properties required additionalProperties patternProperties unevaluatedProperties".split(" ");
const arrayKeywords = ["items", "prefixItems"];

/** A definition with more parts than this is written once with a name. A smaller one is written inline. */
const maxInlined = 200;

/**
 * Returns the shape of the values that a JSON Schema of draft 4 to 2020-12 accepts. Ignores what types cannot express: lengths,
 * patterns, formats, `not` and `if`.
 *
 * @param schema - the parsed schema
 * @param file - the path of its file, because the schema may refer to itself by the file name
 * @returns the shape, an object or a union of objects, and the targets of its references. A reference to all values has the same
 *   object as the shape
 * @throws {SchemaFault} if the schema is invalid, refers to another file or accepts no object. The message is one line
 * @see https://json-schema.org/draft/2020-12/json-schema-validation
 */
export function shapeOfSchema(
  schema: unknown,
  file: string,
): { readonly shape: Shape; readonly definitions: ReadonlyMap<string, Shape> } {
  try {
    const reader = new SchemaReader(openDocument(schema, file));
    return { shape: reader.readRoot(), definitions: reader.definitions.shapes };
  } catch (error) {
    throw isInstance(error, RangeError) ? new SchemaFault([], "this schema is nested too deeply") : error;
  }
}

function openDocument(schema: unknown, file: string): SchemaDocument {
  let document: SchemaDocument;
  try {
    document = openSchema(schema, file);
  } catch (error) {
    if (isInstance(error, RangeError)) throw error;
    throw new SchemaFault([], "two schemas have the same `$id`, or a `$id` or `$ref` is not a URL");
  }
  normalizeSchema(document);
  return document;
}

class SchemaReader {
  readonly definitions = new SchemaDefinitions();
  readonly #document: SchemaDocument;
  readonly #root: unknown;
  readonly #parts: SchemaParts;
  /** The targets of `$ref` that were read: their shapes, or references if they have names. */
  readonly #read = new Map<unknown, Shape>();
  /** The targets of `$ref` that are being read, with their names once needed. */
  readonly #open = new Map<unknown, { name: string | undefined }>();

  constructor(document: SchemaDocument) {
    this.#document = document;
    this.#root = document.root;
    this.#parts = new SchemaParts(document);
  }

  readRoot(): Shape {
    // Treated as if it were referenced, so that a reference to `#` finds it in progress.
    const whole = this.#readTarget(this.#root, this.#parts.nameOf(this.#root, ""), [], []);
    this.definitions.settle();
    const objects = settle(unite(this.#objectsIn(whole)));
    if (objects.kind === "never") {
      throw new SchemaFault([], "this schema accepts no object, but the values of a template are an object");
    }
    // The same object, so that the values are recognized as the target of the reference.
    if (whole.kind === "reference" && isOfObjects(this.definitions.resolve(whole.name))) {
      this.definitions.set(whole.name, objects);
    }
    return objects;
  }

  #objectsIn(shape: Shape): readonly Shape[] {
    if (shape.kind === "union") return shape.of.flatMap((one) => this.#objectsIn(one));
    if (shape.kind === "reference") return this.#objectsIn(this.definitions.resolve(shape.name) ?? anything);
    if (shape.kind === "unknown") return [anyObject];
    return shape.kind === "object" ? [shape] : [];
  }

  /** Reads the schema of an inner value, such as a property or an item. */
  #readInner(schema: unknown, place: JsonPath): Shape {
    return this.#readSame(schema, place, []);
  }

  /** @param same - the schemas of the same value on the way to this one */
  #readSame(schema: unknown, place: JsonPath, same: readonly unknown[]): Shape {
    if (typeof schema === "boolean") return schema ? anything : nothing;
    if (!isJsonObject(schema)) throw new SchemaFault(place, "expected a schema: an object, true or false");
    const parts = this.#partsOf(schema, this.#parts.placeOf(schema) ?? place, same);
    return parts.reduce((all, part) => intersect(all, part, this.definitions), anything);
  }

  /** All constraints of a schema on a value, which apply together. */
  #partsOf(schema: Schema, place: JsonPath, same: readonly unknown[]): readonly Shape[] {
    const dynamic = ["$dynamicRef", "$recursiveRef"].find((keyword) => Object.hasOwn(schema, keyword));
    if (dynamic) throw new SchemaFault([...place, dynamic], "this keyword is not supported; use $ref");
    const parts = [this.#readTypes(schema, place)];
    if (schema.enum !== undefined) {
      parts.push(unite(this.#list(schema.enum, [...place, "enum"]).map(shapeOfConstant)));
    }
    if (schema.const !== undefined) parts.push(shapeOfConstant(schema.const));
    if (schema.$ref !== undefined) parts.push(this.#readReference(schema, [...place, "$ref"], same));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      if (schema[keyword] === undefined) continue;
      const all = this.#list(schema[keyword], [...place, keyword]).map((one, index) =>
        this.#readSame(one, [...place, keyword, index], same),
      );
      parts.push(...(keyword === "allOf" ? all : [uniteAlternatives(all, this.definitions)]));
    }
    parts.push(mentioning(this.#mentionsOf(schema, place, same)));
    return parts;
  }

  /** The shapes of the schemas that apply to a value only in some cases, or to some of its items. */
  #mentionsOf(schema: Schema, place: JsonPath, same: readonly unknown[]): readonly Shape[] {
    const mentions: Shape[] = [];
    for (const keyword of ["if", "then", "else", "not"]) {
      if (schema[keyword] === undefined) continue;
      mentions.push(this.#readSame(schema[keyword], [...place, keyword], same));
    }
    for (const [name, inner] of this.#map(schema, "dependentSchemas", place)) {
      mentions.push(this.#readSame(inner, [...place, "dependentSchemas", name], same));
    }
    if (schema.contains !== undefined) {
      mentions.push({ kind: "array", items: this.#readInner(schema.contains, [...place, "contains"]) });
    }
    const { propertyNames } = schema;
    const isList = isJsonObject(propertyNames) && Array.isArray(propertyNames.enum);
    const required = this.#map(schema, "dependentRequired", place);
    const names = [...required.flat(2), ...(isList ? (propertyNames.enum ?? []) : [])];
    const unnamed = { shape: anything, isOptional: true, comment: undefined };
    const members = names.filter((name) => typeof name === "string").map((name) => [name, unnamed] as const);
    return [...mentions, { kind: "object", members: new Map(members), others: undefined }];
  }

  #readTypes(schema: Schema, place: JsonPath): Shape {
    const types = this.#typesOf(schema, place);
    if (types.length === 0) return anything;
    return unite(
      types.map((type) => {
        if (type === "object") return this.#readObject(schema, place);
        return type === "array" ? this.#readArray(schema, place) : (plain[type] ?? nothing);
      }),
    );
  }

  #typesOf(schema: Schema, place: JsonPath): readonly string[] {
    const type: unknown = schema.type;
    if (type === undefined) {
      const has = (keyword: string) => Object.hasOwn(schema, keyword);
      return [...(objectKeywords.some(has) ? ["object"] : []), ...(arrayKeywords.some(has) ? ["array"] : [])];
    }
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    const known = types.filter(isType);
    if (known.length === types.length && known.length > 0) return known;
    throw new SchemaFault(
      [...place, "type"],
      "this is not a JSON Schema type; the types are string, number, integer, boolean, null, object and array",
    );
  }

  #readObject(schema: Schema, place: JsonPath): Shape {
    const members = new Map<string, MemberShape>();
    const required = new Set(this.#list(schema.required ?? [], [...place, "required"]));
    const rest = this.#readOthers(schema, place);
    const { others } = rest;
    for (const [name, inner] of this.#map(schema, "properties", place)) {
      const shape = this.#readInner(inner, [...place, "properties", name]);
      // Callers may omit a property that has a default.
      const isOptional = !required.has(name) || (isJsonObject(inner) && inner["default"] !== undefined);
      if (shape.kind === "never" && isOptional) continue;
      members.set(name, { shape, isOptional, comment: this.#parts.commentOf(inner) });
    }
    for (const name of required) {
      if (typeof name !== "string" || members.has(name)) continue;
      const shape = others === undefined || others.kind === "never" || rest.isOpen ? anything : others;
      members.set(name, { shape, isOptional: false, comment: undefined });
    }
    const isImpossible = [...members.values()].some(({ shape }) => shape.kind === "never");
    return isImpossible ? nothing : { kind: "object", members, ...rest };
  }

  /** The shape of properties with other names: `never` if they are not allowed, `undefined` if the schema does not say. */
  #readOthers(schema: Schema, place: JsonPath): Pick<ObjectShape, "others" | "isOpen"> {
    const others = this.#map(schema, "patternProperties", place).map(([pattern, inner]) =>
      this.#readInner(inner, [...place, "patternProperties", pattern]),
    );
    const { additionalProperties, unevaluatedProperties, propertyNames } = schema;
    if (additionalProperties !== undefined) {
      others.push(this.#readInner(additionalProperties, [...place, "additionalProperties"]));
      return { others: unite(others) };
    }
    // A type cannot tell which properties are unevaluated.
    if (isJsonObject(unevaluatedProperties) || unevaluatedProperties === true) others.push(anything);
    // A rule for names expects more than the named properties.
    if (isJsonObject(propertyNames) && propertyNames.enum === undefined) others.push(anything);
    return others.length === 0 ? { others: undefined } : { others: unite(others), isOpen: true };
  }

  #readArray({ items, prefixItems, minItems, maxItems }: Schema, place: JsonPath): Shape {
    const rest = items === undefined ? anything : this.#readInner(items, [...place, "items"]);
    if (prefixItems === undefined) return { kind: "array", items: rest };
    const shapes = this.#list(prefixItems, [...place, "prefixItems"]).map((one, index) =>
      this.#readInner(one, [...place, "prefixItems", index]),
    );
    const isFull = typeof maxItems === "number" && maxItems <= shapes.length;
    const end = isFull ? Math.max(maxItems, 0) : shapes.length;
    const required = typeof minItems === "number" ? Math.min(Math.max(minItems, 0), end) : 0;
    return tupleOf(shapes.slice(0, end), isFull ? undefined : rest, required);
  }

  #readReference(schema: Schema, place: JsonPath, same: readonly unknown[]): Shape {
    const { $ref, __absolute_ref__: address = "" } = schema;
    if (typeof $ref !== "string") throw new SchemaFault(place, "expected a string");
    const target = resolveReference(this.#document, schema);
    if (target === undefined) {
      throw new SchemaFault(
        place,
        $ref.startsWith("#")
          ? "this reference does not exist in the schema"
          : "this reference points outside the file and is not fetched; move its target into $defs",
      );
    }
    if (same.includes(target)) throw new SchemaFault(place, "this reference points back to itself");
    return this.#readTarget(
      target,
      this.#parts.nameOf(target, address),
      this.#parts.placeOf(target) ?? place,
      same,
    );
  }

  #readTarget(schema: unknown, name: string, place: JsonPath, same: readonly unknown[]): Shape {
    const known = this.#read.get(schema);
    if (known) return known;
    const open = this.#open.get(schema);
    if (open) {
      open.name ??= this.#freeName(name);
      return { kind: "reference", name: open.name };
    }
    const opened: { name: string | undefined } = { name: undefined };
    this.#open.set(schema, opened);
    const found = this.#readSame(schema, place, [...same, schema]);
    this.#open.delete(schema);
    if (schema !== this.#root && shapesIn(found).length > maxInlined) opened.name ??= this.#freeName(name);
    const shape: Shape = opened.name === undefined ? found : { kind: "reference", name: opened.name };
    if (opened.name !== undefined) this.definitions.set(opened.name, found);
    this.#read.set(schema, shape);
    return shape;
  }

  #freeName(wanted: string): string {
    const taken = new Set([
      ...this.definitions.shapes.keys(),
      ...[...this.#open.values()].map(({ name }) => name),
    ]);
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`;
    return name;
  }

  #list(value: unknown, place: JsonPath): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw new SchemaFault(place, "expected an array");
  }

  #map(schema: Schema, keyword: string, place: JsonPath): readonly (readonly [string, unknown])[] {
    const value: unknown = schema[keyword] ?? {};
    if (isJsonObject(value)) return Object.entries(value);
    throw new SchemaFault([...place, keyword], "expected an object whose values are schemas");
  }
}

function isType(type: unknown): type is string {
  return type === "object" || type === "array" || (typeof type === "string" && Object.hasOwn(plain, type));
}

function isOfObjects(shape: Shape | undefined): boolean {
  return shape?.kind === "union" ? shape.of.every(({ kind }) => kind === "object") : shape?.kind === "object";
}
